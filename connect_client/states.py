"""One honest state per connector. Connect reports RUNNING for a connector whose every task has failed."""

from enum import StrEnum

from connect_client.shapes import ConnectorStatus


class State(StrEnum):
    """In the order in which a person wants to see them."""

    FAILED = "FAILED"
    DEGRADED = "DEGRADED"
    RESTARTING = "RESTARTING"
    PAUSED = "PAUSED"
    STOPPED = "STOPPED"
    UNASSIGNED = "UNASSIGNED"
    RUNNING = "RUNNING"

    @property
    def rank(self) -> int:
        return _RANKS[self]


_RANKS = {state: rank for rank, state in enumerate(State)}
_OWN = {State.PAUSED, State.STOPPED, State.RUNNING}


def own_state(word: str) -> State:
    """The state of a connector instance or a task. A word that nobody knows yet is shown as waiting, not as healthy."""
    try:
        return State(word)
    except ValueError:
        return State.UNASSIGNED


def overall_state(status: ConnectorStatus | None) -> State:
    """RESTARTING while anything is; FAILED if the connector or all of its tasks are; DEGRADED if only some tasks are."""
    if status is None:
        return State.UNASSIGNED
    connector = own_state(status.connector.state)
    tasks = [own_state(task.state) for task in status.tasks]
    if State.RESTARTING in (connector, *tasks):
        return State.RESTARTING
    failed = tasks.count(State.FAILED)
    if connector is State.FAILED or (failed and failed == len(tasks)):
        return State.FAILED
    if failed:
        return State.DEGRADED
    if connector in _OWN and State.UNASSIGNED not in tasks:
        return connector
    return State.UNASSIGNED


def connector_failed(status: ConnectorStatus | None) -> bool:
    return status is not None and own_state(status.connector.state) is State.FAILED


def tasks_failed(status: ConnectorStatus | None) -> int:
    return 0 if status is None else sum(own_state(task.state) is State.FAILED for task in status.tasks)


def failures(status: ConnectorStatus | None) -> int:
    """How many a restart of everything failed would restart: failed tasks, and the connector instance itself if it failed."""
    return tasks_failed(status) + connector_failed(status)
