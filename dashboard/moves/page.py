"""A move as it is shown: its steps, in words."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any

from dashboard.configs.diff import Difference
from dashboard.models import Move
from dashboard.moves import carried, log
from dashboard.moves.begin import why_not_undo
from dashboard.moves.claims import UNENDED
from dashboard.moves.decide import Where
from dashboard.moves.log import Entry, Outcome
from dashboard.moves.plan import Mode, Options, Step, steps, steps_back

_S = Move.State


class Look(StrEnum):
    """How a step is drawn."""

    DONE = "done"
    NOW = "now"
    FAILED = "failed"
    CANCELLED = "cancelled"
    TO_COME = "to come"
    NOT_DONE = "not done"


_SIGNS = {Look.DONE: "✓", Look.NOW: "↻", Look.FAILED: "✗", Look.CANCELLED: "–", Look.TO_COME: "○", Look.NOT_DONE: "○"}


@dataclass(frozen=True, slots=True)
class Line:
    step: Step
    look: Look
    label: str
    detail: str = ""
    begun_at: datetime | None = None
    ended_at: datetime | None = None

    @property
    def sign(self) -> str:
        return _SIGNS[self.look]


@dataclass(frozen=True, slots=True)
class Part:
    """The move itself, or one time that it was put back."""

    title: str
    lines: tuple[Line, ...]


@dataclass(frozen=True, slots=True)
class Summary:
    """A move in a list."""

    id: int
    old: Where
    new: Where
    mode: Mode
    state: str
    by: str
    asked_at: datetime
    ended_at: datetime | None
    sentence: str

    @property
    def live(self) -> bool:
        return self.state in UNENDED

    @property
    def title(self) -> str:
        verb = "Copy" if self.mode is Mode.COPY else "Move"
        renamed = f" as {self.new.name}" if self.new.name != self.old.name else ""
        return f"{verb} {self.old.name} from {self.old.cluster} to {self.new.cluster}{renamed}"


@dataclass(frozen=True, slots=True)
class MovePage:
    summary: Summary
    options: Options
    parts: tuple[Part, ...]
    changes: tuple[Difference, ...]
    no_undo: str
    cancelling: bool

    @property
    def progress(self) -> str:
        """Of one that is under way."""
        part = self.parts[-1]
        done = sum(line.look is Look.DONE for line in part.lines)
        begun = any(line.look is Look.NOW for line in part.lines)
        return (
            f"{part.title}: step {min(done + 1, len(part.lines))} of {len(part.lines)}."
            if begun or done
            else self.summary.sentence
        )


def summary(move: Move) -> Summary:
    old, new = Where(move.source_name, move.connector), Where(move.target_name, move.new_name)
    mode = carried.options(move).mode
    return Summary(move.pk, old, new, mode, move.state, move.by, move.asked_at, move.ended_at, sentence(move))


def move_page(move: Move, changes: Sequence[Difference]) -> MovePage:
    return MovePage(summary(move), carried.options(move), _parts(move), tuple(changes), why_not_undo(move), move.cancelling)


def sentence(move: Move) -> str:
    """What has come of it, or what it waits for."""
    old, new = Where(move.source_name, move.connector), Where(move.target_name, move.new_name)
    match move.state:
        case _S.DONE:
            return _done(carried.options(move), old, new)
        case _S.FAILED:
            return move.cause
        case _S.CANCELLED:
            return "Cancelled. What was done until then stands below."
        case _S.UNDONE:
            return f"Put back: {old} is as it was before."
        case _S.WAITING:
            return "Waiting to be begun by the control process."
    if move.cancelling:
        return "It stops before its next step."
    return move.waiting_for or "Under way."


def to_json(move: Move, changes: Sequence[Difference] | None = None) -> dict[str, Any]:
    """As `/api/v1/` tells it."""
    found = summary(move)
    body = {
        "id": found.id,
        "source": {"cluster": found.old.cluster, "connector": found.old.name},
        "target": {"cluster": found.new.cluster, "connector": found.new.name},
        "options": move.options,
        "state": found.state,
        "message": found.sentence,
        "cancelling": move.cancelling,
        "can_be_undone": not why_not_undo(move),
        "by": found.by,
        "via": move.via,
        "asked_at": found.asked_at,
        "ended_at": found.ended_at,
    }
    if changes is not None:
        body["changes"] = [{"key": one.key, "from": one.was, "to": one.becomes} for one in changes]
        body["steps"] = [_step_json(entry) for entry in log.entries(move.log)]
    return body


def _step_json(entry: Entry) -> dict[str, Any]:
    return {
        "step": entry.step,
        "phase": entry.phase,
        "outcome": entry.outcome,
        "detail": entry.detail,
        "begun_at": entry.begun_at,
        "asked_at": entry.asked_at,
        "ended_at": entry.ended_at,
    }


def _done(options: Options, old: Where, new: Where) -> str:
    new_one = f"{new} runs." if options.start else f"{new} is there, STOPPED."
    if options.delete_source:
        return f"{new_one} The one in {old.cluster} was deleted."
    return new_one if options.mode is Mode.COPY else f"{new_one} The one in {old.cluster} is STOPPED."


def _parts(move: Move) -> tuple[Part, ...]:
    entries, options = log.entries(move.log), carried.options(move)
    title = "Copy" if options.mode is Mode.COPY else "Move"
    parts = [Part(title, _lines(move, entries, 0, steps(options)))]
    for phase in range(1, move.phase + 1):
        parts.append(Part("Putting back", _lines(move, entries, phase, steps_back(options, log.asked_for(entries)))))
    return tuple(parts)


def _lines(move: Move, entries: Sequence[Entry], phase: int, plan: Sequence[Step]) -> tuple[Line, ...]:
    by_step = {entry.step: entry for entry in entries if entry.phase == phase}
    over = phase < move.phase or move.state not in UNENDED
    return tuple(_line(move, step, by_step.get(step), over=over) for step in plan)


def _line(move: Move, step: Step, entry: Entry | None, *, over: bool) -> Line:
    label = _LABELS[step].format(old=f"{move.connector} in {move.source_name}", new=f"{move.new_name} in {move.target_name}")
    if entry is None:
        return Line(step, Look.NOT_DONE if over else Look.TO_COME, label)
    if entry.outcome is None:
        return Line(step, Look.NOW, label, move.waiting_for, entry.begun_at)
    look = {Outcome.DONE: Look.DONE, Outcome.FAILED: Look.FAILED, Outcome.CANCELLED: Look.CANCELLED}[entry.outcome]
    return Line(step, look, label, entry.detail, entry.begun_at, entry.ended_at)


_LABELS = {
    Step.CHECK: "Look once more at both clusters",
    Step.STOP: "Stop {old}, and wait until its tasks have ended",
    Step.READ: "Read the offsets of {old}",
    Step.CREATE: "Create {new}, STOPPED",
    Step.WRITE: "Write the offsets of {new}, and compare what the cluster then tells",
    Step.START: "Start {new}",
    Step.WATCH: "See {new} RUNNING for some seconds",
    Step.DELETE: "Delete {old}",
    Step.STOP_NEW: "Stop {new}, and wait until its tasks have ended",
    Step.READ_NEW: "Read how far {new} has come",
    Step.WRITE_BACK: "Write these offsets to {old}, and compare what the cluster then tells",
    Step.REMOVE: "Delete {new}",
    Step.RESTORE: "Bring {old} back to the state that it had",
}
