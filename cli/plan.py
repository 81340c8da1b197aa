"""What applying resources would do, step by step, in words."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from cli.manifests import Manifest
from cli.target import Document
from connect_client.secrets import HIDDEN, is_secret

CREATE, UPDATE, DELETE, UNCHANGED = "create", "update", "delete", "unchanged"


@dataclass(frozen=True, slots=True)
class Change:
    """`before` or `after` is None where there is nothing."""

    path: str
    before: Any
    after: Any

    def __str__(self) -> str:
        before, after = self._shown(self.before), self._shown(self.after)
        if self.before is None:
            return f"+ {self.path}: {after}"
        return f"- {self.path}: {before}" if self.after is None else f"~ {self.path}: {before} -> {after}"

    def _shown(self, value: Any) -> str:
        """The server hides secrets; what somebody keeps in a file is not shown by this command either."""
        key = self.path.rpartition(".")[2]
        return HIDDEN if isinstance(value, str) and is_secret(key, value) else str(value)


@dataclass(frozen=True, slots=True)
class Step:
    action: str
    manifest: Manifest
    changes: Sequence[Change] = ()

    @property
    def lines(self) -> list[str]:
        return [f"{self.action} {self.manifest}", *(f"  {change}" for change in self.changes)]


def step(manifest: Manifest, told: Document) -> Step:
    """Of the answer to a dry run."""
    changes: Iterable[Mapping[str, Any]] = told.get("changes") or ()
    # Of what is new all is different.
    shown = () if told["action"] == CREATE else tuple(Change(one["path"], one.get("before"), one.get("after")) for one in changes)
    return Step(str(told["action"]), manifest, shown)


def to_do(steps: Iterable[Step]) -> list[Step]:
    return [one for one in steps if one.action != UNCHANGED]


def summary(steps: Sequence[Step]) -> str:
    """`3 to create, 1 to delete, 46 unchanged`."""
    words = {CREATE: "to create", UPDATE: "to update", DELETE: "to delete", UNCHANGED: "unchanged"}
    numbers = {action: sum(one.action == action for one in steps) for action in words}
    return ", ".join(f"{number:,} {words[action]}" for action, number in numbers.items() if number) or "nothing"
