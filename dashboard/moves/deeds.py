"""What each step asks a cluster for, where its look has found that it has to."""

from collections.abc import Callable
from dataclasses import dataclass

from dashboard.models import Move
from dashboard.moves import carried, decide
from dashboard.moves.decide import Offsets, Where
from dashboard.moves.place import Place
from dashboard.moves.plan import Step

_PAUSED = "PAUSED"
_AT_SOURCE = (Step.STOP, Step.DELETE, Step.WRITE_BACK, Step.RESTORE)


@dataclass(frozen=True, slots=True)
class Deed:
    """`verb`: as it is noted."""

    verb: str
    where: Where
    ask: Callable[[], object]


def deed(move: Move, step: Step, found: Offsets | None, *, stop: bool) -> Deed:
    """`found`: the offsets that are to be changed. `stop`: not what the step is named after, but this first."""
    place = carried.old(move) if step in _AT_SOURCE else carried.new(move)
    verb, ask = ("stop", lambda: place.client.stop(place.where.name)) if stop else _asks(move, step, place, found or ())
    return Deed(verb, place.where, ask)


def _asks(move: Move, step: Step, place: Place, found: Offsets) -> tuple[str, Callable[[], object]]:
    client, name = place.client, place.where.name
    match step:
        case Step.STOP | Step.STOP_NEW:
            return "stop", lambda: client.stop(name)
        case Step.CREATE:
            return "create", lambda: _create(move, place)
        case Step.WRITE | Step.WRITE_BACK:
            wanted = carried.offsets(move.offsets if step is Step.WRITE else move.offsets_back) or ()
            return "offsets", lambda: place.alter(decide.differing(found, wanted))
        case Step.DELETE | Step.REMOVE:
            return "delete", lambda: client.delete(name)
        case Step.RESTORE if move.former_state == _PAUSED:
            return "pause", lambda: client.pause(name)
        case Step.START | Step.RESTORE:
            return "resume", lambda: client.resume(name)
    raise AssertionError(f"{step} asks for nothing")


def _create(move: Move, place: Place) -> None:
    config = {key: value for key, value in carried.config(move).items() if value is not None}
    unsafe = carried.options(move).unsafe_create
    place.client.create(place.where.name, config, initial_state=None if unsafe else "STOPPED")
