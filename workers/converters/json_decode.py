"""What a JSON payload says by its schema (`JsonConverter.convertToConnect`), as SQL over a variant. Pure.

Kafka Connect makes 0, false or null of a value that is of another kind than its schema says. Here it is taken for what it can be
read as (`"5"` as 5), and else it is a failure: nothing is lost in silence.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from itertools import count

from workers.converters import json_schema
from workers.data import decimals, sql
from workers.data.schema import DATE, DECIMAL, NO_DEFAULT, TIME, TIMESTAMP, Schema, SchemaType
from workers.data.spark_types import PRECISION, scale_of, spark_type

_DAY = 86_400_000
_NO_TIME = "Time values must use number of milliseconds greater than 0 and less than 86400000"
#: Of a timestamp, in milliseconds: what Spark's microseconds can hold.
_TIMESTAMP_LIMIT = 2**63 // 1000 - 1


#: By the names of a variant's types.
_KINDS = "map('OBJECT', 'OBJECT', 'ARRAY', 'ARRAY', 'STRING', 'STRING', 'BOOLEAN', 'BOOLEAN', 'VOID', 'NULL')"


@dataclass(frozen=True, slots=True)
class Node:
    """A place in a document: `root` is SQL of a variant, `path` leads on from there."""

    root: str
    path: str = "$"

    def child(self, name: str) -> Node:
        if '"' not in name:
            return Node(self.root, f'{self.path}["{name}"]')
        if "'" not in name:
            return Node(self.root, f"{self.path}['{name}']")
        return Node(f"try_element_at({self.get('MAP<STRING, VARIANT>')}, {sql.text(name)})")

    def get(self, kind: str) -> str:
        """SQL of a Spark type; null for what is missing, null, or not to be read as that."""
        return f"try_variant_get({self.root}, {sql.text(self.path)}, {sql.text(kind)})"

    @property
    def absent(self) -> str:
        """True or false: missing, or JSON's null."""
        found = self.get("VARIANT")
        return f"({found} IS NULL OR is_variant_null({found}))"

    @property
    def kind(self) -> str:
        """Jackson's name for the kind of what is not absent."""
        return f"coalesce(try_element_at({_KINDS}, substring_index(schema_of_variant({self.get('VARIANT')}), '<', 1)), 'NUMBER')"


@dataclass(slots=True)
class Decoder:
    """`defaults` is `replace.null.with.default`."""

    defaults: bool = True
    _fresh: Callable[[], str] = field(default_factory=lambda: map("x_{}".format, count(1)).__next__)

    # --- values -------------------------------------------------------------------------------------------------------

    def value(self, node: Node, schema: Schema) -> str:
        """SQL of the schema's Spark type. Raises DataError for a schema that Spark has no type for."""
        present = self._present(node, schema)
        if schema.has_default and self.defaults:
            return f"CASE WHEN {node.absent} THEN {self._default(schema)} ELSE {present} END"
        if schema.type in (SchemaType.STRUCT, SchemaType.MAP):
            return f"CASE WHEN NOT {node.absent} THEN {present} END"
        return present

    def _default(self, schema: Schema) -> str:
        document = f"parse_json({sql.text(json_schema.default_json(schema))})"
        return self._present(Node(document), replace(schema, default=NO_DEFAULT))

    def _present(self, node: Node, schema: Schema) -> str:
        """Null for what is absent, but for a struct and a map."""
        if schema.name in _LOGICAL:
            return _LOGICAL[schema.name](node, schema)
        match schema.type:
            case SchemaType.BYTES:
                return f"try_to_binary({node.get('STRING')}, 'base64')"
            case SchemaType.ARRAY:
                assert schema.value is not None
                item = self._fresh()
                return f"transform({node.get('ARRAY<VARIANT>')}, {item} -> {self.value(Node(item), schema.value)})"
            case SchemaType.MAP:
                return self._map(node, schema)
            case SchemaType.STRUCT:
                fields = [(one.name, self.value(node.child(one.name), one.schema)) for one in schema.fields]
                return sql.named_struct(fields) if fields else "from_json('{}', 'STRUCT<>')"
            case _:
                return node.get(spark_type(schema))

    def _map(self, node: Node, schema: Schema) -> str:
        assert schema.key is not None
        assert schema.value is not None
        item = self._fresh()
        if schema.key.type is SchemaType.STRING:
            key = self._fresh()
            whole = node.get("MAP<STRING, VARIANT>")
            return f"transform_values({whole}, ({key}, {item}) -> {self.value(Node(item), schema.value)})"
        pair = f"struct({self.value(Node(item, '$[0]'), schema.key)} AS k, {self.value(Node(item, '$[1]'), schema.value)} AS v)"
        pairs = f"transform({node.get('ARRAY<VARIANT>')}, {item} -> {pair})"
        # A map of Spark's has no null for a key.
        return f"map_from_entries(filter({pairs}, p -> p.k IS NOT NULL))"

    # --- failures -----------------------------------------------------------------------------------------------------

    def failure(self, node: Node, schema: Schema) -> str:
        """SQL of the first failure's message, null where nothing is wrong."""
        within = self._failure_within(node, schema)
        if schema.optional or (schema.has_default and self.defaults):
            return f"CASE WHEN NOT {node.absent} THEN {within} END"
        message = sql.text(f"Invalid null value for required {schema.type} field")
        return f"CASE WHEN {node.absent} THEN {message} ELSE {within} END"

    def _failure_within(self, node: Node, schema: Schema) -> str:
        """Of what is not absent."""
        if schema.name in _LOGICAL_FAILURES:
            return _LOGICAL_FAILURES[schema.name](node, schema)
        match schema.type:
            case SchemaType.BYTES:
                return f"CASE WHEN {self._present(node, schema)} IS NULL THEN 'Invalid bytes field' END"
            case SchemaType.ARRAY:
                assert schema.value is not None
                item = self._fresh()
                inner = _first(node.get("ARRAY<VARIANT>"), item, self.failure(Node(item), schema.value))
                return f"CASE WHEN {node.kind} <> 'ARRAY' THEN {_unreadable(node, schema)} ELSE {inner} END"
            case SchemaType.MAP:
                return self._map_failure(node, schema)
            case SchemaType.STRUCT:
                told = [self.failure(node.child(one.name), one.schema) for one in schema.fields]
                inner = f"coalesce({', '.join(told)})" if told else sql.NULL
                message = f"concat('Structs should be encoded as JSON objects, but found ', {node.kind})"
                return f"CASE WHEN {node.kind} <> 'OBJECT' THEN {message} ELSE {inner} END"
            case _:
                return f"CASE WHEN {self._present(node, schema)} IS NULL THEN {_unreadable(node, schema)} END"

    def _map_failure(self, node: Node, schema: Schema) -> str:
        assert schema.key is not None
        assert schema.value is not None
        item = self._fresh()
        if schema.key.type is SchemaType.STRING:
            message = f"concat('Maps with string fields should be encoded as JSON objects, but found ', {node.kind})"
            values = f"map_values({node.get('MAP<STRING, VARIANT>')})"
            inner = _first(values, item, self.failure(Node(item), schema.value))
            return f"CASE WHEN {node.kind} <> 'OBJECT' THEN {message} ELSE {inner} END"
        message = f"concat('Maps with non-string fields should be encoded as JSON array of tuples, but found ', {node.kind})"
        pair, size = Node(item), f"size({Node(item).get('ARRAY<VARIANT>')})"
        key = Node(item, "$[0]")
        told = [
            (f"{pair.kind} <> 'ARRAY'", f"concat('Found invalid map entry instead of array tuple: ', {pair.kind})"),
            (f"{size} <> 2", f"concat('Found invalid map entry, expected length 2 but found :', {size})"),
            (f"{key.absent}", "'A key of a map must not be null here.'"),
        ]
        of_parts = f"coalesce({self.failure(key, schema.key)}, {self.failure(Node(item, '$[1]'), schema.value)})"
        inner = _first(node.get("ARRAY<VARIANT>"), item, sql.case(told, of_parts))
        return f"CASE WHEN {node.kind} <> 'ARRAY' THEN {message} ELSE {inner} END"


