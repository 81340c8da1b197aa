"""Activities as a file, in pieces as they come from the database."""

import csv
import io
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import orjson

COLUMNS = ("at", "person", "via", "verb", "cluster", "connector", "task", "job", "outcome", "message", "before", "after")
# What a spreadsheet takes for the beginning of a formula.
_FORMULA = ("=", "+", "-", "@", "\t", "\r")


def as_csv(rows: Iterable[Mapping[str, Any]]) -> Iterator[bytes]:
    """RFC 4180, UTF-8. `before` and `after` are JSON; what would be a formula has an apostrophe before it."""
    text = io.StringIO()
    writer = csv.writer(text)
    writer.writerow(COLUMNS)
    for row in rows:
        writer.writerow([_cell(row[column]) for column in COLUMNS])
        yield _taken(text)
    yield _taken(text)


def as_json(rows: Iterable[Mapping[str, Any]]) -> Iterator[bytes]:
    """One array."""
    separator = b"[\n"
    for row in rows:
        yield separator + orjson.dumps(row)
        separator = b",\n"
    yield b"[]\n" if separator == b"[\n" else b"\n]\n"


def _cell(value: Any) -> str:
    if value is None:
        return ""
    text = value if isinstance(value, str) else orjson.dumps(value).decode()
    return f"'{text}" if text.startswith(_FORMULA) else text


def _taken(text: io.StringIO) -> bytes:
    told = text.getvalue().encode()
    text.seek(0)
    text.truncate()
    return told
