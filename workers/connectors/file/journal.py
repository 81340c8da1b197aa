"""Appending a batch to a file once, though the process may die at any moment.

Before a batch is appended, the journal notes its ranges and how long the file was. If the same ranges come again, their
commit did not happen: what of the batch is in the file behind that length is left out of the second writing. Nothing in
the file is ever removed, so that another writer's lines are safe; if they are in between, the batch is written again whole
(at least once, as Kafka Connect always does).
"""

import os
import shutil
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import BinaryIO

import orjson

from workers.connectors.base import KafkaRange

_BLOCK = 1 << 20


@dataclass(frozen=True, slots=True)
class Journal:
    """A small file, replaced in one step. Losing it costs no more than the once-ness of one batch."""

    path: Path

    def _content(self) -> tuple[list[KafkaRange], int]:
        try:
            content = orjson.loads(self.path.read_bytes())
            return [KafkaRange(**item) for item in content["ranges"]], int(content["length"])
        except (OSError, orjson.JSONDecodeError, KeyError, TypeError):
            return [], 0

    def ranges(self) -> list[KafkaRange]:
        """Of the batch that was written last; empty if there was none."""
        return self._content()[0]

    def length_before(self, ranges: Sequence[KafkaRange]) -> int | None:
        """How long the file was before these ranges were first written; None if they never were."""
        noted, length = self._content()
        return length if noted and noted == list(ranges) else None

    def note(self, ranges: Sequence[KafkaRange], length: int) -> None:
        self.path.parent.mkdir(parents=True, exist_ok=True)
        new = self.path.with_suffix(".new")
        with open(new, "wb") as file:
            file.write(orjson.dumps({"ranges": [asdict(item) for item in ranges], "length": length}))
            file.flush()
            os.fsync(file.fileno())
        os.replace(new, self.path)

    def clear(self) -> None:
        """The batch is committed. Should the user wind the offsets back, the same ranges are to be written once more."""
        self.path.unlink(missing_ok=True)


def append_once(path: str, parts: Sequence[Path], ranges: Sequence[KafkaRange], journal: Journal) -> None:
    """Appends the parts' content, synced to disk on return, less what an earlier try left there. Raises OSError."""
    before = journal.length_before(ranges)
    with open(path, "a+b") as file:
        size = file.seek(0, os.SEEK_END)
        skip = 0
        if before is None:
            journal.note(ranges, size)
        else:
            written = _begins_alike(file, before, size, parts)
            if written is None:
                _finish_line(file, size)
            else:
                skip = written
        _copy(parts, skip, file)
        file.flush()
        os.fsync(file.fileno())


def _begins_alike(file: BinaryIO, before: int, size: int, parts: Sequence[Path]) -> int | None:
    """How many bytes of the parts stand behind `before` already; None if something else stands there."""
    if size < before:
        return None
    file.seek(before)
    alike = 0
    for part in parts:
        with open(part, "rb") as source:
            while block := source.read(_BLOCK):
                there = file.read(len(block))
                if not block.startswith(there):
                    return None
                alike += len(there)
                if len(there) < len(block):
                    return alike
    return alike


def _finish_line(file: BinaryIO, size: int) -> None:
    if size:
        file.seek(size - 1)
        if file.read(1) != b"\n":
            file.write(b"\n")


def _copy(parts: Sequence[Path], skip: int, file: BinaryIO) -> None:
    for part in parts:
        size = part.stat().st_size
        if skip < size:
            with open(part, "rb") as source:
                source.seek(skip)
                shutil.copyfileobj(source, file, _BLOCK)
        skip = max(0, skip - size)
