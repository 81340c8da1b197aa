"""Finding whole lines in a growing file. Blocks are made small, so that every way a line end can meet a block end occurs."""

import os
import random
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from workers.connectors.file import lines
from workers.connectors.file.lines import end_of_last_line, in_lines, read_bytes, split


def read_lines(path: str, start: int, end: int, block: int = 4 << 20) -> Iterator[list[bytes]]:
    return in_lines(read_bytes(path, start, end, block))


BLOCKS = [1, 2, 3, 7, 1 << 16]


@contextmanager
def opened(path: Path, content: bytes) -> Iterator[int]:
    path.write_bytes(content)
    file = os.open(path, os.O_RDONLY)
    try:
        yield file
    finally:
        os.close(file)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "lines.txt"


@pytest.mark.parametrize("block", BLOCKS)
@pytest.mark.parametrize(
    ("content", "end"),
    [
        (b"", None),
        (b"half a line", None),
        (b"one\n", 4),
        (b"one\ntwo", 4),
        (b"one\ntwo\n", 8),
        (b"one\r\n", 5),
        (b"one\r\ntwo", 5),
        (b"one\rtwo", 4),
        (b"one\rtwo\r\nthree", 9),
        # What follows decides whether a CR ends the line or begins CR LF.
        (b"one\r", None),
        (b"one\ntwo\r", 4),
        (b"one\rtwo\r", 4),
        (b"\r\r", 1),
        (b"\n", 1),
        (b"\n\n\n", 3),
        (b"\r\n\r\n", 4),
        (b"\r", None),
    ],
)
def test_the_last_line_that_is_there(
    path: Path, monkeypatch: pytest.MonkeyPatch, block: int, content: bytes, end: int | None
) -> None:
    monkeypatch.setattr(lines, "_BLOCK", block)
    with opened(path, content) as file:
        assert end_of_last_line(file, 0, len(content), 1000) == end


@pytest.mark.parametrize("block", BLOCKS)
@pytest.mark.parametrize(
    ("start", "most", "end"),
    [
        (0, 4, 4),
        (0, 5, 4),
        (0, 7, 4),
        (0, 8, 8),
        (4, 4, 8),
        (8, 100, 16),
        (8, 8, 16),
        # Longer than what one range may hold: taken whole.
        (0, 1, 4),
        (8, 2, 16),
        (8, 7, 16),
        (16, 3, None),
        (19, 3, None),
    ],
)
def test_as_much_as_one_range_may_hold_but_at_least_a_line(
    path: Path, monkeypatch: pytest.MonkeyPatch, block: int, start: int, most: int, end: int | None
) -> None:
    monkeypatch.setattr(lines, "_BLOCK", block)
    content = b"one\ntwo\na longe\nend"
    with opened(path, content) as file:
        assert end_of_last_line(file, start, len(content), most) == end


def test_only_as_much_is_looked_at_as_was_there(path: Path) -> None:
    """The file may grow while it is looked at."""
    with opened(path, b"one\ntwo\n") as file:
        assert end_of_last_line(file, 0, 6, 1000) == 4


@pytest.mark.parametrize("block", BLOCKS)
def test_cr_and_lf_are_never_torn_apart(path: Path, monkeypatch: pytest.MonkeyPatch, block: int) -> None:
    monkeypatch.setattr(lines, "_BLOCK", block)
    content = b"a\r\nb\r\n"
    with opened(path, content) as file:
        for most in range(1, 10):
            end = end_of_last_line(file, 0, len(content), most)
            assert end in (3, 6), f"at most {most}"


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (b"", []),
        (b"a\n", [b"a"]),
        (b"a\nb\r\nc\r", [b"a", b"b", b"c"]),
        (b"\n\r\n\r", [b"", b"", b""]),
        (b" a \n", [b" a "]),
        ("ä€😀\n".encode(), ["ä€😀".encode()]),
        (b"\xff\x00\n", [b"\xff\x00"]),
        # Only CR and LF end lines, whatever Python's splitlines thinks.
        ("a\x0bb\x0cc\x1cd\x85e\u2028f\n".encode(), ["a\x0bb\x0cc\x1cd\x85e\u2028f".encode()]),
    ],
)
def test_split(data: bytes, expected: list[bytes]) -> None:
    assert split(data) == expected


@pytest.mark.parametrize("block", [1, 2, 3, 5, 1000])
def test_reading_in_blocks_gives_the_same_lines(path: Path, block: int) -> None:
    content = b"one\n\ntwo\r\nthree\rfour is longer\nfive\n"
    path.write_bytes(content + b"half")
    read = [line for part in read_lines(str(path), 0, len(content), block) for line in part]
    assert read == [b"one", b"", b"two", b"three", b"four is longer", b"five"]


def test_reading_begins_and_ends_where_it_is_told(path: Path) -> None:
    path.write_bytes(b"one\ntwo\nthree\n")
    assert list(read_lines(str(path), 4, 8)) == [[b"two"]]
    assert list(read_lines(str(path), 4, 4)) == []


@pytest.mark.parametrize("end", [b"", b"\n", b"\r", b"\r\n"])
def test_the_end_of_a_text_is_the_end_of_a_line(end: bytes) -> None:
    assert list(in_lines([b"one\nt", b"w", b"o" + end])) == [[b"one"], [b"two"]]
    assert list(in_lines([])) == []


def test_a_file_that_shrinks_while_it_is_read(path: Path) -> None:
    path.write_bytes(b"one\n")
    with pytest.raises(EOFError, match="has become shorter while it was read: 4 bytes before 8 are missing"):
        list(read_lines(str(path), 0, 8))


@pytest.mark.parametrize("seed", range(40))
def test_whatever_the_file_and_the_ranges_the_lines_are_the_same(path: Path, monkeypatch: pytest.MonkeyPatch, seed: int) -> None:
    """A random file that grows by random pieces, read by ranges of random size with random blocks."""
    chance = random.Random(seed)
    ends = chance.choice([[b"\n"], [b"\r\n"], [b"\r"], [b"\n", b"\r\n", b"\r"]])
    content = b"".join(
        bytes(chance.choices(b"ab\xc3", k=chance.choice([0, 0, 1, 2, 5, 40]))) + chance.choice(ends) for _ in range(60)
    )
    content += b"half"
    expected = re.split(rb"\r\n|\r|\n", content)[:-1]
    monkeypatch.setattr(lines, "_BLOCK", chance.choice([1, 2, 3, 8]))
    with opened(path, content) as file:
        position, size, read = 0, 0, list[bytes]()
        while size < len(content):
            size = min(len(content), size + chance.randint(1, 30))
            while (end := end_of_last_line(file, position, size, chance.randint(1, 20))) is not None:
                assert position < end <= size
                read += [line for part in read_lines(str(path), position, end, chance.randint(1, 10)) for line in part]
                position = end
    assert read == expected
