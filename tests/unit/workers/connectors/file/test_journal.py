"""Appending a batch once, though the process may die after any byte."""

from pathlib import Path

import pytest

from workers.connectors.base import KafkaRange
from workers.connectors.file import journal as module
from workers.connectors.file.journal import Entry, Journal, append_once

RANGES = [KafkaRange("t", 0, 0, 3), KafkaRange("t", 1, 5, 6)]
OTHER = [KafkaRange("t", 0, 3, 4)]
BATCH = b"one\n\ntwo\nthree\n"


@pytest.fixture(autouse=True, params=[1, 3, 1 << 20], ids="block {}".format)
def block(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_BLOCK", request.param)


class Sink:
    """A file, its journal, and the batch as Spark has left it: in parts, some of them empty."""

    def __init__(self, folder: Path, before: bytes = b"old\n") -> None:
        self.file = folder / "out.txt"
        self.file.write_bytes(before)
        self.journal = Journal(folder / "scratch" / "journal.json")
        self._folder = folder

    def parts(self, *contents: bytes) -> list[Path]:
        paths = [self._folder / f"part-{number}" for number in range(len(contents))]
        for path, content in zip(paths, contents, strict=True):
            path.write_bytes(content)
        return paths

    def append(self, *contents: bytes, ranges: list[KafkaRange] = RANGES) -> bytes:
        append_once(str(self.file), self.parts(*(contents or (BATCH,))), ranges, self.journal)
        return self.file.read_bytes()

    def crash_after(self, written: bytes) -> None:
        """As the process leaves it that dies when `written` has reached the file."""
        self.journal.note(Entry(RANGES, self.file.stat().st_size))
        self.add(written)

    def add(self, content: bytes) -> None:
        with open(self.file, "ab") as file:
            file.write(content)


@pytest.fixture
def sink(tmp_path: Path) -> Sink:
    return Sink(tmp_path)


def test_a_batch_is_appended_in_the_order_of_its_parts(sink: Sink) -> None:
    assert sink.append(b"one\n", b"", b"two\n") == b"old\none\ntwo\n"
    assert sink.journal.newest().ranges == RANGES


def test_the_file_is_made_if_it_is_not_there(sink: Sink) -> None:
    sink.file.unlink()
    assert sink.append() == BATCH


@pytest.mark.parametrize("length", range(len(BATCH) + 1))
def test_a_crash_after_any_byte_and_the_batch_again_is_the_batch_once(sink: Sink, length: int) -> None:
    sink.crash_after(BATCH[:length])
    assert sink.append() == b"old\n" + BATCH


@pytest.mark.parametrize("length", range(len(BATCH) + 1))
def test_the_second_time_the_parts_may_be_cut_otherwise(sink: Sink, length: int) -> None:
    sink.crash_after(BATCH[:length])
    assert sink.append(BATCH[:2], b"", BATCH[2:7], BATCH[7:]) == b"old\n" + BATCH


def test_crashing_again_and_again_is_still_once(sink: Sink) -> None:
    for length in range(len(BATCH)):
        sink.crash_after(b"") if length == 0 else sink.add(BATCH[length - 1 : length])
        assert sink.journal.of(RANGES) == Entry(RANGES, 4)
    assert sink.append() == b"old\n" + BATCH
    assert sink.append() == b"old\n" + BATCH


def test_a_crash_before_the_note_has_written_nothing(sink: Sink) -> None:
    assert sink.append() == b"old\n" + BATCH


def test_lines_of_another_writer_behind_the_whole_batch_stay(sink: Sink) -> None:
    sink.crash_after(BATCH)
    sink.add(b"theirs\n")
    assert sink.append() == b"old\n" + BATCH + b"theirs\n"


@pytest.mark.parametrize("length", range(len(BATCH)))
def test_lines_of_another_writer_in_between_stay_and_the_batch_comes_whole_on_a_line_of_its_own(sink: Sink, length: int) -> None:
    """At least once, as Kafka Connect always does."""
    sink.crash_after(BATCH[:length])
    sink.add(b"#theirs")
    assert sink.append() == b"old\n" + BATCH[:length] + b"#theirs\n" + BATCH


def test_what_the_other_writer_finished_gets_no_empty_line(sink: Sink) -> None:
    sink.crash_after(b"on")
    sink.add(b"#theirs\n")
    assert sink.append() == b"old\non#theirs\n" + BATCH


def test_a_file_that_was_cut_meanwhile_gets_the_batch_whole(sink: Sink) -> None:
    sink.crash_after(BATCH)
    sink.file.write_bytes(b"")
    assert sink.append() == BATCH


def test_other_ranges_are_another_batch_though_they_look_alike(sink: Sink) -> None:
    sink.append()
    assert sink.append(ranges=OTHER) == b"old\n" + BATCH + BATCH
    assert sink.journal.newest().ranges == OTHER


def test_after_the_commit_offsets_that_were_wound_back_are_written_again(sink: Sink) -> None:
    sink.append()
    sink.journal.clear()
    assert sink.journal.newest().ranges == []
    assert sink.append() == b"old\n" + BATCH + BATCH


def test_an_empty_batch(sink: Sink) -> None:
    assert sink.append(b"", b"") == b"old\n"
    assert sink.append(b"", b"") == b"old\n"


@pytest.mark.parametrize(
    "content",
    [b"", b"{", b"[]", b"{}", b'{"ranges":[],"length":4}', b'{"ranges":[{"x":1}],"length":4}', b'{"ranges":1,"length":4}', b"5"],
)
def test_a_journal_that_cannot_be_read_costs_no_more_than_a_repetition(sink: Sink, content: bytes) -> None:
    sink.crash_after(b"on")
    sink.journal.path.write_bytes(content)
    assert (sink.journal.newest().ranges, sink.journal.of(RANGES)) == ([], None)
    assert sink.append() == b"old\non" + BATCH


def test_clearing_twice_is_no_error(sink: Sink) -> None:
    sink.journal.clear()
    sink.journal.clear()


def test_a_note_replaces_the_one_before_in_one_step(sink: Sink) -> None:
    sink.journal.note(Entry(RANGES, 1))
    sink.journal.note(Entry(OTHER, 2))
    assert (sink.journal.newest(), sink.journal.of(RANGES)) == (Entry(OTHER, 2), None)
    assert [path.name for path in sink.journal.path.parent.iterdir()] == ["journal.json"]
