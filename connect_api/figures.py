"""What `/metrics` says: statuses from this process's own snapshot, everything else as the workers have sent it. Pure."""

from collections import Counter
from collections.abc import Mapping
from typing import Any

import orjson

from connect_api.exposition import Page, labels
from workers.herder.interface import View
from workers.herder.states import State
from workers.metrics import catalogue
from workers.metrics.catalogue import Metric

#: KIP-745's values, and STOPPED.
STATUSES = {state: str(state).lower() for state in State}


def text(view: View, heard: Mapping[str, bytes | None]) -> bytes:
    """`heard` holds each member's newest figures as it sent them; None for one that is silent."""
    page = Page()
    for name in view.infos:
        _connector(page, view, name)
    for worker, sent in heard.items():
        page.add(catalogue.UP, labels({"worker": worker}), int(sent is not None))
    for worker, sent in heard.items():
        if sent is not None:
            _worker(page, worker, orjson.loads(sent))
    return page.text()


# --- the snapshot -------------------------------------------------------------------------------------------------------


def _connector(page: Page, view: View, name: str) -> None:
    own, tasks = _states(view, name)
    _one_hot(page, catalogue.CONNECTOR_STATUS, {"connector": name}, own)
    for number, state in tasks.items():
        _one_hot(page, catalogue.TASK_STATUS, {"connector": name, "task": str(number)}, state)
    counts = Counter(STATUSES[state] for state in tasks.values())
    counts["total"] = len(tasks)
    named = labels({"connector": name})
    for counted, metric in catalogue.TASK_COUNTS.items():
        page.add(metric, named, counts[counted])


def _states(view: View, name: str) -> tuple[State, dict[int, State]]:
    """The connector's and its tasks'. What is to run and has not said anything yet is nobody's."""
    status = view.statuses.get(name)
    tasks = {task.task: State.UNASSIGNED for task in view.infos[name].tasks}
    if status is None:
        return State.UNASSIGNED, tasks
    return status.connector.state, tasks | {number: task.state for number, task in status.tasks.items()}


def _one_hot(page: Page, metric: Metric, named: dict[str, str], current: State) -> None:
    beginning = labels(named).removesuffix("}")
    for state, status in STATUSES.items():
        page.add(metric, f'{beginning},status="{status}"}}', int(state is current))


# --- the workers --------------------------------------------------------------------------------------------------------


def _worker(page: Page, worker: str, figures: Mapping[str, Any]) -> None:
    named = labels({"worker": worker})
    for name, value in figures["worker"].items():
        _sent(page, name, named, value)
    if figures["leader"] is not None:
        page.add(catalogue.LEADER, labels({"worker": worker, "leader_name": figures["leader"]}), 1)
    for table in figures["tasks"]:
        for connector, number, *values in table["rows"]:
            named = labels({"worker": worker, "connector": connector, "task": str(number)})
            for name, value in zip(table["columns"], values, strict=True):
                _sent(page, name, named, value)


def _sent(page: Page, name: str, named: str, value: float | None) -> None:
    metric = catalogue.SENT.get(name)
    # A worker of a newer version may send what is not known here yet.
    if metric is not None and value is not None:
        page.add(metric, named, value)
