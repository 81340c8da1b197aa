"""What the file source finds new. Reading it is Spark's part and is tested with Spark."""

import gzip
import os
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import BinaryIO

import pytest

from workers.connectors.base import ConnectError, RetriableError, SourceRange
from workers.connectors.configdef import Invalid
from workers.connectors.file import followed, source
from workers.connectors.file.gzipped import Found, Member, find_lines
from workers.connectors.file.lines import end_of_last_line
from workers.connectors.file.source import FileStreamSourceConnector, FileStreamSourceTask
from workers.herder.values import Fields, PartitionOffset


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "in.txt"


def task(path: Path, offset: Mapping[str, object] | None = None) -> FileStreamSourceTask:
    """Started where `offset` says."""
    made = FileStreamSourceTask({"file": str(path), "topic": "t"})

    def committed(partition: Fields) -> Fields | None:
        assert partition == {"filename": str(path)}
        return offset

    made.start(committed)
    return made


def next_span(made: FileStreamSourceTask) -> tuple[object, object] | None:
    new = made.next_range()
    return None if new is None else span(new)


def span(new: SourceRange) -> tuple[object, object]:
    """Of the one file there is."""
    assert isinstance(new.end, list)
    (only,) = new.end
    return only.start, only.end


def test_a_missing_file_is_waited_for_and_said_once(path: Path, caplog: pytest.LogCaptureFixture) -> None:
    made = task(path)
    assert (made.next_range(), made.next_range()) == (None, None)
    assert caplog.text.count(f"Couldn't find file {path} for FileStreamSourceTask, sleeping to wait for it to be created") == 1
    path.write_bytes(b"one\n")
    assert next_span(made) == (0, 4)
    path.unlink()
    made.next_range()
    assert caplog.text.count("Couldn't find file") == 2, "gone again is news again"


def test_a_range_carries_the_offset_that_holds_once_it_is_written(path: Path) -> None:
    path.write_bytes(b"one\ntwo\nhalf")
    new = task(path).next_range()
    assert new is not None
    assert (span(new), new.offsets, new.topics) == ((0, 8), [({"filename": str(path)}, {"position": 8})], ["t"])


def test_the_same_range_comes_again_until_it_is_committed(path: Path) -> None:
    path.write_bytes(b"one\n")
    made = task(path)
    new = made.next_range()
    assert new is not None
    assert made.next_range() == new
    made.committed(new)
    assert made.next_range() is None
    path.write_bytes(b"one\ntwo\n")
    assert next_span(made) == (4, 8)


def test_it_goes_on_where_the_offset_says(path: Path) -> None:
    path.write_bytes(b"one\ntwo\n")
    assert next_span(task(path, {"position": 4})) == (4, 8)


def test_an_empty_file_has_nothing(path: Path) -> None:
    path.write_bytes(b"")
    assert task(path).next_range() is None


