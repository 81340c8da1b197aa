"""The log in a file: what survives a restart, a crash at any moment, and hands that it should not be in."""

import errno
import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from workers.storage.file_log import FileLog
from workers.storage.log import LogError, LogRecord
from workers.storage.offset_store import OffsetStore
from workers.storage.records import KeyValue

A1, A2, B1 = KeyValue(b"a", b"1"), KeyValue(b"a", b"2"), KeyValue(b"b", b'{"x":"\xc3\xa9"}')
LINE_A1, LINE_A2, LINE_B1 = (
    b'{"key":"a","value":"1"}\n',
    b'{"key":"a","value":"2"}\n',
    b'{"key":"b","value":"{\\"x\\":\\"\xc3\xa9\\"}"}\n',
)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "connect.offsets"


@pytest.fixture
def opened() -> Iterator[list[FileLog]]:
    logs: list[FileLog] = []
    yield logs
    for log in logs:
        log.stop()


def reader(path: Path, opened: list[FileLog], slack: int = 100) -> tuple[FileLog, list[LogRecord]]:
    log, seen = FileLog(path, slack=slack), list[LogRecord]()
    opened.append(log)
    log.start(seen.append)
    return log, seen


def pairs(seen: list[LogRecord]) -> list[tuple[bytes, bytes | None]]:
    return [(record.key, record.value) for record in seen]


def test_what_is_written_has_been_read_and_is_in_the_file_on_return(path: Path, opened: list[FileLog]) -> None:
    log, seen = reader(path, opened)
    assert log.write([A1, B1]) == {0: 2} == log.reached == log.flush() == log.read_to_end()
    assert seen == [LogRecord(0, 0, b"a", b"1"), LogRecord(0, 1, *B1[:2])]
    assert path.read_bytes() == LINE_A1 + LINE_B1
    assert (log.wait_for({0: 2}, 0), log.wait_for({0: 3}, 0)) == (True, False)


def test_the_next_life_reads_it_and_only_the_newest_of_each_key(path: Path, opened: list[FileLog]) -> None:
    log, _ = reader(path, opened)
    for record in (A1, B1, A2, KeyValue(b"c", b"1"), KeyValue(b"c", None)):
        log.submit([record])
    log.stop()
    _, seen = reader(path, opened)
    assert pairs(seen) == [tuple(B1[:2]), tuple(A2[:2])]
    assert path.read_bytes() == LINE_B1 + LINE_A2


def test_headers_are_kept(path: Path, opened: list[FileLog]) -> None:
    log, seen = reader(path, opened)
    log.write([KeyValue(b"a", b"1", (("h", b"x"),))])
    log.stop()
    _, again = reader(path, opened)
    assert [record.headers for record in (*seen, *again)] == [{"h": b"x"}] * 2


def test_an_offset_store_on_it_knows_its_offsets_again(path: Path) -> None:
    for position in (1, 2):
        store = OffsetStore(FileLog(path))
        store.start()
        store.refresh()
        assert store.offset("s", {"filename": "/é"}) == ({"position": 1} if position == 2 else None)
        store.commit("s", {"filename": "/é"}, {"position": position})
        store.stop()


def test_a_long_life_does_not_make_it_grow_for_ever(path: Path, opened: list[FileLog]) -> None:
    log, _ = reader(path, opened, slack=10)
    most = 0
    for number in range(100):
        log.write([KeyValue(b"a", b"%d" % number)])
        most = max(most, len(path.read_bytes().splitlines()))
    assert most <= 12
    log.stop()
    _, seen = reader(path, opened)
    assert pairs(seen) == [(b"a", b"99")]


# --- crashes ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("cut", range(1, len(LINE_A2)))
def test_a_torn_last_line_is_left_out_and_the_next_one_is_whole(
    path: Path, opened: list[FileLog], caplog: pytest.LogCaptureFixture, cut: int
) -> None:
    path.write_bytes(LINE_B1 + LINE_A1 + LINE_A2[:cut])
    log, seen = reader(path, opened)
    # All of it but the line's end: that is a record.
    whole = cut == len(LINE_A2) - 1
    assert pairs(seen)[-1] == (b"a", b"2" if whole else b"1")
    assert ("incomplete" in caplog.text) is not whole
    log.write([A2])
    assert path.read_bytes().splitlines()[-1] == LINE_A2.strip()


