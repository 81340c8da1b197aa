"""A chain of transforms as projections of a DataFrame. Pure: SQL text comes out, Spark is asked elsewhere.

A transform that changes an alternative's schema changes it for all of its records, unless a predicate picks some: those become an
alternative of their own.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from workers.data import sql
from workers.data.records import Data, DataError, Effect, Predicate, Record, Routing, Transform, error
from workers.data.schema import Schema

STAGE = "TRANSFORMATION"
#: In this order in every projection, before the alternatives' columns.
COMMON = ("topic", "partition", "offset", "timestamp", "headers", "shape", "error")


@dataclass(frozen=True, slots=True)
class Alternative:
    """`number` names its columns, and is what `shape` holds for its records."""

    number: int
    key: Schema | None
    value: Schema | None

    @property
    def columns(self) -> tuple[str, str]:
        return f"key_{self.number}", f"value_{self.number}"

    @property
    def record(self) -> Record:
        key, value = self.columns
        return Record(Data(key, self.key), Data(value, self.value))


@dataclass(frozen=True, slots=True)
class Link:
    """A transform with what picks the records that it is for."""

    transform: Transform
    predicate: Predicate | None = None
    negate: bool = False

    @property
    def routing(self) -> Routing:
        """What says which of the topics a record goes to."""
        found = self.transform.routing
        return found if self.predicate is None or found is Routing.NONE else Routing.RECORD

    def picks(self, record: Record) -> str:
        """SQL, true or false."""
        if self.predicate is None:
            return "true"
        test = self.predicate.test(record)
        return f"NOT ({test})" if self.negate else f"({test})"


@dataclass(frozen=True, slots=True)
class Projection:
    """One step: of the rows of `where` (all without it) these `columns` by name. Both are SQL over the step before."""

    columns: Mapping[str, str]
    where: str | None = None

    def expressions(self) -> list[str]:
        """As `DataFrame.selectExpr` takes them."""
        return [f"{expression} AS {sql.name(column)}" for column, expression in self.columns.items()]


@dataclass(frozen=True, slots=True)
class Compiled:
    projections: Sequence[Projection]
    alternatives: Sequence[Alternative]


def compile_chain(links: Iterable[Link], alternatives: Sequence[Alternative], *, keep: Sequence[str] = ()) -> Compiled:
    """`keep` are further columns that go along untouched."""
    projections: list[Projection] = []
    for link in links:
        projection, alternatives = _step(link, alternatives, keep)
        projections.append(projection)
    return Compiled(projections, alternatives)


@dataclass(frozen=True, slots=True)
class _Outcome:
    """What a link does to the records of `before`: `picked` of them are of `after` then."""

    before: Alternative
    after: Alternative
    picked: str
    effect: Effect
    failure: str | None

    @property
    def done(self) -> str:
        """Where the effect counts."""
        return self.picked if self.failure is None else f"{self.picked} AND {self.failure} IS NULL"


def _step(link: Link, alternatives: Sequence[Alternative], keep: Sequence[str]) -> tuple[Projection, Sequence[Alternative]]:
    outcomes: list[_Outcome] = []
    free = 1 + max(alternative.number for alternative in alternatives)
    for alternative in alternatives:
        outcome = _outcome(link, alternative, free)
        outcomes.append(outcome)
        free = max(free, outcome.after.number + 1)
    return _projection(outcomes, keep), _alternatives(outcomes)


def _outcome(link: Link, before: Alternative, free: int) -> _Outcome:
    record = before.record
    picks = link.picks(record)
    picked = f"shape = {before.number} AND error IS NULL" + ("" if picks == "true" else f" AND {picks}")
    try:
        effect = link.transform.apply(record)
    except DataError as wrong:
        message = sql.text(str(wrong))
        return _Outcome(before, before, picked, Effect(), error(STAGE, link.transform.name, wrong.exception, message))
    after = replace(
        before,
        key=before.key if effect.key is None else effect.key.schema,
        value=before.value if effect.value is None else effect.value.schema,
    )
    if after != before and picks != "true":
        after = replace(after, number=free)
    return _Outcome(before, after, picked, effect, _failure(link.transform.name, effect))


def _failure(name: str, effect: Effect) -> str | None:
    if not effect.failures:
        return None
    told = [
        (f"({failure.message}) IS NOT NULL", error(STAGE, name, failure.exception, f"({failure.message})"))
        for failure in effect.failures
    ]
    return f"({sql.case(told, sql.NULL)})"


def _alternatives(outcomes: Sequence[_Outcome]) -> list[Alternative]:
    found: dict[int, Alternative] = {}
    for outcome in outcomes:
        found.setdefault(outcome.before.number, outcome.before)
        found[outcome.after.number] = outcome.after
    return list(found.values())


def _projection(outcomes: Sequence[_Outcome], keep: Sequence[str]) -> Projection:
    columns = {column: column for column in (*COMMON, *keep)}
    for column in ("topic", "partition", "timestamp", "headers"):
        changes = [(one.done, change) for one in outcomes if (change := getattr(one.effect, column)) is not None]
        columns[column] = sql.case(changes, column)
    moves = [(one.done, str(one.after.number)) for one in outcomes if one.after.number != one.before.number]
    columns["shape"] = sql.case(moves, "shape")
    failures = [(one.picked, one.failure) for one in outcomes if one.failure is not None]
    columns["error"] = sql.case(failures, "error")
    for one in outcomes:
        columns |= _own_columns(one)
    drops = [(one.done, one.effect.drop) for one in outcomes if one.effect.drop is not None]
    return Projection(columns, f"NOT ({sql.case(drops, 'false')})" if drops else None)


def _own_columns(outcome: _Outcome) -> dict[str, str]:
    before, after, effect = outcome.before, outcome.after, outcome.effect
    columns: dict[str, str] = {}
    for old, new, change, was, becomes in zip(
        before.columns,
        after.columns,
        (effect.key, effect.value),
        (before.key, before.value),
        (after.key, after.value),
        strict=True,
    ):
        columns[old] = old
        if change is None:
            columns[new] = old
        elif was == becomes and old == new:
            columns[new] = sql.case([(outcome.done, change.sql)], old)
        else:
            # Of another type: what has an error by now has no value any more. Its bytes are in Kafka.
            columns[new] = sql.case([(outcome.done, change.sql)], sql.NULL)
    return columns
