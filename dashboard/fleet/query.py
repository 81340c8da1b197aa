"""What of the fleet a page is asked to show, as it stands in its address, in the field for searching, and in requests to the API.

`?q=cluster:eu+disk` and `?cluster=eu&q=disk` are the same: what has a name may be written either way.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from urllib.parse import urlencode

from django.utils.datastructures import MultiValueDict

from connect_client.states import State
from dashboard.fleet.language import Field, Term, read, write

PAGE_SIZE = 100
#: More would be a mistake, and take as many looks at each connector.
MOST_TERMS = 40
PARAMETERS = frozenset({*Field, "sort", "page"})
#: Restarted by itself as often as it is to be, and still failing.
GAVE_UP = "gave-up"
#: What they are called, and the words that mean them.
_KNOWN: Mapping[Field, Mapping[str, str]] = {
    Field.STATE: {**{state.lower(): state.lower() for state in State}, "healthy": State.RUNNING.lower()},
    Field.IS: {GAVE_UP: GAVE_UP},
    Field.TYPE: {"source": "source", "sink": "sink"},
}
_NOUNS = {Field.IS: "mark"}
#: Their values have no comma in them, which therefore separates several.
_LISTS = (Field.STATE, Field.IS, Field.TYPE, Field.CLUSTER)
_ORDER = {kind: place for place, kind in enumerate(Field)}
# `12` or, with a second line, `12t`.
_SHOWN = re.compile(r"(?P<id>\d{1,15})(?P<tall>t?)")
_PAGE = re.compile(r"0*[1-9][0-9]{0,8}")
_READABLE = "*:/=,"


class Column(StrEnum):
    """What the list can be sorted by. FAILED: by how many tasks have."""

    STATE = "state"
    NAME = "name"
    CLUSTER = "cluster"
    SINCE = "since"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class Sort:
    """The worst, the first of the alphabet, the oldest, the least come first; `descending` the other way round."""

    column: Column = Column.STATE
    descending: bool = False

    def __str__(self) -> str:
        return f"-{self.column}" if self.descending else self.column.value


WORST_FIRST = Sort()


@dataclass(frozen=True, slots=True)
class FleetQuery:
    """`terms`: of a field that has several, one has to fit; of those of NAME, too, but of CONFIG, FAILURE and TEXT all have to.
    They are in the order of their fields, and no two are equal.

    `shown`: the ids of the rows that are on somebody's screen already, in their order; empty for a fresh page. `tall`: those of
    them that have a second line, and are to keep it. `problems`: what could not be understood, in words; it was left out.
    """

    terms: tuple[Term, ...] = ()
    sort: Sort = WORST_FIRST
    page: int = 1
    shown: tuple[int, ...] = ()
    tall: frozenset[int] = frozenset()
    problems: tuple[str, ...] = field(default=(), compare=False)

    @property
    def address(self) -> str:
        """The query string that says the same, but for `shown`: that is for a page to know, not for a link."""
        pairs = [(term.field.value, term.value) for term in self.terms if term.field is not Field.TEXT]
        words = write(self.of(Field.TEXT))
        more = {"q": words, "sort": self.sorting, "page": str(self.page) if self.page > 1 else ""}
        return "?" + urlencode([*pairs, *((key, value) for key, value in more.items() if value)], safe=_READABLE)

    @property
    def text(self) -> str:
        """All terms as a search that somebody can type."""
        return write(self.terms)

    @property
    def sorting(self) -> str:
        """As an address says it; the usual order is not said."""
        return "" if self.sort == WORST_FIRST else str(self.sort)

    def of(self, field: Field) -> tuple[Term, ...]:
        return tuple(term for term in self.terms if term.field is field)

    def toggled(self, term: Term) -> "FleetQuery":
        """With the term, or without it if it is there."""
        there = [one for one in self.terms if not _same(one, term)]
        return self._fresh(there if len(there) < len(self.terms) else [*there, term])

    def without(self, field: Field) -> "FleetQuery":
        return self._fresh(term for term in self.terms if term.field is not field)

    def holds(self, term: Term) -> bool:
        return any(_same(one, term) for one in self.terms)

    def cleared(self) -> "FleetQuery":
        """In the same order, and everything."""
        return self._fresh(())

    def sorted_by(self, sort: Sort) -> "FleetQuery":
        return replace(self.turned(1), sort=sort)

    def turned(self, page: int) -> "FleetQuery":
        return replace(self, page=page, shown=(), tall=frozenset())

    def _fresh(self, terms: Iterable[Term]) -> "FleetQuery":
        return replace(self.turned(1), terms=_in_order(terms))


def parse(parameters: Mapping[str, str]) -> FleetQuery:
    """Of an address or a form. What makes no sense is left out and told in `problems`: an address is edited by hand, too."""
    problems: list[str] = []
    terms = [term for told in _told(parameters, problems) for term in _understood(told, problems)]
    if len(terms) > MOST_TERMS:
        problems.append(f"More than {MOST_TERMS} conditions: those after them were left out.")
    rows = [match for word in parameters.get("shown", "").split(",")[:PAGE_SIZE] if (match := _SHOWN.fullmatch(word))]
    return FleetQuery(
        terms=_in_order(terms[:MOST_TERMS]),
        sort=_sort(parameters.get("sort", ""), problems),
        page=_page(parameters.get("page", ""), problems),
        shown=tuple(dict.fromkeys(int(row["id"]) for row in rows)),
        tall=frozenset(int(row["id"]) for row in rows if row["tall"]),
        problems=tuple(problems),
    )


def _told(parameters: Mapping[str, str], problems: list[str]) -> Iterator[Term]:
    for kind in Field:
        for value in _all(parameters, kind.value):
            if kind is Field.TEXT:
                yield from _typed(value, problems)
            elif value:
                # An empty one, of a form, asks for nothing.
                yield Term(kind, value)


def _typed(search: str, problems: list[str]) -> Iterator[Term]:
    for unknown, term in read(search):
        if unknown and _meant_as_field(term.value):
            problems.append(f"There is no filter “{unknown}”: “{term.value}” is looked for as it stands. {_FILTERS}")
        yield term


_FILTERS = f"Filters are {', '.join(kind for kind in Field if kind is not Field.TEXT)}."


def _meant_as_field(text: str) -> bool:
    """Rather than `IOException: disk` or `http://`."""
    _, _, rest = text.partition(":")
    return bool(rest) and not rest.startswith("/") and text[0].islower() and not rest[0].isdigit()


def _understood(term: Term, problems: list[str]) -> Iterator[Term]:
    if not term.value.strip():
        if term.field is not Field.TEXT:
            problems.append(f"“{term.field}:” says no {term.field}; it was left out.")
    elif term.field in _LISTS:
        for value in filter(None, map(str.strip, term.value.split(","))):
            known = _KNOWN.get(term.field, {value.lower(): value})
            if value.lower() in known:
                yield Term(term.field, known[value.lower()])
            else:
                noun = _NOUNS.get(term.field, term.field)
                problems.append(f"There is no {noun} “{value}”, it was left out: there are {', '.join(known)}.")
    else:
        yield term


def _sort(word: str, problems: list[str]) -> Sort:
    try:
        return Sort(Column(word.removeprefix("-")), word.startswith("-")) if word else WORST_FIRST
    except ValueError:
        problems.append(f"The list cannot be sorted by “{word}”, only by {', '.join(Column)}.")
        return WORST_FIRST


def _page(word: str, problems: list[str]) -> int:
    if word and not _PAGE.fullmatch(word):
        problems.append(f"“{word}” is no page: this is the first.")
        return 1
    return int(word or 1)


def _all(parameters: Mapping[str, str], key: str) -> list[str]:
    if isinstance(parameters, MultiValueDict):
        return list(parameters.getlist(key))
    return [parameters[key]] if key in parameters else []


def _in_order(terms: Iterable[Term]) -> tuple[Term, ...]:
    once: dict[tuple[Field, str], Term] = {}
    for term in terms:
        once.setdefault((term.field, term.value.casefold()), term)
    return tuple(sorted(once.values(), key=lambda term: _ORDER[term.field]))


def _same(one: Term, other: Term) -> bool:
    return one.field is other.field and one.value.casefold() == other.value.casefold()
