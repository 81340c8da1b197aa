"""The way of a connector's records as projections of a DataFrame. Pure: a plan is SQL text, made once for each set of schemas."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from workers.converters.base import Converter
from workers.converters.strings import StringConverter
from workers.data import sql
from workers.data.chain import COMMON, Alternative, Projection, compile_chain
from workers.data.records import DATA_EXCEPTION, ERROR, Data, DataError, Failure, error
from workers.data.schema import Schema
from workers.data.spark_types import null
from workers.pipeline.conversion import Conversion
from workers.pipeline.failures import CONSUMED, ORIGIN
from workers.pipeline.union import conformed, united

KEY, VALUE = "KEY_CONVERTER", "VALUE_CONVERTER"
#: Of a sink's record, its bytes as they were read: for who reports it.
RAW = ("raw_key", "raw_value", "raw_headers")

_HEADERS = "ARRAY<STRUCT<key: STRING, value: BINARY>>"
_NO_ERROR = f"CAST(NULL AS {ERROR})"
# What the optimizer does not know it moves no filter below: else what makes an `error` would be computed for that filter, too.
# In a stream Spark takes it, too, which it does not of every such function.
_OPAQUE = "spark_partition_id() >= 0"


@dataclass(frozen=True, slots=True)
class Plan:
    """`steps` lead to records with an `error` and an `origin`, of which `output` are the columns that are wanted, by name."""

    steps: Sequence[Projection]
    output: Mapping[str, str]
    may_fail: bool = False

    @property
    def changes_nothing(self) -> bool:
        return not self.steps and not self.output


#: For records that Kafka's sink takes as they are.
UNCHANGED = Plan((), {})


# --- from a source ----------------------------------------------------------------------------------------------------


_NO_BYTES = "CAST(NULL AS BINARY)"
#: What is null always. Bytes of it are had without asking a converter, which would be asked for each record.
NOTHING = Data(null(None), None)


@dataclass(frozen=True, slots=True)
class Given:
    """What a source's DataFrame has: of key and value their schemas, and which of the optional columns."""

    key: Data
    value: Data
    columns: frozenset[str]


def source_plan(given: Given, conversion: Conversion, *, shows_records: bool = False) -> Plan:
    """To the columns that Kafka's sink takes. `shows_records` says whether a failure is to show the record."""
    steps = [_given(given, shows_records)]
    chain = compile_chain(conversion.links, [Alternative(0, given.key.schema, given.value.schema)], keep=(ORIGIN,))
    steps += chain.projections
    key = _encoded(conversion.key, KEY, [(one, one.record.key) for one in chain.alternatives])
    value = _encoded(conversion.value, VALUE, [(one, one.record.value) for one in chain.alternatives])
    if given.key == NOTHING and not any(_makes(step, "key_") for step in chain.projections):
        key = _Column(_NO_BYTES)
    output = {"topic": "topic", "key": key.sql, "value": value.sql}
    for column in ("partition", "timestamp", "headers"):
        if column in given.columns or _changes(chain.projections, column):
            output[column] = column
    failures = [*key.failures, *value.failures]
    if not conversion.links and not failures:
        return _encoded_at_once(given, conversion, output)
    if failures:
        steps.append(_failing(steps[-1], failures))
    return Plan(_guarded(steps), output, may_fail=_may_fail(steps))


def _encoded_at_once(given: Given, conversion: Conversion, output: Mapping[str, str]) -> Plan:
    key, value = _bytes(conversion.key, given.key), _bytes(conversion.value, given.value)
    # Kafka's sink takes texts, too.
    if key in ("key", "CAST(key AS BINARY)") and value in ("value", "CAST(value AS BINARY)"):
        return UNCHANGED
    return Plan((), {**output, "key": key, "value": value})


def _given(given: Given, shows_records: bool) -> Projection:
    has = given.columns.__contains__
    shown = [("key", "CAST(key AS STRING)"), ("value", "CAST(value AS STRING)")] if shows_records else []
    places = [("topic", "topic"), ("partition", "partition" if has("partition") else "CAST(NULL AS INT)")]
    return Projection(
        {
            "topic": "topic",
            "partition": places[1][1],
            "offset": "CAST(NULL AS BIGINT)",
            "timestamp": "timestamp" if has("timestamp") else "CAST(NULL AS TIMESTAMP)",
            "headers": "headers" if has("headers") else f"CAST(NULL AS {_HEADERS})",
            "shape": "0",
            "error": _NO_ERROR,
            ORIGIN: sql.named_struct([*places, *shown]),
            "key_0": given.key.sql,
            "value_0": given.value.sql,
        }
    )


