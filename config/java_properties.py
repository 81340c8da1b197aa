"""Java's properties files, read and written as `java.util.Properties` does. Pure."""

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

_ESCAPES = {"t": "\t", "n": "\n", "r": "\r", "f": "\f"}
_LETTERS = {control: letter for letter, control in _ESCAPES.items()}
_BLANK = " \t\f"
_LINES = re.compile(r"\r\n|\n|\r")
_KEY = re.compile(r"(?:\\.|[^\\=: \t\f])*", re.DOTALL)
_SEPARATOR = re.compile(r"[ \t\f]*[=:]?[ \t\f]*")
_ESCAPED = re.compile(r"\\(u[0-9a-fA-F]{4}|.|$)", re.DOTALL)


class Entry(NamedTuple):
    """A key and its value, and the number of the line in which it begins."""

    key: str
    value: str
    line: int


class Malformed(ValueError):
    """In Java's words."""

    def __init__(self, line: int) -> None:
        super().__init__("Malformed \\uxxxx encoding.")
        self.line = line


def parse(text: str) -> dict[str, str]:
    """Key → value; of a key given twice the last one counts. Raises Malformed."""
    return {entry.key: entry.value for entry in entries(text)}


def entries(text: str) -> Iterator[Entry]:
    """In their order. Raises Malformed."""
    for number, line in _logical_lines(text):
        key = _KEY.match(line)
        assert key is not None
        separator = _SEPARATOR.match(line, key.end())
        assert separator is not None
        try:
            yield Entry(_unescaped(key[0]), _unescaped(line[separator.end() :]), number)
        except ValueError as error:
            raise Malformed(number) from error


def _logical_lines(text: str) -> list[tuple[int, str]]:
    """With the number of their first line. Without blank lines and comments; a line that ends in an odd number of backslashes
    goes on in the next one."""
    lines: list[tuple[int, str]] = []
    continued = False
    for number, natural in enumerate(_LINES.split(text), 1):
        line = natural.lstrip(_BLANK)
        if not continued and (not line or line[0] in "#!"):
            continue
        goes_on = (len(line) - len(line.rstrip("\\"))) % 2 == 1
        content = line[:-1] if goes_on else line
        if continued:
            first, before = lines.pop()
            lines.append((first, before + content))
        else:
            lines.append((number, content))
        continued = goes_on
    return lines


def _unescaped(text: str) -> str:
    def character(found: re.Match[str]) -> str:
        code = found[1]
        if len(code) == 5:
            return chr(int(code[1:], 16))
        if code == "u":
            raise ValueError(found[0])
        return _ESCAPES.get(code, code)

    # Characters beyond the first plane are written as two halves.
    return _ESCAPED.sub(character, text).encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def written(pairs: Iterable[tuple[str, str]]) -> str:
    """In ASCII: whoever reads it may take it for Latin-1."""
    return "".join(f"{_escaped(key, '=:#! ')}={_escaped(value)}\n" for key, value in pairs)


def _escaped(text: str, special: str = "") -> str:
    blanks = len(text) - len(text.lstrip(" "))
    return "".join(_one(sign, special + " " if at < blanks else special) for at, sign in enumerate(text))


def _one(sign: str, special: str) -> str:
    if sign == "\\" or sign in special:
        return f"\\{sign}"
    if sign in _LETTERS:
        return f"\\{_LETTERS[sign]}"
    if " " <= sign <= "~":
        return sign
    halves = sign.encode("utf-16-be", "surrogatepass").hex()
    return "".join(f"\\u{halves[at : at + 4]}" for at in range(0, len(halves), 4))
