"""Levels by log4j's names, and what a change of a namespace means. Pure.

`root` stands for the root logger. A namespace means the logger of that name and all whose names begin with it, as text: `org.fo`
means `org.foo` as well, as far as that one has a level of its own.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

ROOT = "root"
OFF = "OFF"
#: By Python's numbers, the most severe first. Python has neither OFF nor TRACE; 0 means that a logger has no level of its own.
NUMBERS = {OFF: 100, "FATAL": 50, "ERROR": 40, "WARN": 30, "INFO": 20, "DEBUG": 10, "TRACE": 5, "ALL": 1}


@dataclass(frozen=True, slots=True)
class LoggerLevel:
    """`last_modified` is in milliseconds since the epoch; None for a level that nobody has changed since the start."""

    level: str
    last_modified: int | None = None


def level_named(text: str) -> str | None:
    """The level's own name; None for what is none."""
    name = text.strip().upper()
    return name if name in NUMBERS else None


def name_of(number: int) -> str:
    """Of a number between two levels: that which lets as much through."""
    return next((name for name, own in reversed(NUMBERS.items()) if own >= number), OFF)


def canonical(name: str) -> str:
    """`root` in any case is the root logger."""
    return ROOT if name.lower() in ("", ROOT) else name


def within(name: str, namespace: str) -> bool:
    return namespace == ROOT or name.startswith(namespace)


def changed(namespace: str, level: str, before: Mapping[str, str], after: Mapping[str, str]) -> list[str]:
    """The loggers that have the level now and had not; sorted. As in Kafka Connect, what is off counts as never seen."""
    return sorted(
        name
        for name, own in after.items()
        if within(name, namespace) and own == level and (before.get(name) != level or level == OFF)
    )


def shown(levels: Mapping[str, LoggerLevel]) -> dict[str, LoggerLevel]:
    """As a list of all loggers has them: those that are off are not in it."""
    return {name: level for name, level in sorted(levels.items()) if level.level != OFF}


def merged(processes: Iterable[Mapping[str, LoggerLevel]]) -> dict[str, LoggerLevel]:
    """One list of several processes' loggers. Where they differ the newest word counts, and of words of the start the first's."""
    found: dict[str, LoggerLevel] = {}
    for levels in processes:
        for name, level in levels.items():
            if name not in found or (level.last_modified or 0) > (found[name].last_modified or 0):
                found[name] = level
    return found