def _bytes(converter: Converter, data: Data) -> str:
    return _NO_BYTES if data == NOTHING else converter.encode(data).sql


def _makes(step: Projection, prefix: str) -> bool:
    """Whether such a column is more than another one's copy there."""
    return any(column.startswith(prefix) and made not in step.columns for column, made in step.columns.items())


@dataclass(frozen=True, slots=True)
class _Column:
    sql: str
    #: Conditions with the errors that hold there.
    failures: Sequence[tuple[str, str]] = ()


def _encoded(converter: Converter, stage: str, columns: Iterable[tuple[Alternative, Data]]) -> _Column:
    branches: list[tuple[str, str]] = []
    failures: list[tuple[str, str]] = []
    for alternative, data in columns:
        mine = f"shape = {alternative.number}"
        try:
            made = converter.encode(data)
        except DataError as wrong:
            failures.append((mine, error(stage, converter.name, wrong.exception, sql.text(str(wrong)))))
            continue
        branches.append((mine, made.sql))
        failures += _told(mine, stage, converter.name, made.failures)
    return _Column(_chosen(branches), failures)


def _chosen(branches: Sequence[tuple[str, str]]) -> str:
    """Of alternatives: no question is asked where there is but one."""
    if len(branches) == 1:
        return branches[0][1]
    return sql.case(branches, sql.NULL)


def _told(mine: str, stage: str, name: str, failures: Iterable[Failure]) -> list[tuple[str, str]]:
    return [
        (f"{mine} AND ({one.message}) IS NOT NULL", error(stage, name, one.exception, f"({one.message})")) for one in failures
    ]


def _failing(before: Projection, failures: Sequence[tuple[str, str]]) -> Projection:
    """All as before, but for the error of records that have none yet."""
    columns = {column: column for column in before.columns}
    columns["error"] = sql.case([("error IS NOT NULL", "error"), *failures], "error")
    return Projection(columns)


def _changes(steps: Iterable[Projection], column: str) -> bool:
    return any(step.columns[column] != column for step in steps)


def _may_fail(steps: Iterable[Projection]) -> bool:
    return any(step.columns.get("error") not in (None, "error", _NO_ERROR) for step in steps)


def _guarded(steps: Sequence[Projection]) -> list[Projection]:
    """Where a later step leaves records out."""
    if not any(step.where for step in steps):
        return list(steps)
    found = []
    for step in steps:
        made = step.columns.get("error")
        if made not in (None, "error", _NO_ERROR):
            columns = {**step.columns, "error": f"CASE WHEN {_OPAQUE} THEN {made} END"}
            found.append(Projection(columns, step.where))
        else:
            found.append(step)
    return found


# --- to a sink --------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, order=True)
class Texts:
    """What `Converter.schema_text` tells of a record's key and of its value."""

    key: str | None = None
    value: str | None = None


@dataclass(frozen=True, slots=True)
class Reading:
    """What is done before a batch's schemas are known: `parsed` says in which columns of `steps` key and value stand then,
    `texts` what is asked of them, by name; empty if there is but one schema."""

    steps: Sequence[Projection]
    parsed: Mapping[str, str]
    texts: Mapping[str, str] = field(default_factory=dict)


_FIVE = {column: column for column in COMMON[:5]}
_FROM_KAFKA = ("topic", "partition", "offset", "timestamp", "timestampType", "headers", "key", "value")


def reading(conversion: Conversion) -> Reading:
    converters = {"key": conversion.key, "value": conversion.value}
    made = {name: converter.parse(name) for name, converter in converters.items()}
    parsed = {name: name if sql_ == name else f"parsed_{name}" for name, sql_ in made.items()}
    columns = {column: column for column in _FROM_KAFKA} | {parsed[name]: sql_ for name, sql_ in made.items()}
    texts = {name: text for name, converter in converters.items() if (text := converter.schema_text(parsed[name])) is not None}
    return Reading(() if len(columns) == len(_FROM_KAFKA) else (Projection(columns),), parsed, texts)


