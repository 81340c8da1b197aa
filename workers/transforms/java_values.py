"""What `org.apache.kafka.connect.data.Values` makes of a text, and the text that it makes of that again. Pure.

A text that looks like a number, a truth, a point in time, a list or a map is one: `1.50` is written as `1.5`, `[1, 2.5]` as
`[1.0,2.5]`.
"""

from __future__ import annotations

import re
import struct
from dataclasses import dataclass
from datetime import datetime, timedelta
from decimal import Decimal, InvalidOperation
from enum import IntEnum
from math import isinf


def as_header(text: str) -> str | None:
    """What SimpleHeaderConverter writes for a header with this literal; None for null."""
    if not text:
        return text
    value = _Parser(text).value(embedded=False)
    return None if value is None else _text(value, embedded=False)


class _Kind(IntEnum):
    """Numbers in the order in which one can be made another."""

    INT8 = 8
    INT16 = 16
    INT32 = 32
    INT64 = 64
    FLOAT32 = 100
    FLOAT64 = 101
    DECIMAL = 102
    BOOLEAN = 200
    STRING = 201
    TIME = 202
    ARRAY = 203
    MAP = 204


@dataclass(frozen=True, slots=True)
class _Value:
    """`data` of a TIME is the text it is written as."""

    kind: _Kind
    data: object


class _NoValue(ValueError):
    """It is a text after all."""


_TOKEN = re.compile(r'(?:\\.|[^:,{}\[\]"\\])+|[:,{}\[\]"]|\\', re.DOTALL)
_DATE, _CLOCK = r"(\d{4})-(\d\d)-(\d\d)", r"(\d\d):(\d\d):(\d\d)\.(\d{3})Z"
#: By their lengths, and what goes before the numbers that they have.
_TIMES = {
    13: (re.compile(_CLOCK), (1970, 1, 1), ()),
    24: (re.compile(f"{_DATE}T{_CLOCK}"), (), ()),
    10: (re.compile(_DATE), (), (0, 0, 0, 0)),
}
_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?")


class _Parser:
    def __init__(self, text: str) -> None:
        self._text = text
        self._tokens = [match.group() for match in _TOKEN.finditer(text)]
        self._at = 0

    def _more(self) -> bool:
        return self._at < len(self._tokens)

    def _takes(self, token: str) -> bool:
        """Blanks before it are passed over, as it is itself if it comes."""
        at = self._at
        while at < len(self._tokens) - 1 and not self._tokens[at].strip():
            at += 1
        if at < len(self._tokens) and self._tokens[at].strip() == token:
            self._at = at + 1
            return True
        return False

    def value(self, *, embedded: bool) -> _Value | None:
        """Raises _NoValue for what is embedded and none."""
        if embedded and self._takes('"'):
            return self._quoted()
        start = self._at
        for literal, value in (("null", None), ("true", _Value(_Kind.BOOLEAN, True)), ("false", _Value(_Kind.BOOLEAN, False))):
            if self._takes(literal):
                if embedded or not self._more():
                    return value
                self._at = start
        try:
            if self._takes("["):
                return self._array()
            if self._takes("{"):
                return self._map()
        except _NoValue:
            self._at = start
        return self._scalar(embedded=embedded)

    def _quoted(self) -> _Value:
        content = ""
        while self._more() and not self._takes('"'):
            content += self._tokens[self._at]
            self._at += 1
        return _time(content) or _Value(_Kind.STRING, content)

    def _array(self) -> _Value:
        items: list[_Value | None] = []
        while self._more():
            if self._takes("]"):
                return _Value(_Kind.ARRAY, _aligned(items))
            if self._takes(","):
                raise _NoValue
            items.append(self.value(embedded=True))
            at = self._at
            if self._takes("]"):
                self._at = at
            elif not self._takes(","):
                raise _NoValue
        raise _NoValue

    def _map(self) -> _Value:
        keys: list[_Value | None] = []
        values: list[_Value | None] = []
        while self._more():
            if self._takes("}"):
                return _Value(_Kind.MAP, dict(zip(map(_Item, _aligned(keys)), _aligned(values), strict=True)))
            if self._takes(","):
                raise _NoValue
            key = self.value(embedded=True)
            if key is None or not self._takes(":"):
                raise _NoValue
            keys.append(key)
            values.append(self.value(embedded=True))
            self._takes(",")
        raise _NoValue

    def _scalar(self, *, embedded: bool) -> _Value:
        if not self._more():
            raise _NoValue
        token = self._tokens[self._at].strip()
        self._at += 1
        if not token:
            return _Value(_Kind.STRING, self._tokens[self._at - 1])
        if token[0].isdigit():
            five = token + "".join(self._tokens[self._at : self._at + 4])
            found = _time(five)
            if found is not None:
                self._at += 4
                return found
            found = _time(token)
            if found is not None:
                return found
        number = _number(token) if token[0] in "+-" or token[0].isdigit() else None
        if number is not None:
            return number
        if embedded:
            raise _NoValue
        return _Value(_Kind.STRING, self._text)


