"""TimestampConverter: points in time as texts, Unix times, or Kafka Connect's logical types."""

from __future__ import annotations

from dataclasses import replace

from workers.connectors.configdef import ConfigDef, Importance, Key, Type
from workers.connectors.validators import one_of
from workers.data import sql
from workers.data.records import Data, DataError, Effect, Failure, Record
from workers.data.schema import (
    DATE,
    DATE_SCHEMA,
    STRING,
    TIME,
    TIME_SCHEMA,
    TIMESTAMP,
    TIMESTAMP_SCHEMA,
    Field,
    Schema,
    SchemaType,
)
from workers.transforms import java_time, structs, variants
from workers.transforms.base import (
    CONNECT_EXCEPTION,
    NULL_POINTER,
    PACKAGE,
    REPLACE_NULL,
    PartTransform,
    Settings,
    TransformConfigError,
    only_where,
)

_PURPOSE = "converting timestamp formats"
_NO_FORMAT = 'Cannot invoke "java.text.SimpleDateFormat.parse(String)" because "config.format" is null'
_TARGETS = {
    "string": STRING,
    "unix": Schema(SchemaType.INT64),
    "Date": DATE_SCHEMA,
    "Time": TIME_SCHEMA,
    "Timestamp": TIMESTAMP_SCHEMA,
}
#: By what a Unix time is multiplied to be milliseconds, and divided; Java cuts off what is left over.
_FACTORS = {"seconds": (1000, 1), "milliseconds": (1, 1), "microseconds": (1, 1000), "nanoseconds": (1, 1_000_000)}
_MOST = 2**63 - 1


