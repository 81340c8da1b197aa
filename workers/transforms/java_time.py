"""Java's instants: milliseconds since 1970 in UTC, whatever type carries them, and `java.text.SimpleDateFormat`. SQL text. Pure.

All of it is arithmetic over milliseconds, so that no time zone of a session has a say, and is as lenient as Java: a 13th month is
the next year's first, and what stands behind the last thing that was looked for does not matter. Differences: the calendar is the
Gregorian one also before 1582, the names are English, and time zones are offsets, UTC or GMT.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from workers.data import sql
from workers.data.schema import DATE, TIME, TIMESTAMP

DAY = 86_400_000
#: The farthest that Spark's timestamps reach.
_FARTHEST = 9_223_372_036_854_775

_MONTHS = (
    *("January", "February", "March", "April", "May", "June"),
    *("July", "August", "September", "October", "November", "December"),
)
_DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
_TOKEN = re.compile(r"'((?:[^']|'')*)'|([A-Za-z])\2*|[^A-Za-z']+")


class UnknownPattern(ValueError):
    """The text says what is wrong with it."""


@dataclass(frozen=True, slots=True)
class Token:
    """`letter` is empty for a text that stands for itself."""

    letter: str
    text: str

    @property
    def count(self) -> int:
        return len(self.text)

    @property
    def number(self) -> bool:
        return self.letter in _NUMBERS or (self.letter == "M" and self.count < 3)


#: What a letter shows, of `{d}`, the date, and `{t}`, the milliseconds since midnight.
_NUMBERS = {
    "y": "year({d})",
    "d": "day({d})",
    "H": "{t} div 3600000",
    "k": "if({t} < 3600000, 24, {t} div 3600000)",
    "K": "({t} div 3600000) % 12",
    "h": "({t} div 3600000 + 11) % 12 + 1",
    "m": "({t} div 60000) % 60",
    "s": "({t} div 1000) % 60",
    "S": "{t} % 1000",
}
_OTHERS = "MaEzZX"


def tokens(pattern: str) -> list[Token]:
    """Raises UnknownPattern."""
    found: list[Token] = []
    at = 0
    while at < len(pattern):
        match = _TOKEN.match(pattern, at)
        if match is None:
            raise UnknownPattern("Unterminated quote")
        quoted, letter = match.group(1), match.group(2)
        if letter and letter not in _NUMBERS and letter not in _OTHERS:
            raise UnknownPattern(f"Drover does not know the pattern letter '{letter}'; it knows {''.join(_NUMBERS)}{_OTHERS}")
        if letter == "X" and len(match.group()) > 3:
            raise UnknownPattern("invalid ISO 8601 format: length=" + str(len(match.group())))
        if letter:
            found.append(Token(letter, match.group()))
        else:
            found.append(
                Token("", "'" if match.group() == "''" else match.group() if quoted is None else quoted.replace("''", "'"))
            )
        at = match.end()
    return found


# --- instants as values -------------------------------------------------------------------------------------------------


def millis(value: str, name: str) -> str:
    """Of a value of the logical type `name`."""
    return {
        DATE: f"(CAST(unix_date({value}) AS BIGINT) * {DAY})",
        TIME: f"CAST({value} AS BIGINT)",
        TIMESTAMP: f"unix_millis({value})",
    }[name]


def day(instant: str) -> str:
    """Null where it is no day of Spark's."""
    days = f"{instant} div {DAY} - if({instant} < 0 AND {instant} % {DAY} <> 0, 1, 0)"
    return f"date_from_unix_date(try_cast({days} AS INT))"


def time_of_day(instant: str) -> str:
    return f"CAST(pmod({instant}, {DAY}) AS INT)"


def timestamp(instant: str) -> str:
    """Null where Spark's timestamps do not reach."""
    return f"timestamp_millis(if({instant} BETWEEN -{_FARTHEST} AND {_FARTHEST}, {instant}, NULL))"


def of_millis(instant: str, name: str) -> str:
    """As the logical type `name`; the time or the date that does not belong to it is cut off."""
    return {DATE: day, TIME: time_of_day, TIMESTAMP: timestamp}[name](instant)


# --- texts --------------------------------------------------------------------------------------------------------------


def formatted(pattern: Sequence[Token], instant: str) -> str:
    """SQL of the text, null for null."""
    date, clock = day(instant), f"pmod({instant}, {DAY})"
    shape, values = "", []
    for token in pattern:
        form, value = _shown(token)
        shape += form
        if value is not None:
            values.append(value.format(d=date, t=clock))
    text = f"format_string({', '.join([sql.text(shape), *values])})"
    return f"CASE WHEN {instant} IS NOT NULL THEN {text} END"


def _shown(token: Token) -> tuple[str, str | None]:
    """For `format_string`."""
    match token.letter:
        case "":
            return token.text.replace("%", "%%"), None
        case "y" if token.count == 2:
            return "%02d", "year({d}) % 100"
        case "M" if token.count < 3:
            return f"%0{token.count}d", "month({d})"
        case "M":
            return "%s", _name(_MONTHS, "month({d}) - 1", token.count == 3)
        case "E":
            return "%s", _name(_DAYS, "weekday({d})", token.count <= 3)
        case "a":
            return "%s", "if({t} < 43200000, 'AM', 'PM')"
        case "z":
            return "UTC" if token.count < 4 else "Coordinated Universal Time", None
        case "Z":
            return "+0000", None
        case "X":
            return "Z", None
        case letter:
            return f"%0{token.count}d", _NUMBERS[letter]


