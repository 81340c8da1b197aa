"""What the control room does to connectors. Each function asks the cluster, and notes what it answered and who asked.

Whether they may is asked before (`dashboard.rights`).
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any

from connect_client import ConnectError, ConnectorStatus
from connect_client.features import Feature, supports
from connect_client.states import State, overall_state
from dashboard.activity import Who, note
from dashboard.clusters import client, version
from dashboard.fleet.verbs import Verb
from dashboard.live.messages import Entry, connectors_changed, entry
from dashboard.live.publisher import publisher
from dashboard.models import ConnectorSnapshot
from dashboard.restarting.rearm import rearm


@dataclass(frozen=True, slots=True)
class Answered:
    """A restart that a cluster took on: what it said, and when it was asked."""

    snapshot: ConnectorSnapshot
    status: ConnectorStatus
    asked_at: datetime


def do(snapshot: ConnectorSnapshot, verb: Verb, who: Who) -> None:
    """One verb to one connector. Raises ConnectError; then nothing was changed here."""
    to = client(snapshot.cluster)
    with noted(who, verb, snapshot):
        match verb:
            case Verb.RESTART | Verb.RESTART_FAILED:
                note_restarts([_restart(snapshot, only_failed=verb is Verb.RESTART_FAILED)])
                rearm(snapshot.cluster_id, [snapshot.name], _now())
            case Verb.PAUSE:
                to.pause(snapshot.name)
            case Verb.RESUME:
                to.resume(snapshot.name)
            case Verb.STOP:
                to.stop(snapshot.name)


def restart_task(snapshot: ConnectorSnapshot, task: int, who: Who) -> None:
    """Connect answers this with nothing, so what is noted is what was last seen, with RESTARTING for the one task. Raises
    ConnectError."""
    asked_at = _now()
    with noted(who, Verb.RESTART, snapshot, task):
        client(snapshot.cluster).restart_task(snapshot.name, task)
        rearm(snapshot.cluster_id, [snapshot.name], _now())
    if snapshot.status:
        note_restarts([Answered(snapshot, _with_task_restarting(snapshot.status, task), asked_at)])


@contextmanager
def noted(who: Who, verb: str, snapshot: ConnectorSnapshot, task: int | None = None) -> Iterator[None]:
    """What is done within goes down as an activity, done or refused."""
    refused = ""
    try:
        yield
    except ConnectError as error:
        refused = str(error)
        raise
    finally:
        note(who, verb, cluster=snapshot.cluster.name, connector=snapshot.name, task=task, refused=refused)


def _restart(snapshot: ConnectorSnapshot, *, only_failed: bool) -> Answered:
    asked_at = _now()
    in_one_call = supports(version(snapshot.cluster), Feature.RESTART_IN_ONE_CALL)
    to = client(snapshot.cluster)
    return Answered(snapshot, to.restart(snapshot.name, only_failed=only_failed, in_one_call=in_one_call), asked_at)


def note_restarts(answers: Iterable[Answered]) -> None:
    """Beside what the follower writes, in columns of its own: see `dashboard.fleet.overlay`."""
    restarting = [answer for answer in answers if overall_state(answer.status) is State.RESTARTING]
    now = _now()
    by_cluster: defaultdict[str, list[Entry]] = defaultdict(list)
    for answer in restarting:
        snapshot = answer.snapshot
        snapshot.restart_asked_at, snapshot.restart_answered_at = answer.asked_at, now
        snapshot.restart_answer = answer.status.to_json()
        by_cluster[snapshot.cluster.name].append(entry(snapshot.name, State.RESTARTING, answer.asked_at, answer.status))
    columns = ("restart_asked_at", "restart_answered_at", "restart_answer")
    ConnectorSnapshot.objects.bulk_update([answer.snapshot for answer in restarting], columns, 200)
    for cluster, entries in by_cluster.items():
        publisher().publish(connectors_changed(cluster, entries))


def _with_task_restarting(status: dict[str, Any], task: int) -> ConnectorStatus:
    seen = ConnectorStatus.from_json(status)
    tasks = tuple(replace(one, state=State.RESTARTING) if one.id == task else one for one in seen.tasks)
    return replace(seen, tasks=tasks)


def _now() -> datetime:
    return datetime.now(UTC)
