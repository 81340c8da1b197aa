"""The fleet page as values, ready for its template."""

from collections.abc import Sequence
from dataclasses import dataclass

from dashboard.fleet.clusters import ClusterView, troubled
from dashboard.fleet.query import FleetQuery
from dashboard.fleet.rows import Row
from dashboard.fleet.sentence import Summary
from dashboard.fleet.states import State


@dataclass(frozen=True, slots=True)
class Chip:
    """A filter; `state` None is the one that shows everything."""

    state: State | None
    word: str
    count: int
    address: str
    on: bool


@dataclass(frozen=True, slots=True)
class FleetPage:
    """`restartable`: the failures in clusters that can be reached, which is what the button can promise to restart."""

    query: FleetQuery
    clusters: tuple[ClusterView, ...]
    summary: Summary
    restartable: int
    chips: tuple[Chip, ...]
    rows: tuple[Row, ...]
    matches: int
    changes: int
    pages: int

    @property
    def troubled(self) -> tuple[ClusterView, ...]:
        return troubled(self.clusters)

    @property
    def several_clusters(self) -> bool:
        return len(self.clusters) > 1

    @property
    def previous(self) -> str:
        return self.query.turned(self.query.page - 1).address if self.query.page > 1 else ""

    @property
    def next(self) -> str:
        return self.query.turned(self.query.page + 1).address if self.query.page < self.pages else ""


def chips(query: FleetQuery, states: Sequence[State]) -> tuple[Chip, ...]:
    """States that no connector is in have no chip, except the one that is being filtered by."""
    everything = Chip(None, "All", len(states), query.filtered(None).address, query.state is None)
    each = [
        Chip(
            state, "healthy" if state is State.RUNNING else state.lower(), states.count(state), query.filtered(state).address, on
        )
        for state in State
        if (on := state is query.state) or state in states
    ]
    return (everything, *each)
