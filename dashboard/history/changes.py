"""What is different between two statuses of a connector, instance by instance. Decisions over values."""

from collections.abc import Iterator
from dataclasses import dataclass

from connect_client import ConnectorStatus, InstanceStatus, TaskStatus

_FAILED = "FAILED"
_Told = InstanceStatus | TaskStatus


@dataclass(frozen=True, slots=True)
class Change:
    """`task` None is the connector instance. `was` is empty for one that has appeared, `state` for one that is gone. `trace` goes
    with a failure only: a restarting task still carries that of the failure before."""

    task: int | None
    was: str
    state: str
    worker: str
    trace: str = ""


def changes(before: ConnectorStatus | None, after: ConnectorStatus | None) -> tuple[Change, ...]:
    """The connector instance first, then its tasks by id. A failure that has another trace than before is a new one."""
    was, now = _instances(before), _instances(after)
    ids = sorted(was.keys() | now.keys(), key=lambda task: -1 if task is None else task)
    return tuple(change for task in ids for change in _change(task, was.get(task), now.get(task)))


def _instances(status: ConnectorStatus | None) -> dict[int | None, _Told]:
    return {None: status.connector, **{task.id: task for task in status.tasks}} if status else {}


def _change(task: int | None, was: _Told | None, now: _Told | None) -> Iterator[Change]:
    if now is None:
        if was is not None:
            yield Change(task, was.state, "", was.worker_id)
        return
    trace = (now.trace or "") if now.state == _FAILED else ""
    before = was.state if was else ""
    failed_anew = before == now.state == _FAILED and was is not None and (was.trace or "") != trace
    if before != now.state or failed_anew:
        yield Change(task, before, now.state, now.worker_id, trace)
