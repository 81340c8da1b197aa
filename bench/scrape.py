"""What `/metrics` costs: `python -m bench.scrape`. No processes: what a worker collects, and what a web process writes of it."""

import statistics
import sys
import time
from collections.abc import Callable

import orjson

from connect_api import figures
from workers.herder.interface import View
from workers.herder.states import State
from workers.herder.values import ConnectorInfo, ConnectorStatus, Status, TaskId
from workers.metrics.worker_recorder import WorkerRecorder

_ROUNDS = 9
_SIZES = ((1000, 1), (1000, 4))


def _view(connectors: int, tasks: int) -> View:
    names = [f"connector-{number}" for number in range(connectors)]
    status = Status(State.RUNNING, "worker:8083")
    infos = {name: ConnectorInfo(name, {}, [TaskId(name, n) for n in range(tasks)], "sink") for name in names}
    statuses = {name: ConnectorStatus(name, status, dict.fromkeys(range(tasks), status), "sink") for name in names}
    return View("1", infos, statuses)


def _recorder(view: View) -> WorkerRecorder:
    recorder = WorkerRecorder()
    for info in view.infos.values():
        for task_id in info.tasks:
            task = recorder.task(task_id, "sink")
            recorder.begun(task)
            task.saw({("topic", 0): 10}, {("topic", 0): 4})
            with task.batch(), task.commit():
                task.wrote(7)
    return recorder


def _milliseconds(work: Callable[[], object]) -> float:
    times = []
    for _ in range(_ROUNDS):
        began = time.perf_counter()
        work()
        times.append((time.perf_counter() - began) * 1000)
    return statistics.median(times)


def _measure(connectors: int, tasks: int) -> str:
    view = _view(connectors, tasks)
    recorder = _recorder(view)
    sent = orjson.dumps(recorder.figures())
    text = figures.text(view, {"worker:8083": sent})
    collecting = _milliseconds(lambda: orjson.dumps(recorder.figures()))
    writing = _milliseconds(lambda: figures.text(view, {"worker:8083": sent}))
    return (
        f"| {connectors:,} × {tasks} | {collecting:.0f} ms | {len(sent) / 1e3:.0f} kB | {writing:.0f} ms "
        f"| {len(text) / 1e6:.1f} MB, {text.count(10):,} lines |\n"
    )


if __name__ == "__main__":
    sys.stdout.write("| connectors × tasks | collect | sent | write | text |\n|---|---|---|---|---|\n")
    for size in _SIZES:
        sys.stdout.write(_measure(*size))
