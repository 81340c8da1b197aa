"""Data without a schema: SQL over VARIANTs. Pure.

A map is a VARIANT object. Kafka Connect knows a value's class; here it is told by the variant's own type: whole numbers of any
size are one type, Java's Long, and what JSON has of fractions is a decimal there and a Double in Java.
"""

from __future__ import annotations

from collections.abc import Mapping

from workers.data import sql
from workers.data.records import Failure

_MAP = "map<string,variant>"
#: Java's class by the variant's type.
_CLASSES = {
    "BIGINT": "java.lang.Long",
    "DOUBLE": "java.lang.Double",
    "DECIMAL": "java.lang.Double",
    "FLOAT": "java.lang.Float",
    "BOOLEAN": "java.lang.Boolean",
    "STRING": "java.lang.String",
    "BINARY": "[B",
    "DATE": "java.util.Date",
    "TIMESTAMP": "java.util.Date",
    "ARRAY": "java.util.ArrayList",
    "OBJECT": "java.util.HashMap",
}


def tag(variant: str) -> str:
    """Its type: BIGINT, DOUBLE, DECIMAL, FLOAT, BOOLEAN, STRING, BINARY, DATE, TIMESTAMP, ARRAY, OBJECT, VOID for the null
    inside a variant."""
    return f"regexp_extract(schema_of_variant({variant}), '^[A-Z]+', 0)"


def java_class(variant: str) -> str:
    """'null' for null."""
    names = sql.case(((f"{tag(variant)} = '{kind}'", f"'{name}'") for kind, name in _CLASSES.items()), "'null'")
    return f"coalesce({names}, 'null')"


def as_map(variant: str) -> str:
    """Null if it is none."""
    return f"try_cast({variant} AS {_MAP})"


def at(mapped: str, field: str) -> str:
    return f"{mapped}[{sql.text(field)}]"


def or_null(variant: str) -> str:
    """SQL's null for the null inside a variant."""
    return f"if(is_variant_null({variant}), NULL, {variant})"


def of(value: str) -> str:
    return f"CAST({value} AS VARIANT)"


def to_variant(mapped: str) -> str:
    return f"to_variant_object({mapped})"


def entries(fields: Mapping[str, str]) -> str:
    """A map of variants by name; at least one."""
    return "map(" + ", ".join(f"{sql.text(name)}, {value}" for name, value in fields.items()) + ")"


def with_fields(mapped: str, fields: Mapping[str, str]) -> str:
    return f"map_concat({mapped}, {entries(fields)})" if fields else mapped


def require_map(variant: str, purpose: str, *, null_passes: bool = False) -> Failure:
    """Also of the null inside a variant."""
    told = (
        f"concat({sql.text(f'Only Map objects supported in absence of schema for [{purpose}], found: ')}, {java_class(variant)})"
    )
    wrong = f"{as_map(variant)} IS NULL"
    if null_passes:
        wrong += f" AND {or_null(variant)} IS NOT NULL"
    return Failure(f"CASE WHEN {wrong} THEN {told} END")
