"""What is made of measurements. Pure."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median
from typing import Self


@dataclass(frozen=True, slots=True)
class Spread:
    """Several measurements of one thing."""

    median: float
    least: float
    most: float

    @classmethod
    def of(cls, values: Sequence[float]) -> Self:
        return cls(median(values), min(values), max(values))


def percentile(values: Sequence[float], percent: float) -> float:
    """The smallest value that at least `percent` of all do not exceed (nearest rank)."""
    ordered = sorted(values)
    return ordered[max(0, math.ceil(len(ordered) * percent / 100) - 1)]


@dataclass(frozen=True, slots=True)
class Goal:
    """`value` has to be at least, or at most, `bound`."""

    text: str
    value: float
    bound: float
    at_least: bool

    @property
    def reached(self) -> bool:
        return self.value >= self.bound if self.at_least else self.value <= self.bound


def at_least(text: str, value: float, bound: float) -> Goal:
    return Goal(text, value, bound, at_least=True)


def at_most(text: str, value: float, bound: float) -> Goal:
    return Goal(text, value, bound, at_least=False)
