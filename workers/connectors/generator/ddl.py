"""Schemas as Spark writes them: `id BIGINT, name STRING, tags ARRAY<STRING>, place STRUCT<lat: DOUBLE, lon: DOUBLE>`. Pure."""

from __future__ import annotations

import re
from dataclasses import dataclass

PRIMITIVES = ("BOOLEAN", "TINYINT", "SMALLINT", "INT", "BIGINT", "FLOAT", "DOUBLE", "STRING", "BINARY", "DATE", "TIMESTAMP")
_SAME = {"INTEGER": "INT", "LONG": "BIGINT", "SHORT": "SMALLINT", "BYTE": "TINYINT", "REAL": "FLOAT", "DEC": "DECIMAL"}
_TOKEN = re.compile(r"\s*(`(?:[^`]|``)+`|\w+|[<>(),:])\s*")
_DIGITS = 38


@dataclass(frozen=True, slots=True)
class DataType:
    """`name` is Spark's, in capitals. ARRAY has one of `inner`, MAP two, STRUCT has `fields`, DECIMAL `precision` and `scale`."""

    name: str
    inner: tuple[DataType, ...] = ()
    fields: tuple[tuple[str, DataType], ...] = ()
    precision: int = 0
    scale: int = 0


def parse(text: str) -> tuple[tuple[str, DataType], ...]:
    """The fields. Raises ValueError that says what is wrong."""
    reader = _Reader(text)
    fields = reader.fields()
    if reader.token:
        raise ValueError(f"'{reader.token}' is not expected after {reader.before()}")
    return fields


class _Reader:
    def __init__(self, text: str) -> None:
        self._text = text
        self._at = self._next = 0
        self.token = ""
        self._advance()

    def before(self) -> str:
        return f"'{self._text[: self._at].strip()}'" if self._text[: self._at].strip() else "the beginning"

    def _advance(self) -> str:
        taken, self._at = self.token, self._next
        found = _TOKEN.match(self._text, self._at)
        if found is None and self._text[self._at :].strip():
            raise ValueError(f"'{self._text[self._at :].strip()[:20]}' cannot be read")
        self.token, self._next = (found[1], found.end()) if found else ("", len(self._text))
        return taken

    def _expect(self, token: str) -> None:
        if self.token != token:
            raise ValueError(f"'{token}' is missing after {self.before()}")
        self._advance()

    def _takes(self, token: str) -> bool:
        if self.token != token:
            return False
        self._advance()
        return True

    def fields(self) -> tuple[tuple[str, DataType], ...]:
        found: dict[str, DataType] = {}
        while True:
            name = self._name()
            self._takes(":")
            if name in found:
                raise ValueError(f"field {name} is there twice")
            found[name] = self._type()
            if not self._takes(","):
                return tuple(found.items())

    def _name(self) -> str:
        if not re.match(r"[`\w]", self.token):
            raise ValueError(f"a field's name is missing after {self.before()}")
        name = self._advance()
        return name[1:-1].replace("``", "`") if name.startswith("`") else name

    def _type(self) -> DataType:
        if not re.match(r"\w", self.token):
            raise ValueError(f"a type is missing after {self.before()}")
        name = self._advance().upper()
        name = _SAME.get(name, name)
        if name in PRIMITIVES:
            return DataType(name)
        if name == "DECIMAL":
            return self._decimal()
        if name not in ("ARRAY", "MAP", "STRUCT"):
            raise ValueError(f"{name} is no type; there are {', '.join(PRIMITIVES)}, DECIMAL, ARRAY, MAP and STRUCT")
        self._expect("<")
        inner: tuple[DataType, ...] = ()
        fields: tuple[tuple[str, DataType], ...] = ()
        if name == "STRUCT":
            fields = self.fields()
        elif name == "ARRAY":
            inner = (self._type(),)
        else:
            key = self._type()
            self._expect(",")
            inner = (key, self._type())
        self._expect(">")
        return DataType(name, inner, fields)

    def _decimal(self) -> DataType:
        precision, scale = 10, 0
        if self._takes("("):
            precision = self._number()
            if self._takes(","):
                scale = self._number()
            self._expect(")")
        if not 1 <= precision <= _DIGITS or scale > precision:
            raise ValueError(f"DECIMAL({precision},{scale}) is no type: at most {_DIGITS} digits, of them those behind the point")
        return DataType("DECIMAL", precision=precision, scale=scale)

    def _number(self) -> int:
        if not re.fullmatch(r"[0-9]{1,4}", self.token):
            raise ValueError(f"a number is missing after {self.before()}")
        return int(self._advance())
