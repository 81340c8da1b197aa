"""Which steps a move is made of: decisions over what was asked for and what was done."""

from collections.abc import Collection
from dataclasses import asdict, dataclass
from enum import StrEnum
from typing import Any, Self


class Mode(StrEnum):
    #: The source is stopped first, so that nothing is read twice or left out.
    MOVE = "move"
    #: The source goes on as it is.
    COPY = "copy"


class Step(StrEnum):
    CHECK = "check"
    STOP = "stop"
    READ = "read"
    CREATE = "create"
    WRITE = "write"
    START = "start"
    WATCH = "watch"
    DELETE = "delete"
    # Putting back.
    STOP_NEW = "stop-new"
    READ_NEW = "read-new"
    REMOVE = "remove"
    WRITE_BACK = "write-back"
    RESTORE = "restore"


@dataclass(frozen=True, slots=True)
class Options:
    """`unsafe_create`: where the target is too old to create a connector that is stopped (before 3.7, KIP-980), it is created and
    stopped at once; what it does in between nobody knows."""

    mode: Mode = Mode.MOVE
    carry_offsets: bool = True
    start: bool = True
    delete_source: bool = False
    unsafe_create: bool = False

    @classmethod
    def from_json(cls, body: dict[str, Any]) -> Self:
        return cls(**{**body, "mode": Mode(body.get("mode", Mode.MOVE))})

    def to_json(self) -> dict[str, Any]:
        return asdict(self)

    @property
    def contradiction(self) -> str:
        """Why nobody can mean it; empty where somebody may."""
        if self.delete_source and self.mode is Mode.COPY:
            return "A copy leaves the source as it is: it is not deleted."
        if self.delete_source and not self.start:
            return "The source is deleted only when the new connector runs: start it there, or leave the source."
        return ""


def steps(options: Options) -> tuple[Step, ...]:
    found = [Step.CHECK]
    if options.mode is Mode.MOVE:
        found.append(Step.STOP)
    if options.carry_offsets:
        found.append(Step.READ)
    found.append(Step.CREATE)
    if options.carry_offsets:
        found.append(Step.WRITE)
    if options.start:
        found += [Step.START, Step.WATCH]
    if options.delete_source:
        found.append(Step.DELETE)
    return tuple(found)


def steps_back(options: Options, asked: Collection[Step]) -> tuple[Step, ...]:
    """`asked`: the steps of the move that have changed something, or may have. Offsets come back from a connector that was
    started where the source had stopped, and may have gone on: it is stopped first, and deleted only when they are back."""
    found: list[Step] = []
    if Step.CREATE in asked:
        if Step.START in asked and options.carry_offsets and options.mode is Mode.MOVE:
            found += [Step.STOP_NEW, Step.READ_NEW, Step.WRITE_BACK]
        found.append(Step.REMOVE)
    if Step.STOP in asked:
        found.append(Step.RESTORE)
    return tuple(found)