@pytest.mark.parametrize("left", [b"", LINE_A2, LINE_B1[:5]])
def test_a_crash_before_the_new_file_is_in_place_loses_nothing(path: Path, opened: list[FileLog], left: bytes) -> None:
    path.write_bytes(LINE_A1 + LINE_B1)
    path.with_name("connect.offsets.new").write_bytes(left)
    _, seen = reader(path, opened)
    assert pairs(seen) == [tuple(A1[:2]), tuple(B1[:2])]
    assert path.read_bytes() == LINE_A1 + LINE_B1
    assert [entry.name for entry in path.parent.iterdir()] == [path.name]


def test_a_start_that_is_cut_off_while_it_writes_leaves_the_old_file(
    path: Path, opened: list[FileLog], monkeypatch: pytest.MonkeyPatch
) -> None:
    path.write_bytes(LINE_A1 + LINE_A2)
    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", failing)
        with pytest.raises(LogError, match=r"cannot be used: No space left on device$"):
            reader(path, opened)
    assert path.read_bytes() == LINE_A1 + LINE_A2
    _, seen = reader(path, opened)
    assert pairs(seen) == [tuple(A2[:2])]


def failing(descriptor: int) -> None:
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def test_a_write_that_fails_is_not_there_and_does_not_spoil_the_next(
    path: Path, opened: list[FileLog], monkeypatch: pytest.MonkeyPatch
) -> None:
    log, seen = reader(path, opened)
    log.write([A1])
    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", failing)
        with pytest.raises(LogError, match=r"^Writing to the file .* failed: No space left on device$"):
            log.write([A2])
    assert (pairs(seen), path.read_bytes(), log.reached) == ([(b"a", b"1")], LINE_A1, {0: 1})
    log.write([B1])
    assert path.read_bytes() == LINE_A1 + LINE_B1


def test_a_compaction_that_fails_in_a_long_life_can_wait(
    path: Path, opened: list[FileLog], monkeypatch: pytest.MonkeyPatch
) -> None:
    log, _ = reader(path, opened, slack=0)
    path.with_name("connect.offsets.new").mkdir()
    for _ in range(5):
        log.write([A1])
    assert path.read_bytes() == LINE_A1 * 5


# --- what is refused --------------------------------------------------------------------------------------------------


def test_a_second_reader_is_refused_as_long_as_the_first_is_there(path: Path, opened: list[FileLog]) -> None:
    first, seen = reader(path, opened)
    with pytest.raises(LogError, match=r"^The file .*connect.offsets is in use by another worker$"):
        reader(path, opened)
    first.write([A1])
    assert pairs(seen) == [(b"a", b"1")]
    first.stop()
    _, seen = reader(path, opened)
    assert pairs(seen) == [(b"a", b"1")]


@pytest.mark.parametrize(
    "content",
    [
        b"\xac\xed\x00\x05sr\x00\x11java.util.HashMap",
        b"\xac\xed\x00\x05\n" + LINE_A1,
        LINE_A1 + b"{}\n" + LINE_B1,
        LINE_A1 + LINE_A2[:9] + b"\n",
        b"[]\n",
        b"\n\n",
    ],
)
def test_what_is_not_a_file_of_ours_is_refused_and_left_as_it_is(path: Path, opened: list[FileLog], content: bytes) -> None:
    path.write_bytes(content)
    with pytest.raises(LogError, match=r"^The file .*connect.offsets cannot be read: .* of this worker's$"):
        reader(path, opened)
    assert path.read_bytes() == content


def test_a_missing_folder_is_named(tmp_path: Path, opened: list[FileLog]) -> None:
    with pytest.raises(LogError, match=r"^The file .*/no/o cannot be made: there is no folder .*/no$"):
        reader(tmp_path / "no" / "o", opened)


def test_a_folder_in_its_place_is_named(tmp_path: Path, opened: list[FileLog]) -> None:
    with pytest.raises(LogError, match=r"^The file .* cannot be used: Is a directory$"):
        reader(tmp_path, opened)


def test_a_file_in_the_folders_place_is_named(path: Path, opened: list[FileLog]) -> None:
    path.touch()
    with pytest.raises(LogError, match=r"^The file .*/x cannot be used: Not a directory$"):
        reader(path / "x", opened)


@pytest.mark.parametrize("started", [False, True])
def test_before_its_start_and_after_its_end_nothing_is_written(path: Path, opened: list[FileLog], started: bool) -> None:
    log = reader(path, opened)[0] if started else FileLog(path)
    log.stop()
    with pytest.raises(LogError, match=r"is not open$"):
        log.write([A1])