@dataclass(frozen=True, slots=True)
class _Item:
    """A map's key, by what it holds."""

    value: _Value | None

    def __hash__(self) -> int:
        return hash(str(self.value))


def _time(text: str) -> _Value | None:
    """Java takes a 13th month for the next year's first."""
    text = text.replace("\\:", ":")
    if len(text) not in _TIMES:
        return None
    shape, before, after = _TIMES[len(text)]
    match = shape.fullmatch(text)
    if match is None:
        return None
    year, month, day, hour, minute, second, millis = (*before, *map(int, match.groups()), *after)
    try:
        midnight = datetime(year + (month - 1) // 12, (month - 1) % 12 + 1, 1)
        at = midnight + timedelta(days=day - 1, hours=hour, minutes=minute, seconds=second, milliseconds=millis)
    except (ValueError, OverflowError):
        return None
    # As `Values.dateFormatFor` writes it.
    clock = at.strftime("%H:%M:%S.") + f"{at.microsecond // 1000:03d}Z"
    if at < datetime(1970, 1, 2):
        return _Value(_Kind.TIME, clock)
    date = at.date().isoformat()
    return _Value(_Kind.TIME, date if clock == "00:00:00.000Z" else f"{date}T{clock}")


def _number(token: str) -> _Value | None:
    if not _NUMBER.fullmatch(token):
        return None
    try:
        value = Decimal(token)
    except InvalidOperation:
        return None
    if value == value.to_integral_value():
        for kind in (_Kind.INT8, _Kind.INT16, _Kind.INT32, _Kind.INT64):
            if -(2 ** (kind - 1)) <= value < 2 ** (kind - 1):
                return _Value(kind, int(value))
    exponent = value.as_tuple().exponent
    if exponent != 0:
        single = _single(float(value))
        if single is not None:
            return _Value(_Kind.FLOAT32, single)
        if abs(float(value)) != float("inf"):
            return _Value(_Kind.FLOAT64, float(value))
    return _Value(_Kind.DECIMAL, value)


def _single(value: float) -> float | None:
    """As a single; None where that would be infinite."""
    single = float(struct.unpack("f", struct.pack("f", value))[0])
    return None if isinf(single) else single


def _aligned(items: list[_Value | None]) -> list[_Value | None]:
    """With the type that all of them can have, where they are of several. Raises _NoValue if there is none."""
    kinds = {item.kind for item in items if item is not None}
    if len(kinds) < 2:
        return items
    widest = max(kinds)
    if widest > _Kind.FLOAT64:
        raise _NoValue
    if widest <= _Kind.INT64:
        return items
    return [None if item is None else _Value(widest, _as_float(item.data, widest)) for item in items]


def _as_float(data: object, kind: _Kind) -> float:
    assert isinstance(data, int | float)
    value = float(data)
    return (_single(value) or 0.0) if kind is _Kind.FLOAT32 else value


# --- and back -----------------------------------------------------------------------------------------------------------


def _text(value: _Value | None, *, embedded: bool) -> str:
    if value is None:
        return "null"
    data = value.data
    if isinstance(data, bool):
        return str(data).lower()
    if isinstance(data, str):
        if not embedded or value.kind is _Kind.TIME:
            return data
        escaped = data.replace("\\", "\\\\").replace('"', '\\"')
        return f'"{escaped}"'
    if isinstance(data, float):
        return _java_float(data, single=value.kind is _Kind.FLOAT32)
    if isinstance(data, list):
        return f"[{','.join(_text(item, embedded=True) for item in data)}]"
    if isinstance(data, dict):
        pairs = (f"{_text(key.value, embedded=True)}:{_text(item, embedded=True)}" for key, item in data.items())
        return f"{{{','.join(pairs)}}}"
    return f"{data:f}" if isinstance(data, Decimal) else str(data)


def _java_float(value: float, *, single: bool) -> str:
    """`Float.toString`, `Double.toString`."""
    digits = _shortest(value) if single else repr(value)
    number = Decimal(digits)
    if number == 0:
        return "-0.0" if digits.startswith("-") else "0.0"
    if Decimal("0.001") <= abs(number) < 10_000_000:
        plain = f"{number:f}"
        return plain if "." in plain else f"{plain}.0"
    sign, figures, _ = number.normalize().as_tuple()
    shown = "".join(map(str, figures))
    return f"{'-' if sign else ''}{shown[0]}.{shown[1:] or '0'}E{number.adjusted()}"


def _shortest(value: float) -> str:
    """That is read as the same single again."""
    return next(text for figures in range(1, 10) if _single(float(text := f"{value:.{figures}g}")) == value)
