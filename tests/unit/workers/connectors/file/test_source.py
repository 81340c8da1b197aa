"""What the file source finds new. Reading it is Spark's part and is tested with Spark."""

import os
from collections.abc import Mapping
from pathlib import Path

import pytest

from workers.connectors.base import ConnectError, SourceRange
from workers.connectors.configdef import Invalid
from workers.connectors.file import source
from workers.connectors.file.lines import end_of_last_line
from workers.connectors.file.source import FileStreamSourceConnector, FileStreamSourceTask
from workers.herder.values import Fields


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
    return None if new is None else (new.start, new.end)


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
    assert task(path).next_range() == SourceRange(0, 8, [({"filename": str(path)}, {"position": 8})], ["t"])


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
        spans.append((new.start, new.end))
        made.committed(new)
    assert spans == [(0, 4), (4, 6), (6, 16), (16, 18)]


def test_half_a_line_is_looked_for_again_only_when_the_file_has_grown(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An idle task must cost a `stat`, not a read of what has no end."""
    looked = []

    def counted(file: int, start: int, size: int, most: int) -> int | None:
        looked.append(size)
        return end_of_last_line(file, start, size, most)

    monkeypatch.setattr(source, "end_of_last_line", counted)
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
        ({"file": "f", "topic": ""}, "Invalid value  for configuration topic: String may not be empty"),
    ],
)
def test_a_connector_is_not_made_of_a_config_that_is_wrong(config: dict[str, str], message: str) -> None:
    with pytest.raises(Invalid) as raised:
        FileStreamSourceConnector(config)
    assert str(raised.value) == message
