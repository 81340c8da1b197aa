"""Values that must not be seen: wherever a text leaves the process, they are replaced by the name of what they came from.

For logs, traces and messages. It is the last line: what is stored or shown holds the names from the beginning.
"""

import json
import re
import threading
from collections.abc import Iterator
from urllib.parse import quote, quote_plus

#: What is shorter is no secret, and could not be told from any other text.
SHORTEST = 4
# Of a key or certificate an error may show one line.
_SHORTEST_LINE = 16


def forms(value: str) -> Iterator[str]:
    """The value as it may stand in a text: as it is, escaped in the usual ways, and line by line."""
    yield from (value, value.strip(), json.dumps(value)[1:-1], json.dumps(value, ensure_ascii=False)[1:-1], repr(value)[1:-1])
    yield from (quote(value, safe=""), quote_plus(value))
    yield from (line for line in map(str.strip, value.splitlines()) if len(line) >= _SHORTEST_LINE)


class Concealment:
    """Thread-safe. Values are kept for the life of the process: a text about an old one may come at any time."""

    def __init__(self) -> None:
        self._names: dict[str, str] = {}
        self._pattern: re.Pattern[str] | None = None
        self._lock = threading.Lock()

    def add(self, value: str, name: str) -> None:
        with self._lock:
            new = {form: name for form in forms(value) if len(form) >= SHORTEST and form not in self._names}
            if new:
                self._names |= new
                # The longest first: of one within another, the rest must not be left over.
                self._pattern = re.compile("|".join(re.escape(form) for form in sorted(self._names, key=len, reverse=True)))

    def conceal(self, text: str) -> str:
        pattern = self._pattern
        return text if pattern is None else pattern.sub(lambda found: self._names[found[0]], text)


_concealment = Concealment()
#: Of this process: `add(value, name)`, then `conceal(text)`.
add, conceal = _concealment.add, _concealment.conceal
