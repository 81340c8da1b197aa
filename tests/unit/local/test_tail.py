from pathlib import Path

import pytest

from local.tail import Follower, LogPrinter, last_lines, prefixes


@pytest.fixture
def log(tmp_path: Path) -> Path:
    file = tmp_path / "web.log"
    file.write_text("before\n")
    return file


def append(file: Path, text: str) -> None:
    with file.open("a") as stream:
        stream.write(text)


def test_only_whole_lines_and_only_new_ones(log: Path) -> None:
    follower = Follower(log)
    append(log, "one\ntw")
    assert follower.lines() == ["one"]
    append(log, "o\n")
    assert follower.lines() == ["two"]
    assert follower.lines() == []
    follower.close()


def test_a_log_that_does_not_exist_yet(tmp_path: Path) -> None:
    follower = Follower(tmp_path / "new.log")
    assert follower.lines() == []
    append(tmp_path / "new.log", "first\n")
    assert follower.lines() == ["first"]
    follower.close()


def test_rotation_loses_nothing(log: Path) -> None:
    follower = Follower(log)
    append(log, "last of the old\n")
    log.rename(log.with_suffix(".log.1"))
    log.write_text("first of the new\n")
    assert follower.lines() == ["last of the old", "first of the new"]
    follower.close()


def test_bytes_that_are_no_text(log: Path) -> None:
    follower = Follower(log)
    with log.open("ab") as stream:
        stream.write(b"\xff\n")
    assert follower.lines() == ["\ufffd"]
    follower.close()


def test_prefixes_are_of_one_width() -> None:
    assert prefixes(["web", "broker"], colour=False) == {"web": "web    | ", "broker": "broker | "}
    assert prefixes(["web"], colour=True)["web"] == "\x1b[36mweb | \x1b[0m"


def test_the_printer_prints_what_came_before_its_end(log: Path) -> None:
    printed: list[str] = []
    files = {"web": log, "supervisor": log}
    with LogPrinter(files, printed.append, False, lambda name, line: name == "web" or "exited" in line):
        append(log, "started\nexited\n")
    assert sorted(printed) == ["supervisor | exited", "web        | exited", "web        | started"]


def test_last_lines_do_not_look_back_beyond_the_start(log: Path) -> None:
    size = log.stat().st_size
    append(log, "one\ntwo\nthree\n")
    assert last_lines(log, 2) == ["two", "three"]
    assert last_lines(log, 9, since=size) == ["one", "two", "three"]
    # Rotated: the file is shorter than it was.
    assert last_lines(log, 9, since=10_000) == ["before", "one", "two", "three"]
    assert last_lines(log.with_name("none"), 9) == []
