"""The file sink without Spark: its file, and what it remembers of its newest write."""

from pathlib import Path

import pytest

from workers.connectors.base import ConnectError, KafkaRange, TaskContext
from workers.connectors.configdef import Invalid
from workers.connectors.file.journal import Entry, Journal
from workers.connectors.file.sink import FileStreamSinkConnector, FileStreamSinkTask
from workers.herder.values import TaskId

RANGES = [KafkaRange("t", 0, 0, 3)]


def task(folder: Path, **config: str) -> FileStreamSinkTask:
    made = FileStreamSinkTask(config)
    made.start(TaskContext(TaskId("a", 0), folder / "scratch"))
    return made


def test_the_file_is_made_at_the_start_and_what_is_in_it_stays(tmp_path: Path) -> None:
    path = tmp_path / "out.txt"
    task(tmp_path, file=str(path))
    path.write_bytes(b"old\n")
    task(tmp_path, file=str(path))
    assert path.read_bytes() == b"old\n"


def test_a_file_that_cannot_be_made_fails_the_start(tmp_path: Path) -> None:
    path = tmp_path / "missing" / "out.txt"
    with pytest.raises(ConnectError) as raised:
        task(tmp_path, file=str(path))
    assert str(raised.value) == (f"Couldn't find or create file '{path}' for FileStreamSinkTask: No such file or directory")


def test_a_write_is_unfinished_until_it_is_committed(tmp_path: Path) -> None:
    Journal(tmp_path / "scratch" / "journal.json").note(Entry(RANGES))
    made = task(tmp_path, file=str(tmp_path / "out.txt"))
    assert made.unfinished() == RANGES
    made.committed()
    assert made.unfinished() == []


def test_standard_output_has_nothing_to_remember(tmp_path: Path) -> None:
    Journal(tmp_path / "scratch" / "journal.json").note(Entry(RANGES))
    assert list(task(tmp_path).unfinished()) == []


@pytest.mark.parametrize(
    ("config", "key", "message"),
    [
        ({"file.rotate.bytes": "9"}, "file.rotate.bytes", "file.rotate.bytes needs a file: standard output cannot be rotated."),
        (
            {"file": "/f", "file.rotate.compression": "gzip"},
            "file.rotate.compression",
            "file.rotate.compression needs file.rotate.bytes or file.rotate.interval.ms: nothing is rotated without.",
        ),
        (
            {"file": "/f", "file.rotate.bytes": "-1"},
            "file.rotate.bytes",
            "Invalid value -1 for configuration file.rotate.bytes: Value must be at least 0",
        ),
        (
            {"file": "/f", "file.rotate.interval.ms": "1 h"},
            "file.rotate.interval.ms",
            "Invalid value 1 h for configuration file.rotate.interval.ms: Not a number of type LONG",
        ),
    ],
)
def test_which_key_is_wrong(config: dict[str, str], key: str, message: str) -> None:
    assert {one.name: one.errors[0] for one in FileStreamSinkConnector.validate(config) if one.errors} == {key: message}
    with pytest.raises((Invalid, ConnectError), match=message):
        FileStreamSinkConnector(config)


def test_files_that_are_rotated_have_one_task() -> None:
    config = {"name": "a", "file": "/f", "file.rotate.interval.ms": "1000"}
    assert FileStreamSinkConnector(config).task_configs(3) == [config]


def test_every_task_gets_the_whole_config() -> None:
    config = {"name": "a", "file": "/f"}
    assert FileStreamSinkConnector(config).task_configs(3) == [config] * 3
