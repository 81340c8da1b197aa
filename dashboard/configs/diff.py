"""What differs between two configs."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from enum import StrEnum

from connect_client.secrets import HIDDEN, is_secret


class Kind(StrEnum):
    ADDED = "added"
    REMOVED = "removed"
    CHANGED = "changed"
    SAME = "same"


@dataclass(frozen=True, slots=True)
class Difference:
    """`was` and `becomes` are as they may be shown. `secret`: the two are hidden, and may look the same."""

    kind: Kind
    key: str
    was: str | None = None
    becomes: str | None = None
    secret: bool = False

    @property
    def sign(self) -> str:
        return {Kind.ADDED: "+", Kind.REMOVED: "−", Kind.CHANGED: "~", Kind.SAME: ""}[self.kind]


def differences(
    before: Mapping[str, str | None], after: Mapping[str, str | None], passwords: Collection[str] = ()
) -> tuple[Difference, ...]:
    """In the order of `after`; what is removed comes where it was, behind what it followed."""
    keys = list(after)
    previous: str | None = None
    for key in before:
        if key not in after:
            keys.insert(keys.index(previous) + 1 if previous is not None else 0, key)
        previous = key
    return tuple(_difference(key, before, after, passwords) for key in keys)


def changes(found: tuple[Difference, ...]) -> tuple[Difference, ...]:
    return tuple(one for one in found if one.kind is not Kind.SAME)


def _difference(
    key: str, before: Mapping[str, str | None], after: Mapping[str, str | None], passwords: Collection[str]
) -> Difference:
    was, becomes = before.get(key), after.get(key)
    secret = any(value and is_secret(key, value, passwords) for value in (was, becomes))
    if key not in before:
        kind = Kind.ADDED
    elif key not in after:
        kind = Kind.REMOVED
    else:
        kind = Kind.SAME if was == becomes else Kind.CHANGED
    shown_was, shown_becomes = (HIDDEN if secret and value else value for value in (was, becomes))
    return Difference(kind, key, shown_was, shown_becomes, secret)
