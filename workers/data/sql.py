"""Spark SQL as text. Pure.

ANSI mode is on, and no expression of ours may raise: casts are `try_cast`s, and what is wrong with a record is told by a
`Failure` (`records.py`).
"""

from collections.abc import Iterable

NULL = "NULL"


def name(identifier: str) -> str:
    """A column's or a field's name."""
    return "`" + identifier.replace("`", "``") + "`"


def text(value: str) -> str:
    """A string literal."""
    return "'" + value.replace("\\", "\\\\").replace("'", "\\'") + "'"


def field(struct: str, identifier: str) -> str:
    return f"{struct}.{name(identifier)}"


def named_struct(fields: Iterable[tuple[str, str]]) -> str:
    """Of names and expressions; at least one."""
    return "named_struct(" + ", ".join(f"{text(key)}, {value}" for key, value in fields) + ")"


def let(variable: str, value: str, body: str) -> str:
    """The body's SQL, where `variable` is what `value` is: worked out once. Else a text would grow with each use of a value."""
    return f"get(transform(array({value}), {variable} -> {body}), 0)"


def case(branches: Iterable[tuple[str, str]], otherwise: str) -> str:
    """Of conditions and values; `otherwise` alone if there are none."""
    whens = " ".join(f"WHEN {condition} THEN {value}" for condition, value in branches)
    return f"CASE {whens} ELSE {otherwise} END" if whens else otherwise
