"""The sentence at the top of the fleet, and the numbers on the filter chips."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from connect_client.states import State


@dataclass(frozen=True, slots=True)
class Tally:
    """One connector, as far as counting goes."""

    state: State
    tasks_failed: int
    connector_failed: bool


@dataclass(frozen=True, slots=True)
class Summary:
    connectors: int
    states: Counter[State]
    failures: int
    headline: str
    rest: tuple[str, ...]

    @property
    def worst(self) -> State:
        return min((state for state, count in self.states.items() if count), key=lambda state: state.rank, default=State.RUNNING)


_REST = {
    State.RESTARTING: "restarting",
    State.PAUSED: "paused",
    State.STOPPED: "stopped",
    State.UNASSIGNED: "unassigned",
    State.RUNNING: "healthy",
}


def summary(tallies: Iterable[Tally]) -> Summary:
    all_of_them = list(tallies)
    states = Counter(tally.state for tally in all_of_them)
    # What is being restarted is not counted as failed any more: that is what the button's number promises.
    broken = [tally for tally in all_of_them if tally.state in (State.FAILED, State.DEGRADED)]
    tasks = sum(tally.tasks_failed for tally in broken)
    connectors = sum(tally.connector_failed for tally in broken)
    rest = [f"{states[state]:,} {word}" for state, word in _REST.items() if states[state]]
    headline = _headline(tasks, sum(tally.tasks_failed > 0 for tally in broken), connectors)
    return Summary(len(all_of_them), states, tasks + connectors, headline, tuple(rest))


def _headline(tasks: int, in_connectors: int, connectors: int) -> str:
    parts = []
    if connectors:
        parts.append(f"{count(connectors, 'connector')} failed")
    if tasks:
        parts.append(f"{count(tasks, 'task')} failed in {count(in_connectors, 'connector')}")
    return ", ".join(parts) or "Nothing has failed"


def count(number: int, noun: str) -> str:
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"
