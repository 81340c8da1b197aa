"""A search as somebody types it: words, "whole phrases", and `field:value` or `field:"some value"`."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum


class Field(StrEnum):
    """What can be asked for, as it is written in a search and in an address; TEXT is what has no name before it."""

    STATE = "state"
    IS = "is"
    CLUSTER = "cluster"
    TYPE = "type"
    CLASS = "class"
    WORKER = "worker"
    NAME = "name"
    CONFIG = "config"
    FAILURE = "failure"
    TEXT = "q"


@dataclass(frozen=True, slots=True)
class Term:
    field: Field
    value: str

    def __str__(self) -> str:
        if self.field is Field.TEXT:
            return _quoted(self.value) if _LIKE_A_FIELD.match(self.value) else _word(self.value)
        return f"{self.field}:{_word(self.value)}"


_NAMED = {field.value: field for field in Field if field is not Field.TEXT}
_LIKE_A_FIELD = re.compile(r"[A-Za-z]+:")
_IN_QUOTES = r'"((?:\\.|[^"\\])*)(?:"|\\?\Z)'
_TOKEN = re.compile(rf'(?:([A-Za-z]+):)?((?:{_IN_QUOTES}|[^\s"])*)', re.S)
_QUOTED = re.compile(_IN_QUOTES, re.S)
_NEEDS_QUOTES = re.compile(r'[\s"]')


def read(text: str) -> Iterator[tuple[str, Term]]:
    """Each term with the name before its colon that is not a field's, as in `clutser:eu`, which is text then; empty if there is
    none. A quote that nothing closes holds to the end: somebody is typing."""
    at = 0
    while at < len(text):
        if text[at].isspace():
            at += 1
            continue
        token = _TOKEN.match(text, at)
        assert token is not None
        at = token.end()
        name, value = token[1] or "", _QUOTED.sub(lambda quoted: re.sub(r"\\(.)", r"\1", quoted[1], flags=re.S), token[2])
        field = _NAMED.get(name.lower())
        if field:
            yield "", Term(field, value)
        elif name:
            yield name, Term(Field.TEXT, f"{name}:{value}")
        elif value:
            yield "", Term(Field.TEXT, value)


def write(terms: Iterable[Term]) -> str:
    """The search that reads as these."""
    return " ".join(str(term) for term in terms)


def _word(value: str) -> str:
    return _quoted(value) if not value or _NEEDS_QUOTES.search(value) else value


def _quoted(value: str) -> str:
    escaped = value.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'
