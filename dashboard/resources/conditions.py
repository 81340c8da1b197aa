"""What is told of a document: conditions in Strimzi's words, and the status that holds them."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from connect_client import ConnectError, ConnectorStatus, ConnectRefused, ConnectUnreachable, ConnectUnusable, calls
from connect_client.calls import Call
from dashboard.resources import decide
from dashboard.resources.decide import Seen
from dashboard.resources.spec import Remark, Wanted

NO_LABEL = "Resource lacks label 'strimzi.io/cluster': No connect cluster in which to create this connector."
_NO_CLUSTER = "KafkaConnect resource '{}' identified by label 'strimzi.io/cluster' does not exist in namespace {}."
_NO_STATUS = "GET {} returned 404 (404): No status found for connector {}"
_FAILED = "Connector has failed, see connectorStatus for more details."
_TASKS_FAILED = "The following tasks have failed: {}, see connectorStatus for more details."


@dataclass(frozen=True, slots=True)
class Condition:
    """`type` is Ready, NotReady, Warning or ReconciliationPaused; each is there because it is so."""

    type: str
    reason: str = ""
    message: str = ""


READY = Condition("Ready")
PAUSED = Condition("ReconciliationPaused")


def not_ready(reason: str, message: str) -> Condition:
    return Condition("NotReady", reason, message)


def no_label() -> Condition:
    return not_ready("InvalidResourceException", NO_LABEL)


def no_cluster(name: str, namespace: str) -> Condition:
    return not_ready("NoSuchResourceException", _NO_CLUSTER.format(name, namespace or "default"))


def taken(connector: str, cluster: str, by: str) -> Condition:
    return not_ready("InvalidResourceException", f"Connector {connector} of cluster {cluster} belongs to {by}.")


def warning(remark: Remark) -> Condition:
    return Condition("Warning", remark.reason, remark.message)


def said(error: ConnectError, call: Call | None = None) -> str:
    """What a cluster said, as Strimzi tells it."""
    if isinstance(error, ConnectRefused) and call:
        return f"{call.method} {call.path} returned {error.status} ({error.status}): {error.message}"
    return str(error)


def trouble(error: ConnectError, call: Call | None = None) -> Condition:
    unreachable = isinstance(error, ConnectUnreachable | ConnectUnusable)
    return not_ready("ConnectTimeoutException" if unreachable else "ConnectRestException", said(error, call))


def of_connector(wanted: Wanted, seen: Seen) -> Condition | None:
    """Why it is not ready; None: it is."""
    status = seen.status
    if impossible := decide.impossible(wanted.name, status, wanted.state):
        return not_ready("NoStackTraceThrowable", impossible)
    if status is None:
        return not_ready("ConnectRestException", _NO_STATUS.format(calls.status(wanted.name).path, wanted.name))
    if status.connector.state == "FAILED":
        return not_ready("Throwable", _FAILED)
    failed = [str(task.id) for task in status.tasks if task.state == "FAILED"]
    return not_ready("Throwable", _TASKS_FAILED.format(", ".join(failed))) if failed else None


def of_mirror(found: Mapping[str, Condition | None], statuses: Mapping[str, ConnectorStatus | None]) -> Condition | None:
    """Strimzi's sentence where connectors have failed; one for each where something else is wrong, failed tasks too."""
    if any(status and status.connector.state == "FAILED" for status in statuses.values()):
        return not_ready("Throwable", "One or more connectors are in FAILED state")
    wrong = {name: condition for name, condition in found.items() if condition}
    if not wrong:
        return None
    first = next(iter(wrong.values()))
    return not_ready(first.reason, " ".join(f"{name}: {condition.message}" for name, condition in wrong.items()))


def told(conditions: Iterable[Condition], before: Sequence[Mapping[str, Any]], now: datetime) -> list[dict[str, Any]]:
    """As in a document. One that was there keeps the time when it became so."""
    since = {_key(one): one["lastTransitionTime"] for one in before}
    lines = []
    for condition in conditions:
        line: dict[str, Any] = {"type": condition.type, "status": "True"}
        line |= {name: text for name, text in (("reason", condition.reason), ("message", condition.message)) if text}
        lines.append({**line, "lastTransitionTime": since.get(_key(line), moment(now))})
    return lines


def moment(at: datetime) -> str:
    """As Strimzi writes them."""
    return at.strftime("%Y-%m-%dT%H:%M:%S.") + f"{at.microsecond // 1000:03}Z"


def _key(line: Mapping[str, Any]) -> tuple[Any, ...]:
    return line["type"], line.get("reason"), line.get("message")
