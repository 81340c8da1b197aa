"""What of the fleet a page is asked to show, as it stands in its address."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from urllib.parse import urlencode

from dashboard.fleet.states import State

PAGE_SIZE = 100
# `12` or, with a second line, `12t`.
_SHOWN = re.compile(r"(?P<id>\d{1,15})(?P<tall>t?)")


@dataclass(frozen=True, slots=True)
class FleetQuery:
    """`shown`: the ids of the rows that are on somebody's screen already, in their order; empty for a fresh page.
    `tall`: those of them that have a second line, and are to keep it.
    """

    state: State | None = None
    text: str = ""
    page: int = 1
    shown: tuple[int, ...] = ()
    tall: frozenset[int] = frozenset()

    @property
    def address(self) -> str:
        """The query string that says the same, but for `shown`: that is for a page to know, not for a link."""
        pairs = {
            "state": self.state.lower() if self.state else "",
            "q": self.text,
            "page": str(self.page) if self.page > 1 else "",
        }
        return "?" + urlencode({key: value for key, value in pairs.items() if value})

    def filtered(self, state: State | None) -> "FleetQuery":
        return replace(self, state=state, page=1, shown=(), tall=frozenset())

    def turned(self, page: int) -> "FleetQuery":
        return replace(self, page=page, shown=(), tall=frozenset())


def parse(parameters: Mapping[str, str]) -> FleetQuery:
    """Of anything that makes no sense, the usual is meant: an address is edited by hand, too."""
    page = parameters.get("page", "")
    rows = [match for word in parameters.get("shown", "").split(",")[:PAGE_SIZE] if (match := _SHOWN.fullmatch(word))]
    return FleetQuery(
        state=_state(parameters.get("state", "")),
        text=parameters.get("q", "").strip(),
        page=max(1, int(page)) if page.isdecimal() else 1,
        shown=tuple(dict.fromkeys(int(row["id"]) for row in rows)),
        tall=frozenset(int(row["id"]) for row in rows if row["tall"]),
    )


def _state(word: str) -> State | None:
    try:
        return State(word.upper())
    except ValueError:
        return None