def _name(names: Sequence[str], index: str, short: bool) -> str:
    shown = ", ".join(f"'{name[:3] if short else name}'" for name in names)
    return f"array({shown})[{index}]"


#: `org.apache.kafka.connect.data.Values.dateFormatFor`: what is before 1970-01-02 looks like a time.
_TIME, _DATE, _BOTH = tokens("HH:mm:ss.SSS'Z'"), tokens("yyyy-MM-dd"), tokens("yyyy-MM-dd'T'HH:mm:ss.SSS'Z'")


def iso_text(instant: str) -> str:
    return sql.case(
        [(f"{instant} < {DAY}", formatted(_TIME, instant)), (f"{instant} % {DAY} = 0", formatted(_DATE, instant))],
        formatted(_BOTH, instant),
    )


# --- texts that are read ------------------------------------------------------------------------------------------------

_ZONE = r"(?:GMT|UTC)?([+-]\d{1,2}:?\d{2})?"
_ISO_ZONES = {1: r"(Z|[+-]\d{2})", 2: r"(Z|[+-]\d{4})", 3: r"(Z|[+-]\d{2}:\d{2})"}


def expression(pattern: Sequence[Token]) -> str:
    """Java's regular expression for what the pattern can read; its groups are those of the tokens with a letter."""
    parts = [r"\A"]
    for index, token in enumerate(pattern):
        follows = index + 1 < len(pattern) and pattern[index + 1].letter != ""
        parts.append(_readable(token, follows))
    return "".join(parts)


def _readable(token: Token, follows: bool) -> str:
    if token.letter == "":
        # Java passes over blanks where the pattern has some.
        return re.sub(r"(?:\\ )+", r"\\s+", re.escape(token.text))
    if token.number:
        if not follows:
            return rf"[ \t]*+(-?\d{{1,{6 if token.letter in 'yM' else 9}}}+)(?!\d)"
        # As many characters as there are letters, and they have to be there.
        negative = rf"-\d{{1,{token.count - 1}}}+|" if token.count > 1 else ""
        return rf"(?=.{{{token.count}}})({negative}\d{{1,{token.count}}}+)"
    match token.letter:
        case "M":
            return rf"[ \t]*((?i:{_any(_MONTHS)}))"
        case "E":
            return rf"[ \t]*((?i:{_any(_DAYS)}))"
        case "a":
            return r"[ \t]*((?i:AM|PM))"
        case "X":
            return rf"[ \t]*{_ISO_ZONES[token.count]}"
        case _:
            return rf"[ \t]*{_ZONE}"


def _any(names: Sequence[str]) -> str:
    return "|".join(f"{name}|{name[:3]}" for name in names)


def parsed(pattern: Sequence[Token], text: str) -> str:
    """SQL of the instant. It counts only where `expression` matches."""
    shape = sql.text(expression(pattern))
    groups = [token for token in pattern if token.letter]

    def last(letters: str, read: Callable[[Token, str], str], default: str) -> str:
        at = max((index for index, token in enumerate(groups) if token.letter in letters), default=None)
        return default if at is None else read(groups[at], f"regexp_extract({text}, {shape}, {at + 1})")

    year, month, day_of_month = last("y", _year, "1970"), last("M", _month, "1"), last("d", _number, "1")
    days = f"(unix_date(add_months(make_date({year}, 1, 1), CAST({month} AS INT) - 1)) + {day_of_month} - 1)"
    half = last("a", lambda token, found: f"if(upper({found}) = 'PM', 12, 0)", "0")
    hours = last("Hk", _hour, "") or f"({last('hK', _hour_of_half, '0')} + {half})"
    rest = f"{hours} * 3600000 + {last('m', _number, '0')} * 60000 + {last('s', _number, '0')} * 1000 + {last('S', _number, '0')}"
    return f"(CAST({days} AS BIGINT) * {DAY} + {rest} - {last('zZX', _offset, '0')})"


def _number(token: Token, found: str) -> str:
    return f"try_cast({found} AS BIGINT)"


def _year(token: Token, found: str) -> str:
    value = f"try_cast({found} AS INT)"
    if token.count > 2:
        return value
    # Two digits are a year between 80 years ago and 20 years ahead.
    start = "(year(current_date()) - 80)"
    century = f"{start} - {start} % 100 + {value} + if({value} < {start} % 100, 100, 0)"
    return f"if({found} RLIKE '^[0-9]{{2}}$', {century}, {value})"


def _month(token: Token, found: str) -> str:
    if token.count < 3:
        return f"try_cast({found} AS INT)"
    names = ", ".join(f"'{name[:3].upper()}'" for name in _MONTHS)
    return f"array_position(array({names}), upper(left({found}, 3)))"


def _hour(token: Token, found: str) -> str:
    value = _number(token, found)
    return f"if({value} = 24, 0, {value})" if token.letter == "k" else value


def _hour_of_half(token: Token, found: str) -> str:
    value = _number(token, found)
    return f"if({value} = 12, 0, {value})" if token.letter == "h" else value


def _offset(token: Token, found: str) -> str:
    digits = f"lpad(regexp_replace(substring({found}, 2), ':', ''), 4, '0')"
    if token.letter == "X" and token.count == 1:
        digits = f"concat(substring({found}, 2), '00')"
    minutes = f"(CAST(left({digits}, 2) AS BIGINT) * 60 + CAST(right({digits}, 2) AS BIGINT))"
    return f"CASE WHEN {found} IN ('', 'Z') THEN 0 WHEN {found} LIKE '-%' THEN -60000 * {minutes} ELSE 60000 * {minutes} END"
