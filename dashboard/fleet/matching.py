"""Which connectors a query means, and what else there is to choose from."""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from itertools import chain

from dashboard.fleet.entries import Entry
from dashboard.fleet.language import Field
from dashboard.fleet.query import GAVE_UP, Column, FleetQuery, Sort

#: Those that have a menu or chips, whose counts say what choosing them would show.
FACETS = (Field.STATE, Field.IS, Field.CLUSTER, Field.TYPE, Field.CLASS, Field.WORKER)
_NEVER = datetime.min.replace(tzinfo=UTC)
Test = Callable[[Entry], bool]


@dataclass(frozen=True, slots=True)
class Sifted:
    """`counts`: by the value of a facet, how many connectors there are that fit everything but what is asked of that facet."""

    matching: list[Entry]
    counts: Mapping[Field, Counter[str]] = field(default_factory=dict)


def sift(query: FleetQuery, entries: Iterable[Entry]) -> Sifted:
    """One look at each."""
    facets = {facet: _facet_test(query, facet) for facet in FACETS}
    asked = [(facet, test) for facet, test in facets.items() if test]
    others = _other_tests(query)
    # Those that miss nothing, or nothing but what is asked of one facet.
    matching: list[Entry] = []
    nearly: dict[Field, list[Entry]] = {facet: [] for facet in FACETS}
    for entry in entries:
        if not all(test(entry) for test in others):
            continue
        missed = [facet for facet, test in asked if not test(entry)]
        if not missed:
            matching.append(entry)
        elif len(missed) == 1:
            nearly[missed[0]].append(entry)
    counts = {facet: Counter(chain.from_iterable(map(_VALUES[facet], [*matching, *nearly[facet]]))) for facet in FACETS}
    return Sifted(matching, counts)


def ordered(entries: Iterable[Entry], sort: Sort) -> list[Entry]:
    """Equal ones by name and cluster; what is not known since when comes last either way."""
    listed = sorted(entries, key=lambda entry: (entry.name, entry.cluster))
    match sort.column:
        case Column.STATE:
            listed.sort(key=lambda entry: entry.tally.state.rank, reverse=sort.descending)
        case Column.NAME:
            listed.sort(key=lambda entry: entry.name, reverse=sort.descending)
        case Column.CLUSTER:
            listed.sort(key=lambda entry: entry.cluster, reverse=sort.descending)
        case Column.FAILED:
            listed.sort(key=lambda entry: (entry.tally.tasks_failed, entry.tally.connector_failed), reverse=sort.descending)
        case Column.SINCE:
            listed.sort(key=lambda entry: entry.since or _NEVER, reverse=sort.descending)
            listed.sort(key=lambda entry: entry.since is None)
    return listed


_VALUES: Mapping[Field, Callable[[Entry], tuple[str, ...]]] = {
    Field.STATE: lambda entry: (entry.tally.state,),
    Field.IS: lambda entry: (GAVE_UP,) if entry.gave_up else (),
    Field.CLUSTER: lambda entry: (entry.cluster,),
    Field.TYPE: lambda entry: (entry.type,) if entry.type else (),
    Field.CLASS: lambda entry: (entry.short_class,) if entry.short_class else (),
    Field.WORKER: lambda entry: entry.workers,
}


def _facet_test(query: FleetQuery, facet: Field) -> Test | None:
    """One of the values that are asked for has to fit; None asks for nothing."""
    values = [term.value for term in query.of(facet)]
    if not values:
        return None
    if facet is Field.STATE:
        states = {value.upper() for value in values}
        return lambda entry: entry.tally.state in states
    if facet is Field.IS:
        return lambda entry: entry.gave_up
    fits = _Fits(values)
    match facet:
        case Field.CLUSTER:
            return lambda entry: fits.any((entry.cluster.casefold(),))
        case Field.TYPE:
            return lambda entry: entry.type in values
        case Field.CLASS:
            return lambda entry: fits.any(entry.names_of_class)
        case _:
            return lambda entry: fits.any(entry.names_of_workers)


def _other_tests(query: FleetQuery) -> list[Test]:
    names = _Fits([term.value for term in query.of(Field.NAME)])
    by_name: list[Test] = [lambda entry: names.any((entry.name.casefold(),))] if query.of(Field.NAME) else []
    return [
        *by_name,
        *(_has_text(term.value) for term in query.of(Field.TEXT)),
        *(_has_failure(term.value) for term in query.of(Field.FAILURE)),
        *(_has_config(term.value) for term in query.of(Field.CONFIG)),
    ]


def _has_text(value: str) -> Test:
    wanted = value.casefold()
    return lambda entry: wanted in entry.text


def _has_failure(value: str) -> Test:
    wanted = value.casefold()
    return lambda entry: wanted in entry.failure


def _has_config(asked: str) -> Test:
    """`key` is there; `key=value`; or, with an empty key, any has that value. Of a list, such as topics, an item will do."""
    key, equals, value = asked.partition("=")
    values_of = _values_of(key.casefold())
    if not equals:
        return lambda entry: any(True for _ in values_of(entry.config))
    values, part = _Fits([value]), _longest_part(value.casefold())
    # Most values are ruled out by a part of what is looked for, which is far quicker than a look at all of it.
    return lambda entry: any(
        part in told and values.any((told, *map(str.strip, told.split(",")))) for told in values_of(entry.config)
    )


def _values_of(key: str) -> Callable[[Mapping[str, str]], Iterable[str]]:
    if not key:
        return lambda config: config.values()
    if not _WILD.search(key):
        return lambda config: (config[key],) if key in config else ()
    pattern = _pattern(key)
    return lambda config: (value for name, value in config.items() if pattern.fullmatch(name))


def _longest_part(value: str) -> str:
    return max(_WILD.split(value), key=len)


class _Fits:
    """Whole values, case aside; `*` stands for anything and `?` for one character."""

    def __init__(self, values: Iterable[str]) -> None:
        folded = [value.casefold() for value in values]
        self._exact = frozenset(value for value in folded if not _WILD.search(value))
        self._patterns = [_pattern(value) for value in folded if _WILD.search(value)]

    def any(self, values: Iterable[str]) -> bool:
        listed = tuple(values)
        return not self._exact.isdisjoint(listed) or any(
            pattern.fullmatch(value) for pattern in self._patterns for value in listed
        )


_WILD = re.compile(r"[*?]")


def _pattern(value: str) -> re.Pattern[str]:
    parts = {"*": ".*", "?": "."}
    return re.compile("".join(parts.get(part) or re.escape(part) for part in re.split(r"([*?])", value)), re.S)
