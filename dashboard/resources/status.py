"""What is told of a resource's connectors: the status of its document, besides its conditions."""

from collections.abc import Mapping, Sequence
from typing import Any

from connect_client import ConnectorStatus
from connect_client.secrets import is_secret, scrubbed
from dashboard.models import Resource, ResourceConnector
from dashboard.resources import conditions
from dashboard.resources.conditions import Condition
from dashboard.resources.connector import Came
from dashboard.resources.spec import Wanted

Kind = Resource.Kind


def readiness(kind: str, connectors: Sequence[Wanted], came: Mapping[str, Came]) -> Condition:
    """Ready, or why not."""
    found = {one.name: came[one.name].trouble or conditions.of_connector(one, came[one.name].seen) for one in connectors}
    if kind == Kind.CONNECTOR:
        return next(iter(found.values())) or conditions.READY
    return conditions.of_mirror(found, {name: one.seen.status for name, one in came.items()}) or conditions.READY


def of(resource: Resource, came: Mapping[str, Came]) -> dict[str, Any]:
    """KafkaConnector: `connectorStatus`, `tasksMax`, `topics`. KafkaMirrorMaker2: `connectors`. `drift`: what was changed by hand
    last, and put back."""
    if not came:
        return {}
    told: dict[str, Any] = {}
    if resource.kind == Kind.CONNECTOR:
        (one,) = came.values()
        told = _connector(one)
    else:
        statuses = [plain(came[name].seen.status) for name in sorted(came)]
        told = {"connectors": [status for status in statuses if status]}
    drifts = [_drift(row) for row in resource.connectors.order_by("connector") if row.drift_at]
    return {**told, "drift": drifts} if drifts else told


def _connector(came: Came) -> dict[str, Any]:
    status, config = came.seen.status, came.seen.config or {}
    tasks = config.get("tasks.max") or ""
    told: dict[str, Any] = {"tasksMax": int(tasks) if tasks.isdecimal() else len(status.tasks) if status else 0}
    if status:
        told["connectorStatus"] = plain(status, [value for key, value in config.items() if value and is_secret(key, value)])
        told["topics"] = list(came.topics)
    return told


def plain(status: ConnectorStatus | None, secrets: Sequence[str] = ()) -> dict[str, Any]:
    """As the cluster told it, without what it left out, and without secrets in its traces."""
    if status is None:
        return {}

    def instance(told: dict[str, Any]) -> dict[str, Any]:
        found = {key: value for key, value in told.items() if value is not None}
        return {**found, "trace": scrubbed(found["trace"], secrets)} if "trace" in found else found

    told = status.to_json()
    own, tasks = instance(told["connector"]), [instance(task) for task in told["tasks"]]
    return {"name": status.name, "connector": own, "tasks": tasks} | ({"type": status.type} if status.type else {})


def _drift(row: ResourceConnector) -> dict[str, Any]:
    assert row.drift_at
    return {"connector": row.connector, "lastHealedTime": conditions.moment(row.drift_at), "keys": row.drift_keys}
