"""One file that is followed: how far it has been read, and what of it is new. Offsets are those of Kafka Connect."""

from __future__ import annotations

import logging
import os
import stat
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from workers.connectors.base import ConnectError
from workers.connectors.file.gzipped import Damaged, Member, find_lines, read_text
from workers.connectors.file.lines import end_of_last_line, read_bytes
from workers.herder.values import Fields

logger = logging.getLogger(__name__)

# A job that has to decompress so much before it comes to what is new may as well read as much; but not more than this.
_MOST_GZIPPED = 1 << 30
MEMBER_OFFSET, MEMBER_POSITION = "member.offset", "member.position"


@dataclass(frozen=True, slots=True)
class Span:
    """Whole lines of one file; with a `member` of its text. `offset` holds once they are written."""

    path: str
    start: int
    end: int
    offset: Fields
    member: Member | None = None

    def pieces(self) -> Iterator[bytes]:
        """Raises OSError, EOFError when it is not all there any more, Damaged."""
        if self.member is None:
            yield from read_bytes(self.path, self.start, self.end)
        else:
            with open(self.path, "rb") as file:
                yield from read_text(file, self.member, self.start, self.end)


class Followed(ABC):
    def __init__(self, path: str) -> None:
        self.path = path
        self._position = 0
        #: How much of the file has been looked at in vain: nothing comes of it before there is more.
        self._in_vain: int | None = None

    def go_to(self, offset: Fields) -> None:
        """Raises ConnectError for what is no offset of such a file."""
        self._position = self._number(offset, "position")
        self._in_vain = None

    def look(self, most: int) -> Span | None:
        """What is new, about `most` bytes at most; a longer line whole. Raises ConnectError, FileNotFoundError."""
        try:
            if self._is_idle(os.stat(self.path)):
                return None
            file = os.open(self.path, os.O_RDONLY | os.O_NONBLOCK)
            try:
                size = os.fstat(file).st_size
                found = self._find(file, size, most)
            finally:
                os.close(file)
        except FileNotFoundError:
            raise
        except OSError as error:
            raise ConnectError(f"File {self.path} cannot be read: {error.strerror}") from error
        self._in_vain = size if found is None else None
        return found

    def _is_idle(self, status: os.stat_result) -> bool:
        if not stat.S_ISREG(status.st_mode):
            raise ConnectError(f"{self.path} is not a regular file")
        self._require(status.st_size)
        return status.st_size in (self._end(), self._in_vain)

    def _require(self, size: int) -> None:
        if size < self._end():
            raise ConnectError(
                f"File {self.path} has {size} bytes, but {self._end()} have been read from it already: it was truncated or "
                f"replaced. Stop the connector and reset its offsets to read the file from its beginning."
            )

    def _number(self, offset: Fields, key: str, default: object = None) -> int:
        number = offset.get(key, default)
        if not isinstance(number, int) or isinstance(number, bool) or number < 0:
            raise ConnectError(f"The offset stored for file {self.path} is not a position in it: {dict(offset)}")
        return number

    @abstractmethod
    def _end(self) -> int:
        """Which size the file has if nothing of it is new."""

    @abstractmethod
    def _find(self, file: int, size: int, most: int) -> Span | None:
        """Raises ConnectError, OSError."""


class Plain(Followed):
    """A position counts bytes."""

    def _end(self) -> int:
        return self._position

    def _find(self, file: int, size: int, most: int) -> Span | None:
        self._require(size)
        end = end_of_last_line(file, self._position, size, most)
        return None if end is None else Span(self.path, self._position, end, {"position": end})


class Gzipped(Followed):
    """A position counts bytes of the text. The offset also has a member to begin at: of a file that is finished, its end."""

    def __init__(self, path: str) -> None:
        super().__init__(path)
        self._member = Member()
        self._cut_short = False

    def go_to(self, offset: Fields) -> None:
        super().go_to(offset)
        self._member = Member(self._number(offset, MEMBER_OFFSET, 0), self._number(offset, MEMBER_POSITION, 0))
        if self._member.position > self._position:
            raise ConnectError(f"The offset stored for file {self.path} is not a position in it: {dict(offset)}")

    def _end(self) -> int:
        # Nobody knows the size of what has not been seen to its end: it is looked at, and then it is.
        return self._member.offset if self._member.position == self._position else self._member.offset + 1

    def _is_idle(self, status: os.stat_result) -> bool:
        return super()._is_idle(status) and (status.st_size == self._in_vain or self._member.position == self._position)

    def _find(self, file: int, size: int, most: int) -> Span | None:
        most = max(most, min(self._position - self._member.position, _MOST_GZIPPED))
        try:
            with open(file, "rb", closefd=False) as opened:
                found = find_lines(opened, self._member, self._position, most)
        except Damaged as error:
            raise ConnectError(f"File {self.path} cannot be decompressed: {error}") from error
        except EOFError as error:
            raise ConnectError(
                f"File {self.path} was truncated or replaced: {error}, but {self._position} have been read from it already. Stop "
                f"the connector and reset its offsets to read the file from its beginning."
            ) from error
        if found.cut_short and found.end is None and not self._cut_short:
            logger.warning("File %s ends in the middle of a gzip member; waiting for its rest", self.path)
        self._cut_short = found.cut_short
        if found.end is None:
            return None
        offset = {"position": found.end, MEMBER_OFFSET: found.member.offset, MEMBER_POSITION: found.member.position}
        return Span(self.path, self._position, found.end, offset, self._member)


#: By the value of `file.compression`; `auto` goes by the name.
KINDS: Mapping[str, Any] = {"none": Plain, "gzip": Gzipped}


def followed(path: str, compression: str) -> Followed:
    kind = compression
    if compression == "auto":
        kind = "gzip" if path.endswith(".gz") else "none"
    found: Followed = KINDS[kind](path)
    return found
