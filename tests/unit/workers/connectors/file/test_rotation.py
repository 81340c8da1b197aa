"""Rotation loses no line and writes none twice, though the process may die before any of its steps."""

import gzip
import os
import random
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from workers.connectors.base import KafkaRange
from workers.connectors.file import journal as journal_module
from workers.connectors.file.journal import Journal
from workers.connectors.file.rotation import Limits, RotatingFile, lines_that_fit

NOON = 1_767_268_800.0  # 2026-01-01 12:00:00 UTC
STAMP = "20260101T120000Z"


class Died(BaseException):
    """The process, at this moment."""


class Sink:
    """A rotating file with its journal; each `append` is a batch, committed unless the process dies."""

    def __init__(self, folder: Path, size: int | None = None, interval: int | None = None, *, compress: bool = False) -> None:
        self.file = folder / "target" / "out[1].txt"
        self.file.parent.mkdir(exist_ok=True)
        self.journal = Journal(folder / "scratch" / "journal.json")
        self.now = NOON
        self._folder = folder
        self._limits = Limits(size, interval)
        self._compress = compress
        self._offset = 0
        self.start()

    def start(self) -> None:
        self.file.touch()
        self._rotating = RotatingFile(self.file, self._limits, self.journal, compress=self._compress, clock=lambda: self.now)
        self._rotating.start()

    def append(self, *contents: bytes) -> None:
        self.write(*contents)
        self.journal.clear()
        self._offset += 1

    def write(self, *contents: bytes) -> None:
        paths = [self._folder / f"part-{number}" for number in range(len(contents))]
        for path, content in zip(paths, contents, strict=True):
            path.write_bytes(content)
        self._rotating.append(paths, [KafkaRange("t", 0, self._offset, self._offset + 1)])
        self.touch()

    def touch(self) -> None:
        """Its last line is of this moment."""
        os.utime(self.file, (self.now, self.now))

    def idle(self) -> None:
        self._rotating.idle()

    def files(self) -> dict[str, bytes]:
        """Without the file's own name and what does not count here, its time."""
        return {path.name.removeprefix(self.file.name): path.read_bytes() for path in sorted(self.file.parent.iterdir())}

    def contents(self) -> list[bytes]:
        """By number, the newest last; decompressed."""
        numbers = {path.name.removesuffix(".gz"): path for path in self.file.parent.iterdir() if path != self.file}
        rotated = [numbers[name] for name in sorted(numbers, key=lambda name: int(name.rsplit(".", 1)[1]))]
        return [_text(path) for path in (*rotated, self.file)]


def _text(path: Path) -> bytes:
    return gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()


@pytest.fixture(autouse=True)
def disk(monkeypatch: pytest.MonkeyPatch) -> None:
    """Small blocks; and what is written counts as written, for no power fails here."""
    monkeypatch.setattr(journal_module, "_BLOCK", 5)
    monkeypatch.setattr(os, "fsync", lambda file: None)


@pytest.mark.parametrize(
    ("text", "room", "fits"),
    [(b"a\nb\n", 4, 4), (b"a\nb\n", 3, 2), (b"a\nb\n", 1, 0), (b"a\nb\n", 0, 0), (b"a\nb\n", -5, 0), (b"ab", 9, 0)],
)
def test_lines_that_fit(text: bytes, room: int, fits: int) -> None:
    assert lines_that_fit(text, room) == fits


@pytest.mark.parametrize(
    ("written", "now", "over"),
    [(NOON, NOON + 3599.9, False), (NOON - 0.001, NOON, True), (NOON, NOON + 3600, True), (NOON + 7200, NOON, False)],
)
def test_an_interval_is_one_of_the_clock(written: float, now: float, over: bool) -> None:
    assert Limits(interval=3_600_000).is_over(written, now) is over
    assert not Limits(size=1).is_over(written, now)


def test_a_full_file_is_moved_away(tmp_path: Path) -> None:
    sink = Sink(tmp_path, 8)
    sink.append(b"one\ntwo\n")
    assert sink.files() == {"": b"one\ntwo\n"}
    sink.append(b"three\n")
    assert sink.files() == {f".{STAMP}.000001": b"one\ntwo\n", "": b"three\n"}
    sink.append(b"four\n")
    assert sink.files()[f".{STAMP}.000002"] == b"three\n"


def test_a_batch_is_cut_where_lines_end(tmp_path: Path) -> None:
    sink = Sink(tmp_path, 8)
    sink.append(b"one\ntwo\nthree\n", b"", b"a line longer than a file\n4\n\n5\n6\n", b"7\n")
    assert sink.contents() == [b"one\ntwo\n", b"three\n", b"a line longer than a file\n", b"4\n\n5\n6\n", b"7\n"]


def test_what_was_there_before_counts(tmp_path: Path) -> None:
    sink = Sink(tmp_path, 8)
    sink.file.write_bytes(b"before\n")
    sink.append(b"one\n")
    assert sink.contents() == [b"before\n", b"one\n"]


def test_a_file_has_the_lines_of_one_interval(tmp_path: Path) -> None:
    sink = Sink(tmp_path, interval=3_600_000)
    sink.append(b"one\n")
    sink.now += 3599
    sink.append(b"two\n")
    sink.now += 2
    sink.append(b"three\n")
    assert sink.files() == {".20260101T125959Z.000001": b"one\ntwo\n", "": b"three\n"}


