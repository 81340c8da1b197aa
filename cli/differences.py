"""Where two configs differ, without showing what is secret."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from connect_client.secrets import HIDDEN, is_mask, is_secret

Config = Mapping[str, str | None]


@dataclass(frozen=True, slots=True)
class Difference:
    """`before` or `after` is None where the key is not there."""

    key: str
    before: str | None
    after: str | None

    def __str__(self) -> str:
        before, after = (HIDDEN if one and is_secret(self.key, one) else one for one in (self.before, self.after))
        if before is None:
            return f"+ {self.key} = {after}"
        return f"- {self.key} = {before}" if after is None else f"~ {self.key}: {before} -> {after}"


def between(before: Config, after: Config) -> tuple[list[Difference], list[str]]:
    """What is different, and the keys that cannot be compared: a control room does not tell secrets."""
    hidden = [key for key in sorted(set(before) & set(after)) if is_mask(before[key]) and before[key] != after[key]]
    keys = sorted((set(before) | set(after)) - set(hidden))
    return [Difference(key, before.get(key), after.get(key)) for key in keys if before.get(key) != after.get(key)], hidden


def changed(config: Config, assignments: Sequence[str]) -> dict[str, str | None]:
    """With `key=value` set and `key-` taken away. Raises ValueError with what cannot be read."""
    result = dict(config)
    for one in assignments:
        key, equals, value = one.partition("=")
        if equals and key:
            result[key] = value
        elif one.endswith("-") and len(one) > 1:
            result.pop(one[:-1], None)
        else:
            raise ValueError(one)
    return result
