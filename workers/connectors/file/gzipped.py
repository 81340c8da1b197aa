"""Finding and reading lines in a gzip file, which may still grow: within its last member, or by further members (RFC 1952).

Positions are those in the text. To come to one, all of its member before it has to be decompressed.
"""

import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import BinaryIO

# Compressed, so that what comes out of it is some hundred kilobytes, and never more than a thousand times as much.
_BLOCK = 1 << 16
#: With gzip's own header and trailer, which are checked.
_GZIP = 16 + zlib.MAX_WBITS


class Damaged(Exception):
    """What is there is no gzip file, and can never become one by growing."""


@dataclass(frozen=True, slots=True)
class Member:
    """Where one begins, or may come to begin: in the file, and in the text."""

    offset: int = 0
    position: int = 0


@dataclass(frozen=True, slots=True)
class Found:
    """`end` is where the last line ends, None if there is none; `member` one that begins at or before it. `cut_short` says that
    the file ends in the middle of a member."""

    end: int | None
    member: Member
    cut_short: bool = False


def _texts(file: BinaryIO, member: Member) -> Iterator[tuple[bytes, Member]]:
    """The text from there on, piece by piece, each with its member. Last comes an empty one, with the end of the file for its
    member, if the file ends where a member does. Raises Damaged, OSError."""
    file.seek(member.offset)
    position, offset, data = member.position, member.offset, b""
    while True:
        if not data and not (data := file.read(_BLOCK)):
            yield b"", Member(offset, position)
            return
        inflater, began = zlib.decompressobj(_GZIP), Member(offset, position)
        while not inflater.eof:
            if not data and not (data := file.read(_BLOCK)):
                return
            try:
                text = inflater.decompress(data)
            except zlib.error as error:
                raise Damaged(f"it is damaged, or no gzip file, behind {position} bytes of text: {error}") from error
            offset += len(data) - len(inflater.unused_data)
            data = inflater.unused_data
            position += len(text)
            if text:
                yield text, began


def find_lines(file: BinaryIO, member: Member, start: int, most: int) -> Found:
    """Where the last line ends that ends in `(start, start + most]`; a longer line is taken whole. Where the file ends with a
    member, its text ends with a line, whatever its last byte. Raises Damaged, OSError, EOFError when it ends before `start`."""
    found = Found(None, member)
    position, limit = member.position, start + most
    for text, began in _texts(file, member):
        if not text:
            if position < start:
                raise EOFError(f"its text has {position} bytes")
            return Found(position if position > start else None, began)
        lower, upper = max(0, start - position), max(0, limit - position)
        end = text.rfind(b"\n", lower, upper)
        if end < 0 and found.end is None:
            end = text.find(b"\n", max(lower, upper))
        if end >= 0:
            found = Found(position + end + 1, began)
        position += len(text)
        if position >= limit and found.end is not None:
            return found
    return Found(found.end, found.member, cut_short=True)


def read_text(file: BinaryIO, member: Member, start: int, end: int) -> Iterator[bytes]:
    """The text in `[start, end)`. Raises Damaged, OSError, EOFError when there is less of it."""
    position = member.position
    for text, _ in _texts(file, member):
        if piece := text[max(0, start - position) : max(0, end - position)]:
            yield piece
        position += len(text)
        if position >= end:
            return
    raise EOFError(f"{end - position} bytes before {end} are missing")
