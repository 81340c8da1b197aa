"""The input: the same lines at every run, each different from all others."""

import random
from itertools import islice
from pathlib import Path

_LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789     "
_CHUNKS = 4093
_AT_ONCE = 20_000


def line(number: int, chunks: list[bytes]) -> bytes:
    """90 to 130 bytes, 110 on average, the line end included."""
    return b"%012d %s\n" % (number, chunks[number % _CHUNKS][: 76 + number * 7 % 41])


def chunks() -> list[bytes]:
    source = random.Random(4)
    return ["".join(source.choices(_LETTERS, k=116)).encode() for _ in range(_CHUNKS)]


def write(path: Path, count: int) -> None:
    made = chunks()
    lines = (line(number, made) for number in range(count))
    with path.open("wb") as file:
        while block := list(islice(lines, _AT_ONCE)):
            file.write(b"".join(block))
