"""Finding whole lines in a growing file. A line ends with LF, CR LF or CR; what has no end yet is not there yet."""

import os
from collections.abc import Iterable, Iterator

_BLOCK = 1 << 16


def end_of_last_line(file: int, start: int, size: int, most: int) -> int | None:
    """Where the last complete line that begins in `[start, start + most)` ends; a longer line is taken whole.

    `file` is a descriptor, `size` how much of the file may be looked at. None while there is no complete line.
    A CR as the very last byte does not count yet: a LF may follow.
    """
    limit = min(size, start + most)
    while True:
        found = _search_back(file, start, limit)
        if found is not None or limit == size:
            return found
        limit = min(size, limit + most)


def _search_back(file: int, start: int, limit: int) -> int | None:
    upper = limit
    while upper > start:
        lower = max(start, upper - _BLOCK)
        block = os.pread(file, upper - lower, lower)
        # The byte after a CR has been seen unless the CR is the last before the limit.
        end = max(block.rfind(b"\n"), block.rfind(b"\r", 0, limit - 1 - lower))
        if end >= 0:
            return lower + end + 1
        upper = lower
    return None


def split(data: bytes) -> list[bytes]:
    """The lines of `data`, which ends where a line ends, without their ends."""
    if b"\r" in data:
        data = data.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    lines = data.split(b"\n")
    lines.pop()
    return lines


def read_bytes(path: str, start: int, end: int, block: int = 4 << 20) -> Iterator[bytes]:
    """`[start, end)` in pieces of some megabytes. Raises OSError, EOFError when the file has shrunk."""
    with open(path, "rb", buffering=0) as file:
        file.seek(start)
        left = end - start
        while left:
            data = file.read(min(block, left))
            if not data:
                raise EOFError(f"{path} has become shorter while it was read: {left} bytes before {end} are missing")
            left -= len(data)
            yield data


def in_lines(pieces: Iterable[bytes]) -> Iterator[list[bytes]]:
    """The lines of a text that comes in pieces, in lists; its end is a line's end."""
    rest: list[bytes] = []
    for piece in pieces:
        cut = piece.rfind(b"\n") + 1
        if cut:
            yield split(b"".join([*rest, piece[:cut]]))
            rest.clear()
        if cut < len(piece):
            rest.append(piece[cut:])
    if last := b"".join(rest):
        yield split(last if last.endswith(b"\r") else last + b"\n")
