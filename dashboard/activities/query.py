"""What of the activities a page, a download or a call asks for."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from urllib.parse import urlencode

PAGE_SIZE = 50
OUTCOMES = ("done", "refused")


@dataclass(frozen=True, slots=True)
class ActivityQuery:
    """Empty: any. `connector` is found anywhere in a name; the other texts are whole. `newest`: nothing that came after it is
    drawn, because the page of somebody who reads stands still."""

    person: str = ""
    verb: str = ""
    cluster: str = ""
    connector: str = ""
    outcome: str = ""
    since: datetime | None = None
    until: datetime | None = None
    page: int = 1
    newest: int | None = None

    @property
    def filters(self) -> dict[str, str]:
        """As they stand in an address."""
        pairs = {
            "person": self.person,
            "verb": self.verb,
            "cluster": self.cluster,
            "connector": self.connector,
            "outcome": self.outcome,
            "since": _typed(self.since),
            "until": _typed(self.until),
        }
        return {name: value for name, value in pairs.items() if value}

    @property
    def address(self) -> str:
        return "?" + urlencode({**self.filters, **({"page": str(self.page)} if self.page > 1 else {})})

    def turned(self, page: int) -> "ActivityQuery":
        return replace(self, page=page)


def parse(parameters: Mapping[str, str]) -> ActivityQuery:
    """Of anything that makes no sense, the usual is meant: an address is edited by hand, too."""

    def text(name: str) -> str:
        return parameters.get(name, "").replace("\x00", "").strip()

    page, shown = text("page"), text("shown")
    return ActivityQuery(
        person=text("person"),
        verb=text("verb"),
        cluster=text("cluster"),
        connector=text("connector"),
        outcome=text("outcome") if text("outcome") in OUTCOMES else "",
        since=moment(text("since")),
        until=moment(text("until")),
        page=min(max(1, int(page)), 10**6) if page.isdecimal() and len(page) < 10 else 1,
        newest=int(shown) if shown.isdecimal() and len(shown) < 19 else None,
    )


def moment(text: str) -> datetime | None:
    """`2026-11-22T06:30`, with a zone or in UTC."""
    try:
        found = datetime.fromisoformat(text)
    except ValueError:
        return None
    return found.replace(tzinfo=UTC) if found.tzinfo is None else found


def _typed(at: datetime | None) -> str:
    """As a field of a form takes it."""
    return at.astimezone(UTC).replace(tzinfo=None).isoformat(timespec="minutes") if at else ""