def _first(items: str, item: str, told: str) -> str:
    return f"get(filter(transform({items}, {item} -> {told}), m -> m IS NOT NULL), 0)"


def _unreadable(node: Node, schema: Schema) -> str:
    return f"concat('Invalid value for {schema.type} field: found ', {node.kind})"


# --- logical types ------------------------------------------------------------------------------------------------------


def _decimal(node: Node, schema: Schema) -> str:
    scale = scale_of(schema)
    binary = f"try_to_binary({node.get('STRING')}, 'base64')"
    number = node.get(f"DECIMAL({PRECISION},{scale})")
    return f"if({node.kind} = 'STRING', {decimals.from_bytes(binary, scale)}, {number})"


def _decimal_failure(node: Node, schema: Schema) -> str:
    wrong_kind = "'Invalid type for Decimal, underlying representation should be numeric or bytes but was '"
    told = [
        ("k NOT IN ('NUMBER', 'STRING')", f"concat({wrong_kind}, k)"),
        ("d IS NULL", "'Invalid bytes for Decimal field'"),
        # A digit behind the last place of the schema would be rounded away.
        (
            f"k = 'NUMBER' AND CAST(d AS DOUBLE) <> {node.get('DOUBLE')}",
            "'Decimal value has mismatching scale for given Decimal schema.'",
        ),
    ]
    return sql.let("k", node.kind, sql.let("d", _decimal(node, schema), sql.case(told, sql.NULL)))


def _time(node: Node, _: Schema) -> str:
    return node.get("INT")


def _date(node: Node, _: Schema) -> str:
    return f"date_from_unix_date({node.get('INT')})"


def _timestamp(node: Node, _: Schema) -> str:
    millis = node.get("BIGINT")
    return f"CASE WHEN abs({millis}) <= {_TIMESTAMP_LIMIT} THEN timestamp_millis({millis}) END"


def _no_integer(name: str, kind: str, word: str = "integer") -> Callable[[Node, Schema], str]:
    def failure(node: Node, schema: Schema) -> str:
        wrong_kind = f"'Invalid type for {name}, underlying representation should be {word} but was '"
        whole = f"{node.kind} = 'NUMBER' AND {node.get(kind)} = {node.get('DOUBLE')}"
        told = [(f"NOT coalesce({whole}, false)", f"concat({wrong_kind}, {node.kind})")]
        if name == "Time":
            told.append((f"{node.get(kind)} NOT BETWEEN 0 AND {_DAY}", f"'{_NO_TIME}'"))
        if name == "Timestamp":
            told.append((f"{_timestamp(node, schema)} IS NULL", "'The time is out of range.'"))
        return sql.case(told, sql.NULL)

    return failure


_LOGICAL: dict[str | None, Callable[[Node, Schema], str]] = {
    DECIMAL: _decimal,
    DATE: _date,
    TIME: _time,
    TIMESTAMP: _timestamp,
}
_LOGICAL_FAILURES: dict[str | None, Callable[[Node, Schema], str]] = {
    DECIMAL: _decimal_failure,
    DATE: _no_integer("Date", "INT"),
    TIME: _no_integer("Time", "INT"),
    TIMESTAMP: _no_integer("Timestamp", "BIGINT", "integral"),
}
