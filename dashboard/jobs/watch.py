"""What has become of what a cluster took on, as far as its follower has seen: a decision for each round.

A restart may be over between two looks of a follower that polls, and a task that fails again does so with the same words. So what
shows nothing is believed to be over when the cluster was read anew some seconds later (`QUIET`); what is seen to move is known at
once. What runs again is watched a moment longer (`DWELL`): a task may run for some milliseconds before it fails as before.
"""

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import Any

from connect_client import ConnectorStatus, InstanceStatus, TaskStatus
from connect_client.states import State, own_state
from connect_client.traces import root_cause
from dashboard.fleet.overlay import PATIENCE
from dashboard.jobs.verbs import JobVerb, What

QUIET = PATIENCE
DWELL = timedelta(seconds=2)
# Nobody waits longer than a delayed rebalance takes, and not for a cluster that is not coming back.
LIMIT = timedelta(minutes=5)
DEAD_LIMIT = timedelta(seconds=60)
_UNDER_WAY = (State.RESTARTING, State.UNASSIGNED)

Instances = Mapping[str, InstanceStatus | TaskStatus]


@dataclass(frozen=True, slots=True)
class Sight:
    """A connector as it was last seen. `status` None and `there`: it has told none yet. `fetched_at`: when its cluster's list was
    last known to be right; `dead_since`: since when the cluster cannot be reached."""

    there: bool
    status: ConnectorStatus | None = None
    changed_at: datetime | None = None
    fetched_at: datetime | None = None
    dead_since: datetime | None = None


@dataclass(frozen=True, slots=True)
class Progress:
    """By instance, `""` for the connector's own and a task's id for a task's: `before`, a mark of what it was like when it was
    asked for, and `states`, what it is in by now. `moved`: the instances that were seen to be otherwise since. `answered_at`:
    when the cluster took it on, which a busy one does when it comes to it.

    `back_after`: seconds until everything was where it should be. `asked`: tasks that were asked for one by one.
    """

    before: Mapping[str, str] = field(default_factory=dict)
    states: Mapping[str, str] = field(default_factory=dict)
    moved: frozenset[str] = frozenset()
    asked: tuple[int, ...] = ()
    back_after: float | None = None
    answered_at: datetime | None = None
    lost: bool = False

    @classmethod
    def from_json(cls, told: Mapping[str, Any]) -> "Progress":
        return cls(
            told.get("before", {}),
            told.get("states", {}),
            frozenset(told.get("moved", ())),
            tuple(told.get("asked", ())),
            told.get("back_after"),
            datetime.fromisoformat(told["answered_at"]) if told.get("answered_at") else None,
            told.get("lost", False),
        )

    def to_json(self) -> dict[str, Any]:
        return {
            "before": dict(self.before),
            "states": dict(self.states),
            "moved": sorted(self.moved),
            "asked": list(self.asked),
            "back_after": self.back_after,
            "answered_at": self.answered_at.isoformat() if self.answered_at else None,
            "lost": self.lost,
        }


@dataclass(frozen=True, slots=True)
class UnderWay:
    progress: Progress


@dataclass(frozen=True, slots=True)
class Done:
    progress: Progress


@dataclass(frozen=True, slots=True)
class FailedAgain:
    progress: Progress
    cause: str


@dataclass(frozen=True, slots=True)
class NotKnown:
    progress: Progress
    cause: str


Judgement = UnderWay | Done | FailedAgain | NotKnown


def begun(what: What, status: ConnectorStatus | None, asked: tuple[int, ...] = ()) -> Progress:
    """Just before it is asked for. `asked`: the tasks that an earlier try has asked for."""
    return Progress(before={key: mark(instance) for key, instance in _instances(what, status).items()}, asked=asked)


def judged(verb: JobVerb, what: What, asked_at: datetime, progress: Progress, sight: Sight, now: datetime) -> Judgement:
    if not sight.there:
        return Done(progress) if verb is JobVerb.DELETE else NotKnown(progress, "It has been deleted meanwhile")
    judgement = _judged(verb, what, asked_at, progress, sight, now)
    if not isinstance(judgement, UnderWay):
        return judgement
    if sight.dead_since is not None and now - max(sight.dead_since, asked_at) > DEAD_LIMIT:
        return NotKnown(judgement.progress, "Its cluster was asked for it and cannot be reached any more")
    if now - asked_at > LIMIT:
        state = sight.status.connector.state if sight.status else "without a state"
        return NotKnown(judgement.progress, f"Asked for, and after {LIMIT.seconds // 60} minutes it is {state} still")
    return judgement


