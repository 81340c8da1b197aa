"""What was done to a connector's offsets, and how it ended."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from connect_client import PartitionOffset
from dashboard.fleet.sentence import count
from dashboard.offsets.changes import Change

_MOST_SHOWN = 50


class Deed(StrEnum):
    """What was asked for."""

    ALTER = "alter"
    RESET = "reset"
    PUT_BACK = "put-back"

    @property
    def verb(self) -> str:
        """Of the activity that it is noted as."""
        return f"{self}-offsets"


class Outcome(StrEnum):
    """UNKNOWN from the moment it is asked for until there is an answer that leaves no doubt: nobody may be there to note one."""

    UNKNOWN = "unknown"
    DONE = "done"
    REFUSED = "refused"


def ended(outcome: Outcome, message: str) -> str:
    """How a change ended, in a sentence."""
    match outcome:
        case Outcome.DONE:
            return message
        case Outcome.REFUSED:
            return f"Refused, nothing was changed: {message}"
        case Outcome.UNKNOWN:
            why = message or "no answer has been noted. The control room may have ended before there was one."
            return f"What came of it is not known: {why}"


@dataclass(frozen=True, slots=True)
class Past:
    """A change that was asked for, by whom and when. `message`: the cluster's own words, or why there are none."""

    id: int
    asked_at: datetime
    by: str
    deed: Deed
    outcome: Outcome
    message: str
    changes: tuple[Change, ...]

    @property
    def title(self) -> str:
        offsets = count(len(self.changes), "offset")
        if self.deed is Deed.RESET:
            return f"All {offsets} reset" if len(self.changes) > 1 else "The only offset reset"
        return f"{offsets} {'put back' if self.deed is Deed.PUT_BACK else 'altered'}"

    @property
    def ended(self) -> str:
        return ended(self.outcome, self.message)

    @property
    def can_be_put_back(self) -> bool:
        return self.outcome is not Outcome.REFUSED

    @property
    def shown(self) -> tuple[Change, ...]:
        return self.changes[:_MOST_SHOWN]

    @property
    def more(self) -> int:
        return len(self.changes) - len(self.shown)

    @property
    def former(self) -> tuple[PartitionOffset, ...]:
        """What was before: what had no offset is to have none again."""
        return tuple(change.former for change in self.changes)
