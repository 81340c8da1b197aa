"""What happened to a connector and what was done to it, as one list. Decisions over values."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import groupby


@dataclass(frozen=True, slots=True)
class Turned:
    """Instances of it went from one state to another at one moment; `tasks` None is the connector instance."""

    at: datetime
    tasks: tuple[int, ...] | None
    was: str
    state: str
    cause: str = ""
    worker: str = ""

    @property
    def which(self) -> str:
        return "connector" if self.tasks is None else f"task{'s' if len(self.tasks) > 1 else ''} {spans(self.tasks)}"


@dataclass(frozen=True, slots=True)
class Done:
    """Somebody did something. `verb` in words; `refused`: why it was not done, or what is not known of it."""

    at: datetime
    by: str
    via: str
    verb: str
    task: int | None = None
    job: int | None = None
    outcome: str = "done"
    message: str = ""


Event = Turned | Done


@dataclass(frozen=True, slots=True)
class Some:
    """The newest of a source, newest first; `floor`: there are older ones, and all from this moment on are here."""

    events: Sequence[Event]
    floor: datetime | None = None


@dataclass(frozen=True, slots=True)
class EventsPage:
    """`next`: the moment to go on before; None at the end."""

    events: tuple[Event, ...]
    next: datetime | None
    first: bool


def interleaved(sources: Iterable[Some], *, first: bool) -> EventsPage:
    """Newest first, down to where all of the sources are known."""
    every = list(sources)
    floor = max((some.floor for some in every if some.floor), default=None)
    events = [event for some in every for event in some.events if floor is None or event.at >= floor]
    events.sort(key=lambda event: event.at, reverse=True)
    return EventsPage(tuple(events), floor, first)


def together(turns: Iterable[Turned]) -> list[Turned]:
    """Tasks that went the same way at the same moment are one line."""

    def same(turn: Turned) -> tuple[object, ...]:
        return (turn.at, turn.tasks is None, turn.was, turn.state, turn.cause)

    result = []
    for _, run in groupby(sorted(turns, key=same, reverse=True), key=same):
        one, *others = run
        tasks = None if one.tasks is None else tuple(sorted(task for turn in (one, *others) for task in turn.tasks or ()))
        worker = one.worker if not others else ""
        result.append(Turned(one.at, tasks, one.was, one.state, one.cause, worker))
    return result


def spans(numbers: Sequence[int]) -> str:
    """`0–3, 7` of 0, 1, 2, 3, 7."""
    runs: list[list[int]] = []
    for number in numbers:
        if runs and number == runs[-1][-1] + 1:
            runs[-1].append(number)
        else:
            runs.append([number])
    return ", ".join(str(run[0]) if len(run) == 1 else f"{run[0]}–{run[-1]}" for run in runs)
