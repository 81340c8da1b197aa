"""What is written down of each step, before and after it."""

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import datetime
from enum import StrEnum
from typing import Any, Self

from dashboard.moves.plan import Step


class Outcome(StrEnum):
    DONE = "done"
    FAILED = "failed"
    CANCELLED = "cancelled"


@dataclass(frozen=True, slots=True)
class Entry:
    """`asked_at`: when a cluster was last asked for something, noted before it was; `asks`: how often. `detail`: what was found,
    or why it failed."""

    step: Step
    phase: int
    begun_at: datetime
    asked_at: datetime | None = None
    asks: int = 0
    ended_at: datetime | None = None
    outcome: Outcome | None = None
    detail: str = ""

    @classmethod
    def from_json(cls, body: dict[str, Any]) -> Self:
        times = {key: datetime.fromisoformat(body[key]) for key in ("begun_at", "asked_at", "ended_at") if body[key]}
        outcome = Outcome(body["outcome"]) if body["outcome"] else None
        return cls(**{**body, "step": Step(body["step"]), "outcome": outcome, **times})

    def to_json(self) -> dict[str, Any]:
        return {key: value.isoformat() if isinstance(value, datetime) else value for key, value in asdict(self).items()}

    @property
    def ended(self) -> bool:
        return self.outcome is not None

    def asked(self, now: datetime) -> "Entry":
        return replace(self, asked_at=now, asks=self.asks + 1)

    def end(self, outcome: Outcome, detail: str, now: datetime) -> "Entry":
        return replace(self, outcome=outcome, detail=detail, ended_at=now)


def entries(log: Iterable[dict[str, Any]]) -> list[Entry]:
    return [Entry.from_json(body) for body in log]


def current(log: Sequence[Entry], phase: int, plan: Sequence[Step]) -> Step | None:
    """The first step that is not done; None: all are."""
    done = {entry.step for entry in log if entry.phase == phase and entry.outcome is Outcome.DONE}
    return next((step for step in plan if step not in done), None)


def asked_for(log: Iterable[Entry]) -> frozenset[Step]:
    """The steps of the move itself that have changed something, or may have."""
    return frozenset(entry.step for entry in log if entry.phase == 0 and entry.asks)


def is_done(log: Iterable[Entry], step: Step) -> bool:
    return any(entry.step is step and entry.outcome is Outcome.DONE for entry in log)


def with_entry(log: Sequence[Entry], entry: Entry) -> list[Entry]:
    """In its place, or at the end."""
    same = [(one.step, one.phase, one.begun_at) == (entry.step, entry.phase, entry.begun_at) for one in log]
    if not any(same):
        return [*log, entry]
    return [entry if is_it else one for one, is_it in zip(log, same, strict=True)]
