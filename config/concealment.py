"""Values that must not be seen: in a text that may hold one, it is replaced by the name of what it came from.

The last line, for traces, answers and logs, whose texts are other people's; what is stored holds the names from the beginning.
What is said of one connector is searched for its own values only: two connectors may hold the same word, and nobody is to find
that out by trying. Logs are searched for all.
"""

import json
import re
import threading
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from urllib.parse import quote, quote_plus

#: What is shorter is no secret, and could not be told from any other text.
SHORTEST = 4
# Of a key or certificate an error may show one line.
_SHORTEST_LINE = 16
_MARK = "concealment"


def forms(value: str) -> Iterator[str]:
    """The value as it may stand in a text: as it is, escaped in the usual ways, and line by line."""
    yield from (value, value.strip(), json.dumps(value)[1:-1], json.dumps(value, ensure_ascii=False)[1:-1], repr(value)[1:-1])
    yield from (quote(value, safe=""), quote_plus(value))
    yield from (line for line in map(str.strip, value.splitlines()) if len(line) >= _SHORTEST_LINE)


class Concealment:
    """Knows values and their names. Thread-safe."""

    def __init__(self, named: Iterable[tuple[str, str]] = ()) -> None:
        self._names: dict[str, str] = {}
        self._pattern: re.Pattern[str] | None = None
        self._lock = threading.Lock()
        for value, name in named:
            self.add(value, name)

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

    @contextmanager
    def marking(self) -> Iterator[None]:
        """What is raised within knows what its text must not show (`concealment_of`)."""
        try:
            yield
        except BaseException as error:
            setattr(error, _MARK, self)
            raise


NOTHING = Concealment()
#: All values of this process's life, for its logs: a line about an old one may come at any time.
LOGS = Concealment()


def concealment_of(error: BaseException) -> Concealment:
    """What the texts of this error and its causes must be searched for."""
    found: Concealment = getattr(error, _MARK, NOTHING)
    return found
