"""The Config tab of a connector as values, ready for its template."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from dashboard.configs.diff import Difference, Kind, changes
from dashboard.fleet.notices import Notice
from dashboard.fleet.sentence import count

# What is looked for first comes first; the rest by name.
_FIRST_KEYS = ("name", "connector.class", "tasks.max", "topics", "topics.regex", "topic", "file")
_NAMED = 4


class View(StrEnum):
    TABLE = "table"
    EDIT = "edit"
    HISTORY = "history"


@dataclass(frozen=True, slots=True)
class VersionLine:
    """A version in the history. `changes`: against the one before; None where one of the two cannot be read any more."""

    number: int
    at: datetime
    by: str
    note: str
    changes: tuple[Difference, ...] | None
    current: bool = False

    @property
    def author(self) -> str:
        return f"by {self.by}" if self.by else "changed elsewhere" if self.number > 1 else "first seen"

    @property
    def summary(self) -> str:
        if self.changes is None:
            return "What changed cannot be read: it was sealed with another DROVER_SECRET_KEY."
        return summary(self.changes)


@dataclass(frozen=True, slots=True)
class Comparison:
    older: int
    newer: int
    differences: tuple[Difference, ...]

    @property
    def changes(self) -> tuple[Difference, ...]:
        return changes(self.differences)


@dataclass(frozen=True, slots=True)
class Editor:
    """`text` is what is in it, `original` what the cluster has, both as JSON without secrets; `opened` is the digest of that.
    `version` is the one that is taken up again, 0 for none."""

    text: str
    original: str
    opened: str
    version: int = 0
    note: str = ""


@dataclass(frozen=True, slots=True)
class ConfigPanel:
    """`key` names the panel on somebody's screen; `kept`: it stays there as it is. `why`: what speaks against editing."""

    key: str
    view: View
    kept: bool = False
    rows: tuple[tuple[str, str | None], ...] = ()
    why: str = ""
    editor: Editor | None = None
    #: Somebody has changed the config elsewhere since the kept panel was opened.
    overtaken: bool = False
    versions: tuple[VersionLine, ...] = ()
    comparison: Comparison | None = None
    notice: Notice | None = None


def rows(config: Mapping[str, str | None]) -> tuple[tuple[str, str | None], ...]:
    first = {key: place for place, key in enumerate(_FIRST_KEYS)}
    return tuple(sorted(config.items(), key=lambda item: (first.get(item[0], len(first)), item[0])))


def summary(found: Sequence[Difference]) -> str:
    """`2 changed: topics, file · 1 added: tasks.max`"""
    if not found:
        return "Nothing differs."
    told = []
    for kind in (Kind.CHANGED, Kind.ADDED, Kind.REMOVED):
        keys = [one.key for one in found if one.kind is kind]
        if keys:
            more = f" and {len(keys) - _NAMED} more" if len(keys) > _NAMED else ""
            told.append(f"{len(keys)} {kind}: {', '.join(keys[:_NAMED])}{more}")
    return " · ".join(told)


def saving(found: Sequence[Difference]) -> str:
    """The words of the button."""
    return f"Save {count(len(found), 'change')}"