def sink_plan(known: Sequence[Texts], conversion: Conversion, *, keeps_raw: bool = False) -> Plan:
    """From Kafka's columns to a connector's, for records of these schemas. One of another schema raises `UNKNOWN_SCHEMA`.
    `keeps_raw` says whether `RAW` go along."""
    read = reading(conversion)
    steps = list(read.steps)
    if read.texts:
        steps.append(_shaped(read, known))
    raw = {"raw_key": "key", "raw_value": "value", "raw_headers": "headers"} if keeps_raw else {}
    decoding, alternatives = _decoded(known, conversion, read, raw)
    if not (conversion.links or keeps_raw or read.texts or _may_fail([decoding])):
        converters = {"key": conversion.key, "value": conversion.value}
        return Plan(read.steps, _FIVE | {name: _text_or(one, decoding, name) for name, one in converters.items()})
    chain = compile_chain(conversion.links, alternatives, keep=(ORIGIN, *raw))
    steps += [decoding, *chain.projections]
    key = _united(conversion.key, KEY, "key", [(one, one.record.key) for one in chain.alternatives])
    value = _united(conversion.value, VALUE, "value", [(one, one.record.value) for one in chain.alternatives])
    failures = [*key.failures, *value.failures]
    if failures:
        steps.append(_failing(steps[-1], failures))
    output = _FIVE | {"key": key.sql, "value": value.sql}
    return Plan(_guarded(steps), output, may_fail=_may_fail(steps))


def _text_or(converter: Converter, decoding: Projection, name: str) -> str:
    """A text that nobody looks into keeps its bytes, also those that are no UTF-8."""
    as_it_is = isinstance(converter, StringConverter) and converter.is_utf_8
    return f"CAST({name} AS STRING)" if as_it_is else decoding.columns[f"{name}_0"]


#: What is in the exception that ends a job in which a record has a schema that its plan does not know.
UNKNOWN_SCHEMA = "drover:unknown-schema"


def _shaped(read: Reading, known: Sequence[Texts]) -> Projection:
    branches = []
    for number, one in enumerate(known):
        tests = [f"({text}) <=> {_literal(getattr(one, name))}" for name, text in read.texts.items()]
        branches.append((" AND ".join(tests), str(number)))
    columns = {column: column for column in (*_FROM_KAFKA, *read.parsed.values())}
    return Projection({**columns, "shape": sql.case(branches, f"CAST(raise_error('{UNKNOWN_SCHEMA}') AS INT)")})


def _literal(text: str | None) -> str:
    return "CAST(NULL AS STRING)" if text is None else sql.text(text)


def _decoded(
    known: Sequence[Texts], conversion: Conversion, read: Reading, raw: Mapping[str, str]
) -> tuple[Projection, list[Alternative]]:
    columns = dict(_FIVE)
    columns["shape"] = "shape" if read.texts else "0"
    columns["error"] = _NO_ERROR
    columns[ORIGIN] = sql.named_struct(CONSUMED)
    columns |= raw
    alternatives: list[Alternative] = []
    failures: list[tuple[str, str]] = []
    # Where schemas are asked for, also a single one is held against each record.
    single = not read.texts
    for number, texts in enumerate(known):
        mine = "true" if single else f"shape = {number}"
        schemas: list[Schema | None] = []
        for name, converter, stage, text in (
            ("key", conversion.key, KEY, texts.key),
            ("value", conversion.value, VALUE, texts.value),
        ):
            try:
                made = converter.decode(read.parsed[name], text)
            except DataError as wrong:
                schemas.append(None)
                columns[f"{name}_{number}"] = null(None)
                failures.append((mine, error(stage, converter.name, wrong.exception, sql.text(str(wrong)))))
                continue
            schemas.append(made.data.schema)
            columns[f"{name}_{number}"] = made.data.sql if single else sql.case([(mine, made.data.sql)], sql.NULL)
            failures += _told(mine, stage, converter.name, made.failures)
        alternatives.append(Alternative(number, *schemas))
    if failures:
        columns["error"] = sql.case(failures, _NO_ERROR)
    return Projection(columns), alternatives


def _united(converter: Converter, stage: str, name: str, columns: Sequence[tuple[Alternative, Data]]) -> _Column:
    """All alternatives' data in one column."""
    schema = united(name, [data.schema for _, data in columns])
    branches: list[tuple[str, str]] = []
    failures: list[tuple[str, str]] = []
    for alternative, data in columns:
        mine = f"shape = {alternative.number}"
        if schema is not None and data.schema is None:
            # Nothing can be said of its type, unless it is null.
            told = sql.text(f"This {name} has no schema, and others that the connector reads have one")
            failures.append((f"{mine} AND {data.sql} IS NOT NULL", error(stage, converter.name, DATA_EXCEPTION, told)))
            continue
        branches.append((mine, data.sql if schema is None or data.schema is None else conformed(data.sql, data.schema, schema)))
    return _Column(_chosen(branches) if len(columns) == 1 else sql.case(branches, sql.NULL), failures)
