"""Java's properties files, read as `java.util.Properties.load` reads them. Pure."""

import re

_ESCAPES = {"t": "\t", "n": "\n", "r": "\r", "f": "\f"}
_BLANK = " \t\f"
_LINES = re.compile(r"\r\n|\n|\r")
_KEY = re.compile(r"(?:\\.|[^\\=: \t\f])*", re.DOTALL)
_SEPARATOR = re.compile(r"[ \t\f]*[=:]?[ \t\f]*")
_ESCAPED = re.compile(r"\\(u[0-9a-fA-F]{4}|.|$)", re.DOTALL)


def parse(text: str) -> dict[str, str]:
    """Key → value; of a key given twice the last one counts. Raises ValueError."""
    properties: dict[str, str] = {}
    for line in _logical_lines(text):
        key = _KEY.match(line)
        assert key is not None
        separator = _SEPARATOR.match(line, key.end())
        assert separator is not None
        properties[_unescaped(key[0])] = _unescaped(line[separator.end() :])
    return properties


def _logical_lines(text: str) -> list[str]:
    """Without blank lines and comments; a line that ends in an odd number of backslashes goes on in the next one."""
    lines: list[str] = []
    continued = False
    for natural in _LINES.split(text):
        line = natural.lstrip(_BLANK)
        if not continued and (not line or line[0] in "#!"):
            continue
        goes_on = (len(line) - len(line.rstrip("\\"))) % 2 == 1
        content = line[:-1] if goes_on else line
        if continued:
            lines[-1] += content
        else:
            lines.append(content)
        continued = goes_on
    return lines


def _unescaped(text: str) -> str:
    def character(found: re.Match[str]) -> str:
        code = found[1]
        if len(code) == 5:
            return chr(int(code[1:], 16))
        if code == "u":
            raise ValueError("Malformed \\uxxxx encoding.")
        return _ESCAPES.get(code, code)

    # Characters beyond the first plane are written as two halves.
    return _ESCAPED.sub(character, text).encode("utf-16", "surrogatepass").decode("utf-16", "replace")
