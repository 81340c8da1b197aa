"""Each step looks at what is there, and says whether that is what it wants, what to ask for, or what to wait for.

So nothing is done twice: after a look that finds it done, by whoever, it is not asked for again.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from connect_client import ConnectorStatus, InstanceStatus, PartitionOffset, TaskStatus
from connect_client.traces import root_cause
from dashboard.fleet.sentence import count
from dashboard.moves.plan import Mode
from dashboard.offsets import changes
from dashboard.offsets.changes import Change

STOPPED, RUNNING, FAILED = "STOPPED", "RUNNING", "FAILED"
_NAMED = 3
# A connector may have nothing to do; it is not waited for forever.
NO_TASKS_AFTER = 30.0

Config = Mapping[str, str | None]
Offsets = tuple[PartitionOffset, ...]


@dataclass(frozen=True, slots=True)
class Reached:
    """It is as it should be."""

    detail: str = ""


@dataclass(frozen=True, slots=True)
class Ask:
    """It is not, and has to be asked for. `why`: what is waited for afterwards."""

    why: str
    #: Not what the step is named after, but this first: the new connector is to be stopped.
    stop: bool = False


@dataclass(frozen=True, slots=True)
class Wait:
    why: str


@dataclass(frozen=True, slots=True)
class Failed:
    cause: str


Decision = Reached | Ask | Wait | Failed


@dataclass(frozen=True, slots=True)
class Where:
    """A connector's name and its cluster's."""

    cluster: str
    name: str

    def __str__(self) -> str:
        return f"{self.name} in {self.cluster}"


def check(
    source: Where, expected: Config, found: Config | None, status: ConnectorStatus | None, target: Where, *, taken: bool
) -> Decision:
    """Once more, when the move begins: what was checked before may be long ago."""
    if found is None:
        return Failed(f"There is no {source} any more.")
    if dict(found) != dict(expected):
        return Failed(f"The config of {source} has been changed since this move was asked for. Ask for it again.")
    if taken:
        return Failed(f"There is {target} by now. Choose another name, or delete that one first.")
    if status is None:
        return Wait(f"The state of {source} is not told yet.")
    return Reached(f"{source} is {status.connector.state} with {count(len(status.tasks), 'task')}; the name is free there.")


def stop(where: Where, status: ConnectorStatus | None) -> Decision:
    if status is None:
        return Failed(f"There is no {where} any more.")
    if status.connector.state != STOPPED:
        return Ask(f"{where} is {status.connector.state}.")
    if status.tasks:
        return Wait(f"{count(len(status.tasks), 'task')} of {where} still to end.")
    return Reached("STOPPED, no tasks are left.")


def read(found: Offsets, same_for: float, quiet: float, mode: Mode) -> Decision:
    """Where tasks ran on several workers of Kafka Connect, they may be gone from the status a moment before they are: offsets are
    taken when they have not changed for `quiet` seconds. `same_for`: for how long they have not."""
    told = count(len(standing(found)), "partition")
    if mode is Mode.COPY:
        return Reached(f"{told}, as of this moment: the source goes on.")
    if same_for < quiet:
        return Wait(f"Offsets are taken when they have not changed for {quiet:g} s.")
    return Reached(told)


def create(
    where: Where, config: Config, found: Config | None, status: ConnectorStatus | None, *, asked: bool, unsafe: bool
) -> Decision:
    """`asked`: this move has asked for it before; only then may what is there be its own."""
    if found is None:
        return Ask(f"{where} is not there yet.")
    if not asked:
        return Failed(f"There is {where} already. It was not touched.")
    if not same(found, config, where.name):
        return Failed(f"There is {where} with another config, which is not of this move. It was not touched.")
    if status is None:
        return Wait(f"{where} has no state yet.")
    if status.connector.state != STOPPED:
        waiting = f"{where} is {status.connector.state}, and is to be STOPPED."
        return Ask(waiting, stop=True) if unsafe else Wait(waiting)
    if status.tasks:
        return Wait(f"{count(len(status.tasks), 'task')} of {where} still to end.")
    return Reached("It is there, STOPPED.")


def write(found: Offsets, wanted: Offsets) -> Decision:
    """Every partition as it was read, and no others: those of a former connector of that name."""
    different = differing(found, wanted)
    if not different:
        return Reached(f"Read back: {count(len(standing(wanted)), 'partition')}, the same.")
    return Ask(f"The cluster tells other offsets than were read: {named(different)}.")


def start(old: Where | None, old_status: ConnectorStatus | None, new: Where, new_status: ConnectorStatus | None) -> Decision:
    """`old`: what has to stand still meanwhile, if anything has."""
    if old is not None and old_status is not None and not at_rest(old_status):
        return Failed(f"Somebody has started {old} again. {new} was not started: both would read the same.")
    if new_status is None:
        return Failed(f"There is no {new} any more.")
    if new_status.connector.state == STOPPED:
        return Ask(f"{new} is STOPPED.")
    return Reached(f"It is {new_status.connector.state}.")


def watch(where: Where, status: ConnectorStatus | None, steady_for: float, seconds: float) -> Decision:
    """`steady_for`: for how long everything of it has been RUNNING."""
    if status is None:
        return Failed(f"There is no {where} any more.")
    if cause := failure(status):
        return Failed(f"{where} has FAILED: {cause}")
    if not all_running(status):
        running = sum(task.state == RUNNING for task in status.tasks)
        return Wait(f"{where} is {status.connector.state}, {running} of {count(len(status.tasks), 'task')} RUNNING.")
    needed = seconds if status.tasks else max(NO_TASKS_AFTER, seconds)
    if steady_for < needed:
        return Wait(f"RUNNING for {steady_for:.0f} of {needed:g} s.")
    return Reached(f"RUNNING for {needed:g} s with {count(len(status.tasks), 'task')}.")


def delete(where: Where, status: ConnectorStatus | None, *, asked: bool) -> Decision:
    if status is None:
        return Reached("Deleted." if asked else "It was gone already.")
    if not at_rest(status):
        return Failed(f"Somebody has started {where} again. It was not deleted.")
    return Ask(f"{where} is still there.")


def remove(where: Where, config: Config, found: Config | None, *, made: bool) -> Decision:
    """`made`: it was seen to be there as this move has made it."""
    if found is None:
        return Reached("It is not there.")
    if same(found, config, where.name):
        return Ask(f"{where} is still there.")
    if made:
        return Failed(f"The config of {where} has been changed since. Delete it yourself, then put back again.")
    return Reached(f"Left alone: {where} is not of this move.")


def gone(where: Where, status: ConnectorStatus | None) -> Decision:
    """A connector that is to be stopped in order to be deleted. One that somebody has deleted meanwhile needs neither."""
    return Reached("It is not there any more.") if status is None else stop(where, status)


def write_back(where: Where, found: Offsets, wanted: Offsets | None) -> Decision:
    """`wanted` is None where there is nobody left to tell."""
    return Reached(f"{where} goes on where it was stopped.") if wanted is None else write(found, wanted)


def restore(where: Where, status: ConnectorStatus | None, former: str) -> Decision:
    if status is None:
        return Failed(f"There is no {where} any more. Its config is in the history of configs.")
    if former == STOPPED:
        return Reached("It was STOPPED before, and stays so.")
    if status.connector.state == STOPPED:
        return Ask(f"{where} is STOPPED.")
    return Reached(f"It is {status.connector.state}.")


# --- values -----------------------------------------------------------------------------------------------------------


def at_rest(status: ConnectorStatus) -> bool:
    return status.connector.state == STOPPED and not status.tasks


def all_running(status: ConnectorStatus) -> bool:
    return status.connector.state == RUNNING and all(task.state == RUNNING for task in status.tasks)


def failure(status: ConnectorStatus) -> str:
    """The first one's root cause; empty where nothing has failed."""
    instances: tuple[InstanceStatus | TaskStatus, ...] = (status.connector, *status.tasks)
    return next((root_cause(one.trace) or "it does not say why" for one in instances if one.state == FAILED), "")


def same(found: Config, wanted: Config, name: str) -> bool:
    """Kafka Connect adds the name where it is missing."""
    return dict(found) == {**wanted, "name": name}


def standing(offsets: Iterable[PartitionOffset]) -> Offsets:
    """A partition without an offset is the same as none."""
    return tuple(at for at in offsets if at.offset is not None)


def differing(found: Offsets, wanted: Offsets) -> tuple[Change, ...]:
    """What has to be written so that `found` is `wanted`."""
    return changes.moved(standing(found), standing(wanted))


def named(different: tuple[Change, ...]) -> str:
    some = ", ".join(f"{one.name} at {one.was or 'none'} in place of {one.becomes or 'none'}" for one in different[:_NAMED])
    return some if len(different) <= _NAMED else f"{some} and {len(different) - _NAMED} more"
