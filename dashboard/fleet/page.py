"""The fleet page as values, ready for its template."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

from connect_client.states import State
from dashboard.fleet.clusters import ClusterView, troubled
from dashboard.fleet.language import Field, Term
from dashboard.fleet.query import GAVE_UP, Column, FleetQuery, Sort
from dashboard.fleet.rows import Row
from dashboard.fleet.sentence import Summary

#: Of a menu: the most frequent. Others can be searched for.
MOST_CHOICES = 50
Counts = Mapping[Field, Counter[str]]


@dataclass(frozen=True, slots=True)
class Chip:
    """A filter; `state` None is the one that shows everything, and what was given up, which is in one state or another."""

    state: State | None
    word: str
    count: int
    address: str
    on: bool


@dataclass(frozen=True, slots=True)
class Choice:
    """A line of a menu: choosing it adds it to the filter, or takes it out again."""

    word: str
    count: int
    address: str
    on: bool


@dataclass(frozen=True, slots=True)
class Menu:
    """`more`: how many values it has no line for. `chosen`: what it is filtered by, in short."""

    field: Field
    word: str
    choices: tuple[Choice, ...]
    more: int
    chosen: str
    cleared: str


@dataclass(frozen=True, slots=True)
class Pill:
    """A part of what is being filtered by, and the address without it."""

    field: str
    value: str
    address: str


@dataclass(frozen=True, slots=True)
class Heading:
    """Of a column: where it leads, and how the list is sorted by it now (`aria-sort`), if it is."""

    word: str
    address: str
    sorted: str


@dataclass(frozen=True, slots=True)
class FleetPage:
    """`restartable`: the failures of what the filter finds, in clusters that can be reached: what the button can promise.
    `hidden`: there are clusters, and whoever looks may see nothing in any of them.
    """

    query: FleetQuery
    clusters: tuple[ClusterView, ...]
    summary: Summary
    restartable: int
    chips: tuple[Chip, ...]
    menus: tuple[Menu, ...]
    rows: tuple[Row, ...]
    matches: int
    changes: int
    pages: int
    hidden: bool = False

    @property
    def troubled(self) -> tuple[ClusterView, ...]:
        return troubled(self.clusters)

    @property
    def several_clusters(self) -> bool:
        return len(self.clusters) > 1

    @property
    def pills(self) -> tuple[Pill, ...]:
        return tuple(
            Pill("" if term.field is Field.TEXT else term.field, term.value, self.query.toggled(term).address)
            for term in self.query.terms
        )

    @property
    def cleared(self) -> str:
        return self.query.cleared().address

    @property
    def headings(self) -> tuple[Heading, ...]:
        shown = (column for column in _HEADINGS if column is not Column.CLUSTER or self.several_clusters)
        return tuple(heading(self.query, column) for column in shown)

    @property
    def columns(self) -> int:
        """Of the table, with the one for actions."""
        return len(self.headings) + 1

    @property
    def first(self) -> str:
        return self.query.turned(1).address

    @property
    def previous(self) -> str:
        return self.query.turned(self.query.page - 1).address if self.query.page > 1 else ""

    @property
    def next(self) -> str:
        return self.query.turned(self.query.page + 1).address if self.query.page < self.pages else ""


# In the order of the table.
_HEADINGS = {
    Column.STATE: "State",
    Column.NAME: "Connector",
    Column.CLUSTER: "Cluster",
    Column.FAILED: "Tasks",
    Column.SINCE: "Last change",
}
# What one looks for there: the newest change, the most that have failed.
_DESCENDING_FIRST = (Column.SINCE, Column.FAILED)
_MENUS = {Field.CLUSTER: "Cluster", Field.TYPE: "Type", Field.CLASS: "Class", Field.WORKER: "Worker"}


def heading(query: FleetQuery, column: Column) -> Heading:
    """A second press turns the order round."""
    now = query.sort
    if now.column is column:
        turned, how = Sort(column, not now.descending), "descending" if now.descending else "ascending"
    else:
        turned, how = Sort(column, column in _DESCENDING_FIRST), ""
    return Heading(_HEADINGS[column], query.sorted_by(turned).address, how)


def chips(query: FleetQuery, counts: Counts) -> tuple[Chip, ...]:
    """States that no connector is in have no chip, except those that are being filtered by."""
    states = counts[Field.STATE]
    everything = Chip(None, "All", states.total(), query.without(Field.STATE).address, not query.of(Field.STATE))
    each = [
        Chip(
            state,
            "healthy" if state is State.RUNNING else state.lower(),
            states[state],
            query.toggled(term).address,
            on,
        )
        for state in State
        if (on := query.holds(term := Term(Field.STATE, state.lower()))) or states[state]
    ]
    return (everything, *each, *_given_up(query, counts))


def _given_up(query: FleetQuery, counts: Counts) -> tuple[Chip, ...]:
    term, count = Term(Field.IS, GAVE_UP), counts[Field.IS][GAVE_UP]
    on = query.holds(term)
    return (Chip(None, "gave up", count, query.toggled(term).address, on),) if on or count else ()


def menus(query: FleetQuery, counts: Counts) -> tuple[Menu, ...]:
    """Those with something to choose: two values, or one that is chosen already."""
    every = (_menu(query, field, counts[field]) for field in _MENUS)
    return tuple(menu for menu in every if len(menu.choices) > 1 or menu.chosen)


def _menu(query: FleetQuery, field: Field, counts: Counter[str]) -> Menu:
    chosen = [term.value for term in query.of(field)]
    # What is chosen stays at hand even if nothing is left of it.
    known = {value.casefold() for value in counts}
    values = [*((value, 0) for value in chosen if value.casefold() not in known), *counts.items()]
    values.sort(key=lambda pair: (not query.holds(Term(field, pair[0])), -pair[1], pair[0].casefold()))
    choices = tuple(_choice(query, Term(field, value), count) for value, count in values[:MOST_CHOICES])
    return Menu(field, _MENUS[field], choices, max(0, len(values) - MOST_CHOICES), _short(chosen), query.without(field).address)


def _choice(query: FleetQuery, term: Term, count: int) -> Choice:
    return Choice(term.value, count, query.toggled(term).address, query.holds(term))


def _short(values: list[str]) -> str:
    return f"{values[0]} +{len(values) - 1}" if len(values) > 1 else "".join(values)
