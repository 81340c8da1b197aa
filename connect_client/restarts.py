"""Restarting a connector where KIP-745 is not known (before 3.0): each instance by a request of its own."""

from collections.abc import Iterable
from dataclasses import replace

from connect_client.shapes import ConnectorStatus, Instance

_FAILED, _RESTARTING = "FAILED", "RESTARTING"


def one_by_one(status: ConnectorStatus, *, only_failed: bool) -> list[Instance]:
    """The connector instance first: its restart may give its tasks other configs."""
    tasks = [Instance(status.name, task.id) for task in status.tasks if not only_failed or task.state == _FAILED]
    own = [] if only_failed and status.connector.state != _FAILED else [Instance(status.name, None)]
    return [*own, *tasks]


def with_restarting(status: ConnectorStatus, instances: Iterable[Instance]) -> ConnectorStatus:
    """What a server that knows KIP-745 would have answered."""
    asked = {instance.task for instance in instances}
    tasks = tuple(replace(task, state=_RESTARTING) if task.id in asked else task for task in status.tasks)
    own = replace(status.connector, state=_RESTARTING) if None in asked else status.connector
    return replace(status, connector=own, tasks=tasks)
