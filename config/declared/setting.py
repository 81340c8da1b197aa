"""One thing that an operator may set: what it is called, what it may be, what it means. Everything else follows from that."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import ClassVar, Generic, TypeVar

from django.core.exceptions import ImproperlyConfigured

from config import env

T = TypeVar("T")
HIGH, MEDIUM, LOW = "high", "medium", "low"


@dataclass(frozen=True, slots=True)
class Setting(ABC, Generic[T]):
    """`variable` of the environment. `default` None is one that whoever reads it computes; `shown` tells it in the docs. `key` is
    Kafka Connect's, "" for what it does not have; `importance` is its, too. `allowed` is shown, and checked by whoever reads it.

    Calling it reads it. Raises ImproperlyConfigured, naming the variable.
    """

    kind: ClassVar[str]
    variable: str
    default: T | None
    meaning: str
    key: str = field(default="", kw_only=True)
    importance: str = field(default=LOW, kw_only=True)
    shown: str = field(default="", kw_only=True)
    allowed: str = field(default="", kw_only=True)

    def __call__(self, default: T | None = None) -> T:
        chosen = self.default if default is None else default
        assert chosen is not None, f"{self.variable} has no default of its own"
        return self._read(chosen)

    @abstractmethod
    def _read(self, default: T) -> T: ...

    def shown_default(self) -> str:
        return self.shown or (f"`{self.default}`" if self.default else "")

    def shown_kind(self) -> str:
        return f"{self.kind}: {self.allowed}" if self.allowed else self.kind


class Text(Setting[str]):
    kind = "text"

    def _read(self, default: str) -> str:
        return env.text(self.variable, default)


class Words(Setting[Sequence[str]]):
    kind = "list, comma-separated"

    def _read(self, default: Sequence[str]) -> list[str]:
        return env.words(self.variable, default)

    def shown_default(self) -> str:
        return self.shown or ", ".join(f"`{word}`" for word in self.default or ())


class Boolean(Setting[bool]):
    kind = "true or false"

    def _read(self, default: bool) -> bool:
        return env.boolean(self.variable, default)

    def shown_default(self) -> str:
        return str(self.default).lower()


@dataclass(frozen=True, slots=True)
class Choice(Setting[str]):
    """In any case. `why` says why there are no others."""

    kind = "one of"
    among: Sequence[str] = field(default=(), kw_only=True)
    why: str = field(default="", kw_only=True)

    def _read(self, default: str) -> str:
        found = env.text(self.variable, default)
        for one in self.among:
            if one.lower() == found.lower():
                return one
        reason = f": {self.why}" if self.why else ""
        raise ImproperlyConfigured(f"{self.variable} must be {' or '.join(self.among) or 'empty'}, not {found!r}{reason}")

    def shown_kind(self) -> str:
        return ", ".join(self.among) or "empty"


@dataclass(frozen=True, slots=True)
class Integer(Setting[int]):
    kind = "whole number"
    minimum: int = field(default=0, kw_only=True)
    maximum: int | None = field(default=None, kw_only=True)

    def _read(self, default: int) -> int:
        return env.integer(self.variable, default, minimum=self.minimum, maximum=self.maximum)

    def shown_default(self) -> str:
        return self.shown or str(self.default)

    def shown_kind(self) -> str:
        upper = "" if self.maximum is None else f" to {self.maximum}"
        return f"{self.kind}, {self.minimum}{upper or ' or more'}"


class Milliseconds(Integer):
    kind = "milliseconds"

    def seconds(self) -> float:
        return self() / 1000
