"""Appending a batch to a file once, though the process may die at any moment.

Before a batch is appended, the journal notes its ranges and how long the file was. If the same ranges come again, their
commit did not happen: what of the batch is in the file behind that length is left out of the second writing. Nothing in
the file is ever removed, so that another writer's lines are safe; if they are in between, the batch is written again whole
(at least once, as Kafka Connect always does).
"""

import os
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import BinaryIO

import orjson

from workers.connectors.base import KafkaRange

_BLOCK = 1 << 20


@dataclass(frozen=True, slots=True)
class Entry:
    """The newest batch. Of it, `done` bytes, whose `digest` this is, are in files that were rotated away; what follows begins in
    the file where that was `length` long. If `moving_to` is set the file is about to be moved there, or just was: then all this
    holds."""

    ranges: list[KafkaRange] = field(default_factory=list)
    length: int = 0
    done: int = 0
    digest: str = ""
    moving_to: str | None = None


NOTHING = Entry()


@dataclass(frozen=True, slots=True)
class Journal:
    """A small file, replaced in one step. Losing it costs no more than the once-ness of one batch."""

    path: Path

    def newest(self) -> Entry:
        try:
            content = orjson.loads(self.path.read_bytes())
            ranges = [KafkaRange(**item) for item in content.pop("ranges")]
            length, done = int(content["length"]), int(content["done"])
            return Entry(ranges, length, done, content["digest"], content["moving_to"])
        except (OSError, orjson.JSONDecodeError, KeyError, TypeError, AttributeError):
            return NOTHING

    def of(self, ranges: Sequence[KafkaRange]) -> Entry | None:
        """None if these ranges were never written."""
        entry = self.newest()
        return entry if entry.ranges and entry.ranges == list(ranges) else None

    def note(self, entry: Entry) -> None:
        self.path.parent.mkdir(parents=True, exist_ok=True)
        new = self.path.with_suffix(".new")
        with open(new, "wb") as file:
            file.write(orjson.dumps(asdict(entry)))
            file.flush()
            os.fsync(file.fileno())
        os.replace(new, self.path)

    def clear(self) -> None:
        """The batch is committed. Should the user wind the offsets back, the same ranges are to be written once more."""
        self.path.unlink(missing_ok=True)


def append_once(path: str, parts: Sequence[Path], ranges: Sequence[KafkaRange], journal: Journal) -> None:
    """Appends the parts' content, synced to disk on return, less what an earlier try left there. Raises OSError."""
    entry = journal.of(ranges)
    with open(path, "a+b") as file:
        size = file.seek(0, os.SEEK_END)
        if entry is None:
            journal.note(Entry(list(ranges), size))
        done = 0 if entry is None else take_up(file, entry, parts)
        for block in blocks(parts, done):
            file.write(block)
        file.flush()
        os.fsync(file.fileno())


def take_up(file: BinaryIO, entry: Entry, parts: Sequence[Path]) -> int:
    """How much of the batch is there already, in files that were rotated away and in this one. What somebody else has written
    behind it ends with a line then."""
    size = file.seek(0, os.SEEK_END)
    written = _begins_alike(file, entry.length, size, blocks(parts, entry.done))
    if written is None:
        finish_line(file, size)
    return entry.done + (written or 0)


def _begins_alike(file: BinaryIO, before: int, size: int, content: Iterator[bytes]) -> int | None:
    """How many bytes of the content stand behind `before` already; None if something else stands there."""
    if size < before:
        return None
    file.seek(before)
    alike = 0
    for block in content:
        there = file.read(len(block))
        if not block.startswith(there):
            return None
        alike += len(there)
        if len(there) < len(block):
            break
    return alike


def finish_line(file: BinaryIO, size: int) -> None:
    if size:
        file.seek(size - 1)
        if file.read(1) != b"\n":
            file.write(b"\n")


def blocks(parts: Sequence[Path], skip: int) -> Iterator[bytes]:
    """Their content less its first `skip` bytes. Raises OSError."""
    for part in parts:
        size = part.stat().st_size
        if skip < size:
            with open(part, "rb") as source:
                source.seek(skip)
                while block := source.read(_BLOCK):
                    yield block
        skip = max(0, skip - size)