def test_an_interval_ends_though_nothing_new_comes(tmp_path: Path) -> None:
    sink = Sink(tmp_path, interval=3_600_000)
    for _ in range(2):
        sink.now += 7200
        sink.idle()
    assert sink.files() == {"": b""}
    sink.append(b"one\n")
    sink.idle()
    assert sink.files() == {"": b"one\n"}
    sink.now += 3600
    sink.idle()
    assert list(sink.files().values()) == [b"", b"one\n"]


def test_a_file_that_somebody_takes_away_is_made_anew(tmp_path: Path) -> None:
    sink = Sink(tmp_path, interval=3_600_000)
    sink.append(b"one\n")
    sink.file.unlink()
    sink.now += 3600
    sink.idle()
    sink.append(b"two\n")
    assert sink.files() == {"": b"two\n"}


def test_what_is_not_committed_is_not_moved_for_the_time(tmp_path: Path) -> None:
    sink = Sink(tmp_path, interval=3_600_000)
    sink.write(b"one\n")
    sink.now += 3600
    sink.start()
    sink.idle()
    sink.write(b"one\n")
    assert sink.files() == {"": b"one\n"}


def test_numbers_go_on(tmp_path: Path) -> None:
    sink = Sink(tmp_path, 4, compress=True)
    for name in (".20200101T000000Z.000041.gz", ".20200101T000000Z.7", ".1", ".20200101T000000Z.999999.bak"):
        sink.file.with_name(sink.file.name + name).write_bytes(gzip.compress(b""))
    sink.append(b"one\ntwo\n")
    assert [name for name in sink.files() if name.endswith(".000042.gz")]


def test_rotated_files_are_compressed(tmp_path: Path) -> None:
    sink = Sink(tmp_path, 4, compress=True)
    sink.append(b"one\n")
    sink.append(b"two\n")
    assert {name: gzip.decompress(text) for name, text in sink.files().items() if name} == {f".{STAMP}.000001.gz": b"one\n"}
    moved = sink.file.with_name(f"{sink.file.name}.{STAMP}.000001.gz")
    assert moved.stat().st_mtime == NOON


@pytest.mark.parametrize("step", range(60))
@pytest.mark.parametrize("compress", [False, True])
def test_whatever_it_dies_of_no_line_is_lost_or_twice(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, step: int, compress: bool
) -> None:
    """Before each call that changes something on the disk, or that would have: the batch comes again, whole."""
    batch = b"1\n22\n333\n4444\n55555\n666666\n7\n8\n9\n"
    sink = Sink(tmp_path, 9, interval=3_600_000, compress=compress)
    sink.append(b"old\n")
    left = step

    def dying(real: Callable[..., Any]) -> Callable[..., Any]:
        def call(*given: Any, **named: Any) -> Any:
            nonlocal left
            left -= 1
            if left == -1:
                raise Died
            return real(*given, **named)

        return call

    with monkeypatch.context() as dies:
        for name in ("rename", "replace", "fsync", "open", "utime"):
            dies.setattr(os, name, dying(getattr(os, name)))
        dies.setattr(Path, "unlink", dying(Path.unlink))
        with suppress(Died):
            sink.write(batch[:20], batch[20:])
    sink.start()
    sink.append(batch)
    sink.append(b"new\n")
    assert b"".join(sink.contents()) == b"old\n" + batch + b"new\n"
    assert all(len(text) <= 9 for text in sink.contents())
    assert not [name for name in sink.files() if name.endswith(".part") or (compress and name and not name.endswith(".gz"))]


def test_a_batch_that_comes_again_in_another_order_comes_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """At least once, as Kafka Connect always does."""
    sink = Sink(tmp_path, 4)
    with monkeypatch.context() as dies, suppress(Died):
        dies.setattr(sink, "touch", _die)
        sink.write(b"one\ntwo\nsix\n")
    sink.file.write_bytes(b"si")
    sink.start()
    sink.append(b"six\none\ntwo\n")
    assert b"".join(sink.contents()) == b"one\ntwo\nsi\nsix\none\ntwo\n"


def _die() -> None:
    raise Died


@pytest.mark.parametrize("seed", range(20))
def test_crashing_in_any_middle_again_and_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, seed: int) -> None:
    chance = random.Random(seed)
    sink = Sink(tmp_path, chance.randint(4, 40))
    expected = b""
    for _ in range(12):
        batch = b"".join(bytes(chance.choices(b"ab", k=chance.randint(0, 12))) + b"\n" for _ in range(chance.randint(1, 8)))
        for _ in range(chance.randint(0, 4)):
            countdown = chance.randint(0, 9)

            def fsync(file: int) -> None:
                nonlocal countdown
                countdown -= 1
                if countdown < 0:
                    raise Died

            with monkeypatch.context() as dies:
                dies.setattr(os, "fsync", fsync)
                with suppress(Died):
                    sink.write(batch)
            sink.start()
        sink.append(batch)
        expected += batch
    assert b"".join(sink.contents()) == expected
