"""Variables in a config, `${provider:[path:]key}` (KIP-297): found, replaced, and put back. Pure."""

import re
from collections.abc import Callable, Iterator, Mapping
from typing import NamedTuple

from workers.herder.values import Config

# Kafka's ConfigTransformer.DEFAULT_PATTERN.
_PATTERN = re.compile(r"\$\{([^}]*?):(?:([^}]*?):)?([^}]*?)\}")
# A shorter value may stand in a task's config by chance.
_SHORTEST = 4


class Variable(NamedTuple):
    provider: str
    path: str
    key: str
    #: As it stands in the config.
    text: str


def _variable(found: re.Match[str]) -> Variable:
    return Variable(found[1], found[2] or "", found[3], found[0])


def variables(value: str) -> Iterator[Variable]:
    return map(_variable, _PATTERN.finditer(value))


def substituted(value: str, lookup: Callable[[Variable], str | None]) -> str:
    """Each variable that `lookup` knows replaced by its value, the others as they are. What a value holds is not looked at
    again: a secret may contain anything."""

    def replacement(found: re.Match[str]) -> str:
        resolved = lookup(_variable(found))
        return found[0] if resolved is None else resolved

    return _PATTERN.sub(replacement, value)


def put_back(raw: Config, resolved: Mapping[Variable, str], generated: Config) -> dict[str, str]:
    """A task's config as it may be stored. What a key's raw value in the connector's config names by a variable is that raw
    value again, as in Kafka Connect. Where a connector took a resolved value elsewhere, under another key or in the middle of
    a text (CVE-2019-12399), its variable takes its place; resolved again, the text is the same."""
    return {key: _stored(raw.get(key), value, resolved) for key, value in generated.items()}


def _stored(raw: str | None, value: str, resolved: Mapping[Variable, str]) -> str:
    if raw is not None and (raw == value or _PATTERN.search(raw)):
        return raw
    texts = {known: variable.text for variable, known in resolved.items() if len(known) >= _SHORTEST}
    if not texts:
        return value
    longest_first = "|".join(re.escape(known) for known in sorted(texts, key=len, reverse=True))
    return re.sub(longest_first, lambda found: texts[found[0]], value)
