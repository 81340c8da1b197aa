"""A file that is rotated: what is full, or of an hour that is over, gets another name, and the next line begins a new file.

Files are cut where lines end, also within a batch. The journal is told of a move before it is made, so that a batch which comes
again goes on behind what is in the files that were moved (`journal.py`).
"""

import glob
import gzip
import hashlib
import os
import re
import shutil
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

from workers.connectors.base import KafkaRange
from workers.connectors.file.journal import Entry, Journal, blocks, finish_line, take_up

_PART = ".part"


@dataclass(frozen=True, slots=True)
class Limits:
    """`size` in bytes: only a line that is longer makes a file longer. `interval` in milliseconds: a file has the lines of one
    interval, counted from 1970 on."""

    size: int | None = None
    interval: int | None = None

    def is_over(self, written: float, now: float) -> bool:
        """Whether the interval is over in which a file was last `written`; seconds."""
        return self.interval is not None and int(written * 1000) // self.interval < int(now * 1000) // self.interval


def lines_that_fit(text: bytes, room: int) -> int:
    """How many bytes of the text: whole lines alone."""
    return text.rfind(b"\n", 0, max(0, room)) + 1


class RotatingFile:
    """The file of one task. What it is rotated to is named after the time of its last line and numbered, each by one more than
    the ones there are: `out.txt.20260131T235959Z.000001`."""

    def __init__(
        self, path: Path, limits: Limits, journal: Journal, *, compress: bool, clock: Callable[[], float] = time.time
    ) -> None:
        self._path = path
        self._limits = limits
        self._journal = journal
        self._compress = compress
        self._clock = clock
        self._rotated = re.compile(re.escape(path.name) + r"\.\d{8}T\d{6}Z\.(\d{6,})(\.gz)?")

    def start(self) -> None:
        """What a crash left half done is done. Raises OSError."""
        self._finish_move(self._journal.newest())
        for left in self._path.parent.glob(glob.escape(self._path.name) + ".*" + _PART):
            left.unlink(missing_ok=True)
        self._compress_rotated()

    def append(self, parts: Sequence[Path], ranges: Sequence[KafkaRange]) -> None:
        """Appends the parts' content, synced to disk on return, less what an earlier try left there. Raises OSError."""
        entry = self._journal.of(ranges)
        if entry is None:
            self._rotate_in_time()
        with open(self._path, "a+b") as file:
            if entry is None or not _begins_as_noted(parts, entry):
                finish_line(file, self._size())
                file.flush()
                entry = Entry(list(ranges), self._size())
                self._journal.note(entry)
            done = take_up(file, entry, parts)
        written = _hash(parts, done)
        total = sum(part.stat().st_size for part in parts)
        while (done := self._append_to_one(parts, done, written)) < total:
            self._move(Entry(entry.ranges, 0, done, written.hexdigest(), str(self._new_name())))
        self._compress_rotated()

    def idle(self) -> None:
        """Raises OSError."""
        # What a crash has left unfinished comes again, and goes on in this file.
        if not self._journal.newest().ranges:
            self._rotate_in_time()

    def _rotate_in_time(self) -> None:
        """If the file's interval is over. For when all that is in it is committed."""
        if self._limits.interval is None:
            return
        try:
            status = os.stat(self._path)
        except FileNotFoundError:
            # Somebody has taken it away; the next line makes a new one.
            return
        if status.st_size and self._limits.is_over(status.st_mtime, self._clock()):
            os.rename(self._path, self._new_name())
            self._begin()
            self._compress_rotated()

    def _append_to_one(self, parts: Sequence[Path], done: int, written: "hashlib.blake2b") -> int:
        """As many lines as the file has room for; at least one if it is empty. How much is done then."""
        with open(self._path, "ab") as file:
            size = file.tell()
            rest = b""
            for block in blocks(parts, done):
                text = rest + block
                fits = len(text) if self._limits.size is None else lines_that_fit(text, self._limits.size - size)
                if not fits and not size:
                    # A line that is too long for any file has one of its own.
                    fits = text.find(b"\n") + 1
                file.write(text[:fits])
                written.update(text[:fits])
                size += fits
                done += fits
                rest = text[fits:]
                if self._limits.size is not None and b"\n" in rest:
                    break
            file.flush()
            os.fsync(file.fileno())
        return done

    def _size(self) -> int:
        return os.stat(self._path).st_size

    def _move(self, entry: Entry) -> None:
        self._journal.note(entry)
        self._finish_move(entry)

    def _finish_move(self, entry: Entry) -> None:
        """Until that is noted nothing gets into the new file: where the old one has gone is seen from its size, too."""
        if entry.moving_to is None:
            return
        if not os.path.exists(entry.moving_to) and self._size():
            os.rename(self._path, entry.moving_to)
        self._begin()
        self._journal.note(replace(entry, moving_to=None))

    def _begin(self) -> None:
        os.close(os.open(self._path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o666))
        folder = os.open(self._path.parent, os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)

    def _new_name(self) -> Path:
        written = datetime.fromtimestamp(os.stat(self._path).st_mtime, UTC)
        number = max((int(match[1]) for match in self._rotated_files().values()), default=0) + 1
        return self._path.with_name(f"{self._path.name}.{written:%Y%m%dT%H%M%SZ}.{number:06}")

    def _rotated_files(self) -> dict[Path, re.Match[str]]:
        found = {path: self._rotated.fullmatch(path.name) for path in self._path.parent.iterdir()}
        return {path: match for path, match in found.items() if match}

    def _compress_rotated(self) -> None:
        if not self._compress:
            return
        for path, match in sorted(self._rotated_files().items()):
            if match[2] is None:
                compress(path)


def _hash(parts: Sequence[Path], length: int) -> "hashlib.blake2b":
    """Of their first bytes."""
    found = hashlib.blake2b(digest_size=16)
    for block in blocks(parts, 0):
        found.update(block[:length])
        length -= len(block)
        if length <= 0:
            break
    return found


def _begins_as_noted(parts: Sequence[Path], entry: Entry) -> bool:
    """Else it is in another order than before, and nobody can tell what of it is there: at least once."""
    return not entry.done or _hash(parts, entry.done).hexdigest() == entry.digest


def compress(path: Path) -> None:
    """In its place there is a gzip file then; in between both may be there. Raises OSError."""
    done, part = path.with_name(path.name + ".gz"), path.with_name(path.name + ".gz" + _PART)
    status = path.stat()
    with open(path, "rb") as source, open(part, "wb") as target:
        with gzip.GzipFile("", "wb", fileobj=target, mtime=int(status.st_mtime)) as zipped:
            shutil.copyfileobj(source, zipped, 1 << 20)
        target.flush()
        os.fsync(target.fileno())
    os.utime(part, ns=(status.st_atime_ns, status.st_mtime_ns))
    os.replace(part, done)
    path.unlink()
