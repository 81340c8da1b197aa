"""What has become of what a cluster was asked for, as far as its states show: a decision for each look.

A restart may be over between two looks, and a task may fail again with the same words. What shows nothing counts as over after
`QUIET`; what runs again is watched for `DWELL` more, because a task may run for a moment before it fails as before.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from cli.values import Item, ItemState, Options, Ref, Verb
from connect_client import ConnectorStatus, InstanceStatus, TaskStatus
from connect_client.states import State, own_state
from connect_client.traces import root_cause

QUIET = 6.0
DWELL = 2.0
#: As long as a delayed rebalance takes: nobody waits longer.
LIMIT = 300.0
_UNDER_WAY = (State.RESTARTING, State.UNASSIGNED)
_TARGETS = {Verb.PAUSE: State.PAUSED, Verb.RESUME: State.RUNNING, Verb.STOP: State.STOPPED}
#: By task, None for the connector's own.
Instances = Mapping[int | None, InstanceStatus | TaskStatus]


@dataclass(frozen=True, slots=True)
class Asked:
    """`before`: what it was like just before. `moved`: what was seen to be otherwise since. `well_since`: since when all is."""

    ref: Ref
    verb: Verb
    options: Options
    asked_at: float
    before: Mapping[int | None, tuple[str, str]]
    moved: frozenset[int | None] = frozenset()
    well_since: float | None = None


def asked(ref: Ref, verb: Verb, options: Options, status: ConnectorStatus | None, now: float) -> Asked:
    return Asked(ref, verb, options, now, {key: _mark(one) for key, one in instances(status).items()})


def why_not(verb: Verb, options: Options, status: ConnectorStatus | None) -> Item | None:
    """What is left out, and why. None: it is asked for. As in the control room's jobs."""
    own = own_state(status.connector.state) if status else None
    ref = Ref("", status.name if status else "")
    if verb is Verb.DELETE:
        return None
    if own is None:
        return Item(ref, ItemState.LEFT_OUT, "has not told a state yet")
    if _TARGETS.get(verb) is own:
        return Item(ref, ItemState.LEFT_OUT, f"is {own.value} already", already=True)
    reason = ""
    if verb is Verb.RESTART and own is State.STOPPED:
        reason = "is stopped: resume it instead"
    elif verb is Verb.RESTART and options.only_failed and not _failed(instances(status)):
        return Item(ref, ItemState.LEFT_OUT, "has nothing that failed", already=True)
    elif verb is Verb.PAUSE and own in (State.FAILED, State.STOPPED):
        # Kafka Connect accepts both: nothing is ever seen of the one, and the other starts it.
        reason = "has failed: restart or stop it instead" if own is State.FAILED else "is stopped"
    elif verb is Verb.RESUME and own is State.FAILED:
        reason = "has failed: restart it instead"
    return Item(ref, ItemState.LEFT_OUT, reason) if reason else None


def judged(of: Asked, status: ConnectorStatus | None, now: float) -> tuple[Asked, Item]:
    """`status` is None for one that is not there."""
    if status is None:
        gone = ItemState.DONE if of.verb is Verb.DELETE else ItemState.UNKNOWN
        return of, _item(of, gone, "" if gone is ItemState.DONE else "It has been deleted meanwhile", now)
    seen = instances(status)
    moved = of.moved | {key for key, one in seen.items() if of.before.get(key) != _mark(one)}
    of = replace(of, moved=moved)
    of, item = _restart(of, seen, now) if of.verb is Verb.RESTART else _target(of, seen, now)
    if not item.state.ended and now - of.asked_at > LIMIT:
        return of, _item(of, ItemState.UNKNOWN, f"After {LIMIT / 60:g} minutes it is {status.connector.state} still", now)
    return of, item


def instances(status: ConnectorStatus | None) -> Instances:
    return {None: status.connector, **{task.id: task for task in status.tasks}} if status else {}


def cause(seen: Instances) -> str:
    """Of the first that has failed."""
    for key, one in seen.items():
        if own_state(one.state) is State.FAILED:
            told = root_cause(one.trace) or State.FAILED
            return told if key is None else f"task {key}: {told}"
    return ""


def _restart(of: Asked, every: Instances, now: float) -> tuple[Asked, Item]:
    seen: Instances = every if of.options.include_tasks else {None: every[None]}
    states = {key: own_state(one.state) for key, one in seen.items()}
    quiet = now - of.asked_at >= QUIET
    if any(state in _UNDER_WAY for state in states.values()):
        return _goes_on(of, now)
    failed = {key for key, state in states.items() if state is State.FAILED}
    if failed and (quiet or failed <= of.moved):
        return of, _item(of, ItemState.FAILED_AGAIN, cause(seen), now)
    meant = {key for key in of.before if key in seen and (not of.options.only_failed or of.before[key][0] == State.FAILED)}
    if failed or not (quiet or meant <= of.moved):
        return _goes_on(of, now)
    return _well(of, now)


def _target(of: Asked, seen: Instances, now: float) -> tuple[Asked, Item]:
    states = {key: own_state(one.state) for key, one in seen.items()}
    wanted = _TARGETS.get(of.verb)
    there = set(states.values()) == {wanted} and (of.verb is not Verb.STOP or len(states) == 1)
    if there:
        # A resumed one tells of its tasks a moment later; one that is paused or stopped is.
        return _well(of, now) if of.verb is Verb.RESUME else (of, _item(of, ItemState.DONE, "", now))
    failed = {key for key, state in states.items() if state is State.FAILED}
    if failed and wanted and (failed <= of.moved or now - of.asked_at >= QUIET) and not _still_stopping(of, seen):
        return of, _item(of, ItemState.FAILED_AGAIN, cause(seen), now)
    return _goes_on(of, now)


def _still_stopping(of: Asked, seen: Instances) -> bool:
    """A failed task goes with the others."""
    return of.verb is Verb.STOP and len(seen) > 1


def _well(of: Asked, now: float) -> tuple[Asked, Item]:
    of = replace(of, well_since=now if of.well_since is None else of.well_since)
    assert of.well_since is not None
    if now - of.well_since < DWELL:
        return of, _item(of, ItemState.UNDER_WAY, "", now)
    return of, replace(_item(of, ItemState.DONE, "", now), back_after=round(of.well_since - of.asked_at, 3))


def _goes_on(of: Asked, now: float) -> tuple[Asked, Item]:
    return replace(of, well_since=None), _item(of, ItemState.UNDER_WAY, "", now)


def _item(of: Asked, state: ItemState, cause: str, now: float) -> Item:
    return Item(of.ref, state, cause, round(now - of.asked_at, 3) if state is ItemState.DONE else None)


def _failed(seen: Instances) -> set[int | None]:
    return {key for key, one in seen.items() if own_state(one.state) is State.FAILED}


def _mark(one: InstanceStatus | TaskStatus) -> tuple[str, str]:
    return own_state(one.state).value, f"{one.worker_id} {one.trace}"
