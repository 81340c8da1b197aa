"""One run by itself, without lanes: what its own code is asked for, and what is not asked while that has not come back."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from tests.fakes import WORKER, FakePlugins, FakeRunner, FakeTask
from tests.unit.workers.herder.group import Hold
from workers.herder.connector_run import ConnectorRun
from workers.herder.ports import ConnectorContext, TaskSpec
from workers.herder.reconcile import Wanted
from workers.herder.run import Run
from workers.herder.states import TargetState
from workers.herder.status_writer import Author, StatusWriter
from workers.herder.task_run import TaskRun
from workers.herder.values import InstanceId, TaskId
from workers.metrics.worker_recorder import WorkerRecorder
from workers.storage.memory_log import MemoryLog
from workers.storage.status_store import StatusStore

T0 = TaskId("a", 0)
CONFIG = {"name": "a", "connector.class": "fake.Source"}
STARTED, PAUSED, STOPPED = (Wanted(1, target) for target in TargetState)


class Bench:
    """Makes one run, and has what it needs."""

    def __init__(self) -> None:
        self.plugins, self.recorder = FakePlugins(), WorkerRecorder()
        self.runner = FakeRunner()
        self.wants: list[Any] = []
        #: What is to be done in the connector's lane, after how many seconds.
        self.later: list[tuple[float, Callable[[], None]]] = []
        self.statuses = StatusStore(MemoryLog())
        self.statuses.start()

    def connector(self, wanted: Wanted = STARTED) -> ConnectorRun:
        return ConnectorRun(
            "a",
            CONFIG,
            wanted,
            self._writer("a"),
            self.plugins,
            self.recorder,
            lambda *w: self.wants.append(w),
            lambda *later: self.later.append(later),
        )

    @property
    def context(self) -> ConnectorContext:
        return self.plugins.contexts["a"]

    def turn(self) -> float:
        """Does what is due next, and says after how long a time it was."""
        seconds, work = self.later.pop(0)
        work()
        return seconds

    def task(self, wanted: Wanted = STARTED) -> TaskRun:
        return TaskRun(TaskSpec(T0, {}, CONFIG, 1), wanted, self._writer(T0), self.runner, self.recorder, lambda: 0.1)

    def _writer(self, instance: InstanceId) -> StatusWriter:
        return StatusWriter(instance, CONFIG, 1, Author(WORKER), self.statuses, self.plugins)

    def state(self, instance: InstanceId = "a") -> str | None:
        seen = self.statuses.get(instance)
        return None if seen is None else seen.state

    def calls(self) -> list[str]:
        return [call for call, _ in self.plugins.calls]

    @contextmanager
    def hanging(self, call: str, run: Run) -> Iterator[None]:
        """`begin` is in there, and comes back afterwards."""
        hold = Hold()
        self.plugins.on[call, "a"] = hold
        thread = threading.Thread(target=run.begin)
        thread.start()
        assert hold.entered.wait(5)
        yield
        del self.plugins.on[call, "a"]
        hold.release.set()
        thread.join(5)
        assert not thread.is_alive()


@pytest.fixture
def bench() -> Bench:
    return Bench()


# --- connectors -------------------------------------------------------------------------------------------------------


def test_one_that_is_over_begins_nothing(bench: Bench) -> None:
    run = bench.connector()
    run.silence()
    run.begin()
    run.retarget()
    assert (run.begun, bench.calls(), bench.state()) == (True, [], None)


@pytest.mark.parametrize("call", ["start", "task_configs"])
def test_one_that_is_ended_while_its_own_code_hangs_is_stopped_when_that_comes_back(bench: Bench, call: str) -> None:
    run = bench.connector()
    with bench.hanging(call, run):
        run.end()
        assert "stop" not in bench.calls(), "not beside what has not come back"
    assert bench.calls()[-2:] == [call, "stop"]
    assert bench.wants == []


@pytest.mark.parametrize(("wanted", "state"), [(PAUSED, "PAUSED"), (STOPPED, "STOPPED")])
def test_one_whose_own_code_hangs_shows_what_is_wanted_and_does_it_when_that_comes_back(
    bench: Bench, wanted: Wanted, state: str
) -> None:
    run = bench.connector()
    with bench.hanging("start", run):
        run.wanted = wanted
        run.retarget()
        assert (bench.state(), bench.calls()) == (state, ["create", "start"])
    assert (bench.state(), bench.calls()) == (state, ["create", "start", "stop"])


def test_a_resume_that_was_missed_is_made_up_for(bench: Bench) -> None:
    run = bench.connector()
    run.begin()
    run.wanted = PAUSED
    hold = Hold()
    bench.plugins.on["stop", "a"] = hold
    stopping = threading.Thread(target=run.retarget)
    stopping.start()
    assert hold.entered.wait(5)
    run.wanted = STARTED
    run.retarget()
    assert bench.calls()[-1] == "stop"
    hold.release.set()
    stopping.join(5)
    assert bench.calls()[-3:] == ["stop", "start", "task_configs"]
    assert bench.state() == "RUNNING"


def test_a_stop_that_is_taken_back_before_its_turn_leaves_it_with_its_tasks(bench: Bench) -> None:
    """Whoever wrote the stop down has taken them away."""
    run = bench.connector()
    run.begin()
    for wanted in (STOPPED, STARTED):
        run.wanted = wanted
    for _ in range(2):
        run.retarget()
    assert "stop" not in bench.calls()
    assert (bench.state(), len(bench.wants)) == ("RUNNING", 3)


def test_a_stop_that_is_taken_back_while_its_own_work_hangs_leaves_it_with_its_tasks(bench: Bench) -> None:
    run = bench.connector()
    run.begin()
    hold = Hold()
    bench.context.every(5, hold)
    working = threading.Thread(target=bench.turn)
    working.start()
    assert hold.entered.wait(5)
    for wanted in (STOPPED, STARTED):
        run.wanted = wanted
        run.retarget()
    assert (bench.state(), len(bench.wants)) == ("STOPPED", 1)
    hold.release.set()
    working.join(5)
    assert "stop" not in bench.calls()
    assert (bench.state(), len(bench.wants)) == ("RUNNING", 2)


def test_several_requests_for_other_tasks_are_one(bench: Bench) -> None:
    bench.connector().begin()
    for _ in range(3):
        bench.context.request_task_reconfiguration()
    assert (bench.turn(), bench.later, len(bench.wants)) == (0, [], 2)
    bench.context.request_task_reconfiguration()
    assert (bench.turn(), len(bench.wants)) == (0, 3)


@pytest.mark.parametrize("call", ["start", "task_configs"])
def test_a_request_out_of_its_own_code_is_granted_when_that_has_come_back(bench: Bench, call: str) -> None:
    run = bench.connector()
    with bench.hanging(call, run):
        bench.context.request_task_reconfiguration()
        assert bench.turn() > 0
        assert bench.wants == [], "not beside what has not come back"
    assert bench.turn() > 0
    assert len(bench.wants) == 2


@pytest.mark.parametrize("wanted", [PAUSED, STOPPED])
def test_what_a_connector_asked_for_is_over_with_its_stop(bench: Bench, wanted: Wanted) -> None:
    run = bench.connector()
    run.begin()
    did: list[str] = []
    bench.context.request_task_reconfiguration()
    bench.context.every(5, lambda: did.append("work"))
    old = bench.context
    run.wanted = wanted
    run.retarget()
    assert [bench.turn() for _ in range(2)] == [0, 5]
    old.request_task_reconfiguration()
    assert (bench.later, bench.wants, did) == ([], [("a", 1, [{"n": "0", "color": ""}])], [])
    run.wanted = STARTED
    run.retarget()
    old.request_task_reconfiguration()
    assert (bench.later, len(bench.wants)) == ([], 2), "the new start has asked for its tasks"
    bench.context.request_task_reconfiguration()
    assert (bench.turn(), len(bench.wants)) == (0, 3)


def test_a_connector_does_its_own_work_again_and_again(bench: Bench) -> None:
    run = bench.connector()
    run.begin()
    did: list[bool] = []
    bench.context.every(5, lambda: did.append(run.is_to_run()))
    assert [bench.turn() for _ in range(3)] == [5, 5, 5]
    run.end()
    bench.turn()
    assert (did, bench.later) == ([True] * 3, [])


def boom() -> None:
    raise OSError("The folder is away")


def test_work_that_fails_is_tried_again_and_the_connector_runs(bench: Bench, caplog: pytest.LogCaptureFixture) -> None:
    bench.connector().begin()
    bench.context.every(5, boom)
    assert [bench.turn() for _ in range(2)] == [5, 5]
    assert (bench.state(), len(bench.later)) == ("RUNNING", 1)
    assert "OSError: The folder is away" in caplog.text


def test_its_own_work_is_never_done_beside_another_of_its_methods(bench: Bench) -> None:
    run = bench.connector()
    did: list[str] = []
    with bench.hanging("task_configs", run):
        bench.context.every(5, lambda: did.append("work"))
        bench.turn()
        assert did == []
    bench.turn()
    assert did == ["work"]


# --- tasks ------------------------------------------------------------------------------------------------------------


class SlowRunner(FakeRunner):
    """A task's own start is over when the test says so."""

    def start(self, spec: TaskSpec, *, started: Callable[[], None], failed: Callable[[BaseException], None]) -> FakeTask:
        self.tell_started = started
        return super().start(spec, started=lambda: None, failed=failed)


def failed_starts(bench: Bench) -> int:
    figures: dict[str, int] = bench.recorder.figures()["worker"]
    return figures["kafka_connect_connect_worker_metrics_task_startup_failure_total"]


def test_a_task_that_is_resumed_before_its_own_start_is_over_does_not_run_yet(bench: Bench) -> None:
    slow = bench.runner = SlowRunner()
    run = bench.task(PAUSED)
    run.begin()
    run.wanted = STARTED
    run.retarget()
    assert (bench.runner.running, bench.state(T0)) == ({T0: False}, "PAUSED")
    slow.tell_started()
    assert bench.state(T0) == "RUNNING"


@pytest.mark.parametrize(("wanted", "failures"), [(STARTED, 0), (PAUSED, 1)])
def test_only_a_task_whose_own_start_is_not_over_has_failed_to_start(bench: Bench, wanted: Wanted, failures: int) -> None:
    run = bench.task(wanted)
    run.begin()
    bench.runner.fail(T0, OSError("gone"))
    assert (bench.state(T0), failed_starts(bench)) == ("FAILED", failures)