def _judged(verb: JobVerb, what: What, asked_at: datetime, progress: Progress, sight: Sight, now: datetime) -> Judgement:
    if verb is JobVerb.DELETE or sight.status is None:
        return UnderWay(progress)
    if verb is JobVerb.RESTART:
        return _restart(what, asked_at, progress, sight, sight.status, now)
    return _target(verb, asked_at, progress, sight, sight.status, now)


def _restart(
    what: What, asked_at: datetime, progress: Progress, sight: Sight, status: ConnectorStatus, now: datetime
) -> Judgement:
    instances = _instances(what, status)
    progress = _looked(progress, instances)
    states = {key: own_state(instance.state) for key, instance in instances.items()}
    if any(state in _UNDER_WAY for state in states.values()):
        return UnderWay(replace(progress, back_after=None))
    failed = [key for key, state in states.items() if state is State.FAILED]
    still = [key for key in states if key not in progress.moved]
    if still and not _quiet(progress.answered_at or asked_at, sight):
        return UnderWay(progress)
    if failed:
        return FailedAgain(replace(progress, back_after=None), cause(instances, failed))
    if still and progress.lost:
        return NotKnown(progress, "The answer was lost, and nothing was seen to restart")
    if still:
        # Too quick to be seen.
        return Done(progress)
    return _stays(asked_at, progress, sight, now)


def _target(
    verb: JobVerb, asked_at: datetime, progress: Progress, sight: Sight, status: ConnectorStatus, now: datetime
) -> Judgement:
    instances = _instances(What(True, tuple(task.id for task in status.tasks)), status)
    progress = replace(progress, states={key: instance.state for key, instance in instances.items()})
    own, *tasks = (own_state(instance.state) for instance in instances.values())
    match verb:
        case JobVerb.STOP:
            return Done(progress) if own is State.STOPPED and not tasks else UnderWay(progress)
        case JobVerb.PAUSE:
            over = own is State.PAUSED and not {State.RUNNING, *_UNDER_WAY}.intersection(tasks)
            return Done(progress) if over else UnderWay(progress)
        case _:
            if own in (State.PAUSED, State.STOPPED) or {State.PAUSED, *_UNDER_WAY}.intersection((own, *tasks)):
                return UnderWay(replace(progress, back_after=None))
            failed = [key for key, instance in instances.items() if own_state(instance.state) is State.FAILED]
            return FailedAgain(progress, cause(instances, failed)) if failed else _stays(asked_at, progress, sight, now)


def _stays(asked_at: datetime, progress: Progress, sight: Sight, now: datetime) -> Judgement:
    since = max(asked_at, sight.changed_at) if sight.changed_at else asked_at
    if progress.back_after is None:
        progress = replace(progress, back_after=round((since - asked_at).total_seconds(), 1))
    over = now - since >= DWELL and sight.dead_since is None
    return Done(progress) if over else UnderWay(progress)


def _looked(progress: Progress, instances: Instances) -> Progress:
    moved = {key for key, instance in instances.items() if progress.before.get(key) != mark(instance)}
    states = {key: instance.state for key, instance in instances.items()}
    return replace(progress, states=states, moved=progress.moved | moved)


def _quiet(answered_at: datetime, sight: Sight) -> bool:
    since = max(answered_at, sight.changed_at) if sight.changed_at else answered_at
    return sight.fetched_at is not None and sight.fetched_at - since >= QUIET


def mark(instance: InstanceStatus | TaskStatus) -> str:
    """Two that differ have different marks."""
    told = "\0".join((instance.state, instance.worker_id, instance.trace or ""))
    return hashlib.sha256(told.encode(errors="surrogatepass")).hexdigest()[:16]


def cause(instances: Instances, failed: Iterable[str]) -> str:
    """The root cause of the first of them that tells one, the connector's own before its tasks'."""
    for key in failed:
        text = root_cause(instances[key].trace)
        if text:
            return text if not key or len(instances) == 1 else f"task {key}: {text}"
    return "It failed, and told no cause"


def _instances(what: What, status: ConnectorStatus | None) -> Instances:
    if status is None:
        return {}
    own: dict[str, InstanceStatus | TaskStatus] = {"": status.connector} if what.connector else {}
    return own | {str(task.id): task for task in status.tasks if task.id in what.tasks}
