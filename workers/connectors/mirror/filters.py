"""Which topics, groups and settings are mirrored. Pure."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from workers.connectors.mirror.policies import ReplicationPolicy, is_cycle, is_heartbeats


@dataclass(frozen=True, slots=True)
class Patterns:
    """Names and regular expressions; what one of them matches as a whole is meant. None of them means nothing."""

    pattern: re.Pattern[str] | None

    @classmethod
    def of(cls, patterns: Sequence[str]) -> "Patterns":
        """Raises re.error."""
        return cls(re.compile("|".join(patterns)) if patterns else None)

    def match(self, name: str) -> bool:
        return self.pattern is not None and self.pattern.fullmatch(name) is not None


@dataclass(frozen=True, slots=True)
class Filter:
    included: Patterns
    excluded: Patterns

    @classmethod
    def of(cls, included: Sequence[str], excluded: Sequence[str]) -> "Filter":
        return cls(Patterns.of(included), Patterns.of(excluded))

    def accepts(self, name: str) -> bool:
        return self.included.match(name) and not self.excluded.match(name)


@dataclass(frozen=True, slots=True)
class MirroredTopics:
    """Those that are to be mirrored to the cluster `target`. `heartbeats` says whether heartbeats are, in any case."""

    topics: Filter
    policy: ReplicationPolicy
    target: str
    heartbeats: bool

    def accepts(self, topic: str) -> bool:
        return (
            (self.topics.accepts(topic) or (self.heartbeats and is_heartbeats(self.policy, topic)))
            and not self.policy.is_internal(topic)
            and not is_cycle(self.policy, topic, self.target)
        )
