"""What is to be made of the source's topics in the target. Pure."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from workers.connectors.mirror.cluster import AccessRule, TopicSetting
from workers.connectors.mirror.filters import Patterns
from workers.herder.values import Partition


@dataclass(frozen=True, slots=True)
class SettingsFilter:
    """`config.properties.exclude`; `use.defaults.from` says whose default holds where the source's topic has one."""

    excluded: Patterns
    source_defaults: bool

    def _meant(self, settings: Iterable[TopicSetting]) -> list[TopicSetting]:
        return [setting for setting in settings if not setting.fixed and not self.excluded.match(setting.name)]

    def of_new(self, settings: Iterable[TopicSetting]) -> dict[str, str]:
        """Those that a new topic gets."""
        wanted = (setting for setting in self._meant(settings) if not setting.default or self.source_defaults)
        return {setting.name: setting.value for setting in wanted if setting.value is not None}

    def of_existing(self, settings: Iterable[TopicSetting]) -> dict[str, str | None]:
        """What an existing topic's are set to, None for the target's default."""
        return {
            setting.name: None if setting.default and not self.source_defaults else setting.value
            for setting in self._meant(settings)
        }


@dataclass(frozen=True, slots=True)
class Growth:
    """Topics of the target that are missing, with their numbers of partitions, and those that have too few."""

    new: Mapping[str, int]
    longer: Mapping[str, int]


def growth(source: Mapping[str, int], target: Mapping[str, int], remote: Mapping[str, str]) -> Growth:
    """`source` and `target`: numbers of partitions by topic; `remote`: the target's topic of each of the source's."""
    wanted = {topic: (remote[topic], count) for topic, count in source.items()}
    new = {topic: count for topic, (copy, count) in wanted.items() if copy not in target}
    longer = {copy: count for copy, count in wanted.values() if copy in target and count > target[copy]}
    return Growth(new, longer)


def copied_rules(rules: Iterable[AccessRule], accepts: Callable[[str], bool], remote: Callable[[str], str]) -> list[AccessRule]:
    """What the access rules of the source's topics are in the target, as MirrorMaker has it: only it writes to a copy, so who is
    allowed to write is not, and who is allowed everything may read."""
    return [
        replace(rule, topic=remote(rule.topic), operation="READ" if _allows(rule, "ALL") else rule.operation)
        for rule in rules
        if accepts(rule.topic) and not _allows(rule, "WRITE")
    ]


def _allows(rule: AccessRule, operation: str) -> bool:
    return (rule.permission, rule.operation) == ("ALLOW", operation)


def partitions(topics: Mapping[str, int]) -> list[Partition]:
    return [Partition(topic, number) for topic in sorted(topics) for number in range(topics[topic])]


def round_robin(items: Sequence[Partition], tasks: int) -> list[list[Partition]]:
    """One after another, so that a topic's partitions are spread over the tasks."""
    return [list(items[task::tasks]) for task in range(min(tasks, len(items)))]