def test_a_big_file_comes_in_ranges(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(source, "RANGE_BYTES", 5)
    path.write_bytes(b"a\nb\nc\nlong line\nd\n")
    made, spans = task(path), list[tuple[object, object]]()
    while (new := made.next_range()) is not None:
        spans.append(span(new))
        made.committed(new)
    assert spans == [(0, 4), (4, 6), (6, 16), (16, 18)]


def test_half_a_line_is_looked_for_again_only_when_the_file_has_grown(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An idle task must cost a `stat`, not a read of what has no end."""
    looked = []

    def counted(file: int, start: int, size: int, most: int) -> int | None:
        looked.append(size)
        return end_of_last_line(file, start, size, most)

    monkeypatch.setattr(followed, "end_of_last_line", counted)
    path.write_bytes(b"half")
    made = task(path)
    assert [made.next_range() for _ in range(3)] == [None, None, None]
    assert looked == [4]
    path.write_bytes(b"half a line")
    assert made.next_range() is None
    path.write_bytes(b"half a line\n")
    assert next_span(made) == (0, 12)
    assert looked == [4, 11, 12]


def test_a_cr_at_the_end_waits_for_what_follows(path: Path) -> None:
    path.write_bytes(b"one\r")
    made = task(path)
    assert made.next_range() is None
    path.write_bytes(b"one\r\n")
    assert next_span(made) == (0, 5)


def test_a_file_that_became_shorter_is_an_error_that_says_what_to_do(path: Path) -> None:
    path.write_bytes(b"one\n")
    with pytest.raises(ConnectError) as raised:
        task(path, {"position": 5}).next_range()
    assert str(raised.value) == (
        f"File {path} has 4 bytes, but 5 have been read from it already: it was truncated or replaced. "
        "Stop the connector and reset its offsets to read the file from its beginning."
    )


@pytest.mark.parametrize("kind", ["folder", "pipe"])
def test_only_regular_files_can_be_read(path: Path, kind: str) -> None:
    """A pipe without a writer must not hang the task either."""
    path.mkdir() if kind == "folder" else os.mkfifo(path)
    with pytest.raises(ConnectError, match=r"is not a regular file$"):
        task(path).next_range()


def test_a_path_through_a_file_cannot_be_read(path: Path) -> None:
    path.write_bytes(b"")
    with pytest.raises(ConnectError, match=r"cannot be read: Not a directory$"):
        task(path / "below").next_range()


@pytest.mark.parametrize("position", ["4", 4.0, -1, True, None])
def test_an_offset_that_is_no_position_is_refused(path: Path, position: object) -> None:
    with pytest.raises(ConnectError, match=r"The offset stored for file .* is not a position in it"):
        task(path, {"position": position})


def test_one_file_has_one_task_whatever_tasks_max_says() -> None:
    config = {"name": "a", "file": "/f", "topic": "t"}
    assert FileStreamSourceConnector(config).task_configs(8) == [config]


@pytest.mark.parametrize(
    ("config", "message"),
    [
        ({"topic": "t"}, 'Missing required configuration "file" which has no default value.'),
        ({"file": "f", "topic": ""}, "Invalid value  for configuration topic: String must be non-empty"),
        ({"file": "", "topic": "t"}, "Invalid value  for configuration file: String must be non-empty"),
    ],
)
def test_a_connector_is_not_made_of_a_config_that_is_wrong(config: dict[str, str], message: str) -> None:
    assert [error for value in FileStreamSourceConnector.validate(config) for error in value.errors] == [message]
    with pytest.raises((Invalid, ConnectError)) as raised:
        FileStreamSourceConnector(config)
    assert str(raised.value) == message


# --- patterns ---------------------------------------------------------------------------------------------------------


def several(folder: Path, config: Mapping[str, str] = {}, offsets: Mapping[str, Fields] = {}) -> FileStreamSourceTask:
    """The one task of a pattern, unless told otherwise, that looks for new files each time."""
    given = {"files": str(folder / "*.log*"), "topic": "t", "files.refresh.interval.ms": "0"}
    made = FileStreamSourceTask({**given, "files.task": "0", "files.tasks": "1", **config})
    made.start(lambda partition: offsets.get(str(partition["filename"])))
    return made


def taken(made: FileStreamSourceTask) -> dict[str, bytes]:
    """What one range has of each file, by its name; it is committed."""
    new = made.next_range()
    if new is None:
        return {}
    made.committed(new)
    assert isinstance(new.end, list)
    return {Path(one.path).name: b"".join(one.pieces()) for one in new.end}


def test_all_files_that_match_are_one_range(tmp_path: Path) -> None:
    for name in ("b.log", "a.log", "c.txt"):
        (tmp_path / name).write_bytes(name.encode() + b"\nhalf")
    (tmp_path / "folder.log").mkdir()
    made = several(tmp_path)
    new = made.next_range()
    assert new is not None
    assert new.offsets == [({"filename": str(tmp_path / name)}, {"position": 6}) for name in ("a.log", "b.log")]
    assert taken(made) == {"a.log": b"a.log\n", "b.log": b"b.log\n"}
    assert made.next_range() is None


def test_a_file_that_is_taken_away_in_the_last_moment_is_looked_for_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def gone(path: str, start: int, end: int) -> Iterator[bytes]:
        raise FileNotFoundError(path)

    (tmp_path / "a.log").write_bytes(b"one\n")
    made = several(tmp_path)
    with monkeypatch.context() as meanwhile:
        meanwhile.setattr(followed, "read_bytes", gone)
        with pytest.raises(RetriableError, match=r"a\.log was taken away"):
            made.next_range()
    assert taken(made) == {"a.log": b"one\n"}


def test_files_come_and_go(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    made = several(tmp_path)
    assert made.next_range() is None
    (tmp_path / "a.log").write_bytes(b"one\n")
    assert taken(made) == {"a.log": b"one\n"}
    (tmp_path / "a.log").unlink()
    (tmp_path / "b.log").write_bytes(b"two\n")
    assert taken(made) == {"b.log": b"two\n"}
    assert "Couldn't find" not in caplog.text


def test_a_file_that_comes_is_read_from_where_its_offset_says(tmp_path: Path) -> None:
    made = several(tmp_path, offsets={str(tmp_path / "a.log"): {"position": 4}})
    (tmp_path / "a.log").write_bytes(b"one\ntwo\n")
    assert taken(made) == {"a.log": b"two\n"}


def test_new_files_are_looked_for_now_and_then(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    now = 100.0
    monkeypatch.setattr("workers.connectors.file.source.time.monotonic", lambda: now)
    made = several(tmp_path, {"files.refresh.interval.ms": "5000"})
    assert taken(made) == {}
    (tmp_path / "a.log").write_bytes(b"one\n")
    now = 104.9
    assert taken(made) == {}
    now = 105.0
    assert taken(made) == {"a.log": b"one\n"}


def test_a_file_that_never_ends_does_not_keep_the_others_waiting(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(source, "RANGE_BYTES", 4)
    (tmp_path / "a.log").write_bytes(b"one\n" * 50)
    (tmp_path / "b.log").write_bytes(b"two\n" * 2)
    made = several(tmp_path)
    assert [name for _ in range(5) for name in taken(made)] == ["a.log", "b.log", "a.log", "b.log", "a.log"]


def test_each_file_belongs_to_one_task_and_stays_with_it_when_others_come(tmp_path: Path) -> None:
    tasks = [several(tmp_path, {"files.task": str(task), "files.tasks": "3"}) for task in range(3)]
    for number in range(20):
        (tmp_path / f"{number}.log").write_bytes(b"one\n")
    shares = [set(taken(task)) for task in tasks]
    assert sum(map(len, shares)) == len(set.union(*shares)) == 20
    assert all(shares)
    for number in range(40):
        with (tmp_path / f"{number}.log").open("ab") as file:
            file.write(b"two\n")
    again = [set(taken(task)) for task in tasks]
    assert all(before < after for before, after in zip(shares, again, strict=True))


def test_a_connector_of_patterns_has_as_many_tasks_as_it_may() -> None:
    config = {"name": "a", "files": "/var/log/*.log", "topic": "t"}
    assert FileStreamSourceConnector(config).task_configs(2) == [
        {**config, "files.task": str(task), "files.tasks": "2"} for task in range(2)
    ]


@pytest.mark.parametrize(
    ("config", "key", "message"),
    [
        ({"file": "/f", "files": "/g"}, "files", "Only one of file and files can be given."),
        ({"files": ""}, "file", 'Missing required configuration "file" which has no default value.'),
        ({"files": "/a,,/b"}, "files", "Configuration 'files' values must not be empty."),
        ({"files": "/a,/a"}, "files", "Configuration 'files' values must not be duplicated."),
        (
            {"file": "/f", "file.compression": "zip"},
            "file.compression",
            "Invalid value zip for configuration file.compression: String must be one of: auto, none, gzip",
        ),
        (
            {"files": "/f", "files.refresh.interval.ms": "-1"},
            "files.refresh.interval.ms",
            "Invalid value -1 for configuration files.refresh.interval.ms: Value must be at least 0",
        ),
    ],
)
def test_which_key_is_wrong(config: dict[str, str], key: str, message: str) -> None:
    config["topic"] = "t"
    assert {one.name: one.errors for one in FileStreamSourceConnector.validate(config) if one.errors} == {key: [message]}
    with pytest.raises((Invalid, ConnectError), match=re.escape(message)):
        FileStreamSourceConnector(config)


# --- gzip -------------------------------------------------------------------------------------------------------------


def test_a_gzip_file_is_read_as_its_text_and_so_is_what_is_appended(tmp_path: Path) -> None:
    path = tmp_path / "a.log.gz"
    first, second = gzip.compress(b"one\ntwo", mtime=0), gzip.compress(b"three\n", mtime=0)
    path.write_bytes(first)
    made = task(path)
    new = made.next_range()
    assert new is not None
    assert new.offsets == [({"filename": str(path)}, {"position": 7, "member.offset": len(first), "member.position": 7})]
    assert taken(made) == {"a.log.gz": b"one\ntwo"}
    assert taken(made) == {}
    path.write_bytes(first + second)
    assert taken(made) == {"a.log.gz": b"three\n"}


@pytest.mark.parametrize("offset", [{"position": 4}, {"position": 4, "member.offset": 0, "member.position": 0}])
def test_a_gzip_file_goes_on_in_the_middle(tmp_path: Path, offset: Fields) -> None:
    path = tmp_path / "a.log.gz"
    path.write_bytes(gzip.compress(b"one\ntwo\n", mtime=0))
    assert taken(task(path, offset)) == {"a.log.gz": b"two\n"}


def test_an_idle_gzip_file_is_not_decompressed_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    looked = []

    def counted(file: BinaryIO, member: Member, start: int, most: int) -> Found:
        looked.append(start)
        return find_lines(file, member, start, most)

    monkeypatch.setattr(followed, "find_lines", counted)
    path = tmp_path / "a.log.gz"
    content = gzip.compress(b"one\ntwo\n", mtime=0)
    path.write_bytes(content[:-3])
    made = task(path)
    assert taken(made) == {"a.log.gz": b"one\ntwo\n"}
    assert [taken(made) for _ in range(3)] == [{}] * 3
    assert looked == [0, 8]
    path.write_bytes(content)
    assert [taken(made) for _ in range(3)] == [{}] * 3
    assert looked == [0, 8, 8]
    assert taken(task(path, {"position": 8, "member.offset": len(content), "member.position": 8})) == {}
    assert looked == [0, 8, 8]


def test_a_gzip_file_that_is_cut_short_is_waited_for_and_that_is_said_once(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    path = tmp_path / "a.log.gz"
    content = gzip.compress(b"one\n", mtime=0)
    made = task(path)
    for length in (5, 9):
        path.write_bytes(content[:length])
        assert taken(made) == {}
    assert caplog.text.count("ends in the middle of a gzip member; waiting for its rest") == 1
    path.write_bytes(content)
    assert taken(made) == {"a.log.gz": b"one\n"}


@pytest.mark.parametrize(
    ("content", "offset", "message"),
    [
        (b"one\n", None, "cannot be decompressed: it is damaged, or no gzip file, behind 0 bytes of text"),
        (
            gzip.compress(b"one\n", mtime=0),
            {"position": 5},
            "was truncated or replaced: its text has 4 bytes, but 5 have been read",
        ),
        (b"x", {"position": 5, "member.offset": 9, "member.position": 5}, "has 1 bytes, but 9 have been read"),
        (b"x", {"position": 5, "member.offset": 9, "member.position": 6}, "is not a position in it"),
        (b"x", {"position": 5, "member.offset": -1}, "is not a position in it"),
    ],
)
def test_a_gzip_file_that_cannot_be_read_fails_the_task(
    tmp_path: Path, content: bytes, offset: Fields | None, message: str
) -> None:
    path = tmp_path / "a.log.gz"
    path.write_bytes(content)
    with pytest.raises(ConnectError, match=re.escape(message)):
        task(path, offset).next_range()


def test_a_job_reads_at_least_as_much_as_it_has_to_decompress_before(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(source, "RANGE_BYTES", 4)
    path = tmp_path / "a.log.gz"
    path.write_bytes(gzip.compress(b"one\n" * 16))
    made = task(path)
    assert [len(next(iter(taken(made).values()))) for _ in range(5)] == [4, 4, 8, 16, 32]


@pytest.mark.parametrize(("name", "compression", "text"), [("a.gz", "none", False), ("a", "gzip", True), ("a", "auto", False)])
def test_compression_can_be_said(tmp_path: Path, name: str, compression: str, text: bool) -> None:
    path = tmp_path / name
    content = gzip.compress(b"one\n", mtime=0) + (b"" if text else b"\n")
    path.write_bytes(content)
    made = FileStreamSourceTask({"file": str(path), "topic": "t", "file.compression": compression})
    made.start(lambda partition: None)
    assert b"".join(taken(made).values()) == (b"one\n" if text else content)


# --- offsets by hand (KIP-875; facts §8.4) ----------------------------------------------------------------------------


def alter(partition: Fields | None, offset: Fields | None) -> bool:
    connector = FileStreamSourceConnector({"name": "a", "file": "/f", "topic": "t"})
    return connector.alter_offsets([PartitionOffset({"filename": "/f"}, None), PartitionOffset(partition, offset)])


@pytest.mark.parametrize(
    ("partition", "offset"),
    [
        ({"filename": "/f.gz"}, {"position": 8, "member.offset": 28, "member.position": 8}),
        ({"filename": "/f"}, {"position": 0}),
        ({"filename": "/of/before", "x": 1}, {"position": 2**40}),
        (None, None),
        ({}, None),
    ],
)
def test_offsets_that_it_takes(partition: Fields | None, offset: Fields | None) -> None:
    assert alter(partition, offset)


@pytest.mark.parametrize(
    ("partition", "offset", "message"),
    [
        (None, {"position": 1}, "Partition objects cannot be null"),
        ({}, {"position": 1}, "Partition objects should contain the key 'filename'"),
        ({"filename": "/f"}, {}, "Offset objects should either be null or contain the key 'position'"),
        (
            {"filename": "/f"},
            {"position": "1"},
            "The value for the 'position' key in the offset is expected to be a Long value",
        ),
        (
            {"filename": "/f"},
            {"position": True},
            "The value for the 'position' key in the offset is expected to be a Long value",
        ),
        (
            {"filename": "/f.gz"},
            {"position": 1, "member.offset": "0"},
            "The values for the 'member.offset' and 'member.position' keys should be non-negative Long values",
        ),
        (
            {"filename": "/f.gz"},
            {"position": 1, "member.position": 2},
            "The value for the 'member.position' key should not be greater than that for the 'position' key",
        ),
        (
            {"filename": "/f"},
            {"position": -1},
            "The value for the 'position' key in the offset should be a non-negative value",
        ),
    ],
)
def test_offsets_that_it_refuses(partition: Fields | None, offset: Fields | None, message: str) -> None:
    with pytest.raises(ConnectError) as raised:
        alter(partition, offset)
    assert str(raised.value) == message


# --- a few lines, written together with others' -----------------------------------------------------------------------


def test_a_few_lines_are_read_where_they_are_found(path: Path) -> None:
    path.write_bytes(b"one\r\ntwo\n\nhalf")
    made = task(path)
    new = made.next_range()
    assert new is not None
    assert (made.coalescing_key(new), made.records()) == ("", 3)


def test_many_lines_are_a_job_of_their_own(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(source, "FEW_BYTES", 6)
    path.write_bytes(b"one\ntwo\n")
    made = task(path)
    new = made.next_range()
    assert new is not None
    assert (made.coalescing_key(new), made.records()) == (None, None)
    made.committed(new)
    path.write_bytes(b"one\ntwo\nabc\n")
    new = made.next_range()
    assert new is not None
    assert (made.coalescing_key(new), made.records()) == ("", 1)


def test_lines_that_are_written_are_not_kept(path: Path) -> None:
    path.write_bytes(b"one\n")
    made = task(path)
    new = made.next_range()
    assert new is not None
    made.committed(new)
    assert made.coalescing_key(new) is None
