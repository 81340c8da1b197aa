"""The benchmark's input, and how a copy of it is compared."""

from pathlib import Path

import pytest

from bench.lines import write
from bench.topics import Different, assert_same


def test_the_same_lines_are_written_every_time(tmp_path: Path) -> None:
    write(tmp_path / "one", 1000)
    write(tmp_path / "two", 1000)
    assert_same(tmp_path / "one", tmp_path / "two")


def test_lines_differ_and_have_110_bytes_on_average(tmp_path: Path) -> None:
    write(tmp_path / "input", 25_000)
    lines = (tmp_path / "input").read_bytes().splitlines(keepends=True)
    assert len(set(lines)) == 25_000
    assert 90 <= min(map(len, lines)) <= max(map(len, lines)) <= 130
    assert 109 < sum(map(len, lines)) / len(lines) < 111


@pytest.mark.parametrize(
    ("copy", "position"),
    [(b"one\ntwo\n", 5), (b"one\nthree", 9), (b"one\nthree\n\n", 10), (b"", 0)],
    ids=["other", "less", "more", "none"],
)
def test_a_copy_that_differs_is_told_with_the_place(tmp_path: Path, copy: bytes, position: int) -> None:
    (tmp_path / "original").write_bytes(b"one\nthree\n")
    (tmp_path / "copy").write_bytes(copy)
    with pytest.raises(Different, match=f"at byte {position}$"):
        assert_same(tmp_path / "copy", tmp_path / "original")


def test_a_difference_beyond_the_first_block_is_found(tmp_path: Path) -> None:
    original = bytearray(3 << 20)
    (tmp_path / "original").write_bytes(original)
    original[(2 << 20) + 7] = 1
    (tmp_path / "copy").write_bytes(original)
    with pytest.raises(Different, match=f"at byte {(2 << 20) + 7}$"):
        assert_same(tmp_path / "copy", tmp_path / "original")