class TimestampConverter(PartTransform):
    class_name = f"{PACKAGE}.TimestampConverter"
    config_def = ConfigDef(
        (
            Key(
                "field",
                Type.STRING,
                default="",
                importance=Importance.HIGH,
                documentation="The field; empty for the whole key or value.",
            ),
            Key(
                "target.type",
                Type.STRING,
                importance=Importance.HIGH,
                documentation="What it is to become: string, unix, Date, Time or Timestamp.",
                validator=one_of(*_TARGETS),
            ),
            Key(
                "format",
                Type.STRING,
                default="",
                documentation="How a text is written and read: a pattern of java.text.SimpleDateFormat.",
            ),
            Key(
                "unix.precision",
                Type.STRING,
                default="milliseconds",
                importance=Importance.LOW,
                documentation="What a Unix time counts: seconds, milliseconds, microseconds or nanoseconds.",
                validator=one_of("nanoseconds", "microseconds", "milliseconds", "seconds"),
            ),
            REPLACE_NULL,
        )
    )

    def configure(self, settings: Settings) -> None:
        self._field, self._target = str(settings["field"]), str(settings["target.type"])
        self._format, self._precision = str(settings["format"]), str(settings["unix.precision"])
        self._replace_null = bool(settings["replace.null.with.default"])
        if self._target == "string" and not self._format.strip():
            raise TransformConfigError("TimestampConverter requires format option to be specified when using string timestamps")
        try:
            self._pattern = java_time.tokens(self._format) if self._format.strip() else None
        except java_time.UnknownPattern as error:
            raise TransformConfigError(
                "TimestampConverter requires a SimpleDateFormat-compatible pattern for string timestamps: "
                f"{self._format} ({error})"
            ) from error

    def of_struct(self, data: Data, schema: Schema, record: Record) -> Effect:
        if self._field:
            return self._of_field(data, schema)
        value, failures = self._converted(data.sql, schema)
        return self.part.effect(Data(value, self._schema(schema.optional)), *failures)

    def _schema(self, optional: bool) -> Schema:
        return replace(_TARGETS[self._target], optional=optional)

    def _of_field(self, data: Data, schema: Schema) -> Effect:
        required = structs.require_struct(data, _PURPOSE, null_passes=True)
        if required is not None:
            told = sql.text("Cannot list fields on non-struct type")
            return self.part.effect(None, Failure(f"coalesce({required.message}, {told})"))
        fields: list[tuple[Field, str]] = []
        failures: list[Failure] = []
        for field in schema.fields:
            value = structs.read(data.sql, field, self._replace_null)
            if field.name == self._field:
                try:
                    value, failures = self._converted(value, field.schema)
                except DataError as wrong:
                    value, failures = sql.NULL, [Failure(sql.text(str(wrong)), wrong.exception)]
                failures = [only_where(f"{data.sql} IS NOT NULL", failure) for failure in failures]
                field = Field(field.name, self._schema(field.schema.optional))  # noqa: PLW2901
            fields.append((field, value))
        made = structs.made(data.sql, fields, like=schema)
        assert made.schema is not None
        return self.part.effect(Data(made.sql, replace(made.schema, optional=schema.optional)), *failures)

    def _converted(self, value: str, schema: Schema) -> tuple[str, list[Failure]]:
        """Raises DataError."""
        if schema.name in (DATE, TIME, TIMESTAMP):
            return self._made(java_time.millis(value, schema.name))
        if schema.type is SchemaType.STRING:
            return self._read(value)
        if schema.type is SchemaType.INT64:
            return self._made(self._from_unix(value))
        label = f"{schema.name}:{schema.type}" if schema.name else str(schema.type)
        raise DataError(f"Schema Schema{{{label}}} does not correspond to a known timestamp type format", CONNECT_EXCEPTION)

    def of_map(self, value: str, record: Record) -> Effect:
        if not self._field:
            changed, failures = self._converted_variant(value)
            return self.part.effect(Data(changed, None), *failures)
        mapped = variants.as_map(value)
        required = only_where(f"{value} IS NOT NULL", variants.require_map(value, _PURPOSE))
        changed, failures = self._converted_variant(variants.at(mapped, self._field))
        new = variants.to_variant(variants.with_fields(mapped, {self._field: changed}))
        return self.part.effect(Data(new, None), required, *failures)

    def _converted_variant(self, value: str) -> tuple[str, list[Failure]]:
        tag = variants.tag(value)
        cases: list[tuple[str, str]] = []
        failures: list[Failure] = []
        for tags, spark, made in (
            ("'STRING'", "STRING", self._read),
            ("'BIGINT'", "BIGINT", lambda typed: self._made(self._from_unix(typed))),
            ("'DATE', 'TIMESTAMP'", "TIMESTAMP", lambda typed: self._made(f"unix_millis({typed})")),
        ):
            changed, wrong = made(f"try_cast({value} AS {spark})")
            cases.append((f"{tag} IN ({tags})", variants.of(self._as_date(changed))))
            failures += [only_where(f"{tag} IN ({tags})", failure) for failure in wrong]
        other = f"{tag} NOT IN ('STRING', 'BIGINT', 'DATE', 'TIMESTAMP', 'VOID')"
        told = f"concat('TimestampConverter does not support class ', {variants.java_class(value)}, ' objects as timestamps')"
        failures.append(Failure(f"CASE WHEN {other} THEN {told} END"))
        return sql.case(cases, sql.NULL), failures

    def _as_date(self, value: str) -> str:
        """A time without a schema is an instant of 1970-01-01, as Java's: a variant knows no times."""
        return java_time.timestamp(f"CAST({value} AS BIGINT)") if self._target == "Time" else value

    def _read(self, text: str) -> tuple[str, list[Failure]]:
        if self._pattern is None:
            return sql.NULL, [Failure(f"CASE WHEN {text} IS NOT NULL THEN {sql.text(_NO_FORMAT)} END", NULL_POINTER)]
        matches = f"{text} RLIKE {sql.text(java_time.expression(self._pattern))}"
        told = f"concat('Could not parse timestamp: value (', {text}, {sql.text(f') does not match pattern ({self._format})')})"
        instant = f"CASE WHEN {matches} THEN {java_time.parsed(self._pattern, text)} END"
        # By a name: what is made of it names it many times, and Spark reads no more than 50 KB of this SQL in a second.
        value, failures = self._made("instant")
        return sql.let("instant", instant, value), [
            Failure(f"CASE WHEN NOT ({matches}) THEN {told} END"),
            *(replace(failure, message=sql.let("instant", instant, failure.message)) for failure in failures),
        ]

    def _from_unix(self, value: str) -> str:
        times, parts = _FACTORS[self._precision]
        return _times(value, times) if times > 1 else f"({value} div {parts})" if parts > 1 else value

    def _made(self, instant: str) -> tuple[str, list[Failure]]:
        """Of an instant, SQL of what is wanted."""
        if self._target == "unix":
            parts, times = _FACTORS[self._precision]
            return (_times(instant, times) if times > 1 else f"({instant} div {parts})" if parts > 1 else instant), []
        if self._target == "string":
            assert self._pattern is not None
            return java_time.formatted(self._pattern, instant), [_beyond(instant, java_time.day(instant))]
        name = _TARGETS[self._target].name
        assert name is not None
        value = java_time.of_millis(instant, name)
        return value, ([] if self._target == "Time" else [_beyond(instant, value)])


def _beyond(instant: str, value: str) -> Failure:
    """If there is an instant, but nothing that Spark could hold it in."""
    told = f"concat({instant}, ' milliseconds since 1970 are beyond what dates and timestamps in Spark hold')"
    return Failure(f"CASE WHEN {instant} IS NOT NULL AND {value} IS NULL THEN {told} END")


def _times(value: str, factor: int) -> str:
    """Java ends at the largest number there is."""
    most = _MOST // factor
    return sql.case(
        [(f"{value} > {most}", f"{_MOST}"), (f"{value} < -{most}", f"CAST('-{_MOST + 1}' AS BIGINT)")], f"({value} * {factor})"
    )
