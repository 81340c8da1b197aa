import io
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from local.accounts import FirstRun
from local.console import Console, summary
from local.installation import Installation
from local.jars import Fetched
from local.processes import NAMES

FIRST = FirstRun("s3cret")


def test_the_summary_says_where_everything_is(installation: Installation) -> None:
    text = "\n".join(summary(installation, NAMES, FIRST, 12.4, detached=False))
    assert "Drover is up (12 s)." in text
    for value in (
        "http://127.0.0.1:9000/ui/",
        "http://127.0.0.1:9000/\n",
        "127.0.0.1:9001",
        "http://127.0.0.1:9000/ui/setup?code=s3cret",
        "Ctrl-C",
    ):
        assert value in text


def test_detached_it_says_how_to_stop(installation: Installation) -> None:
    text = "\n".join(summary(installation, NAMES, FIRST, 12.4, detached=True))
    assert f"/opt/drover/manage.py down --data-dir {installation.data}" in text
    assert "Ctrl-C" not in text


def test_the_default_folder_needs_no_flag(installation: Installation, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "executable", str(tmp_path / ".venv" / "bin" / "python"))
    here = replace(installation, project=tmp_path, data=tmp_path / ".drover")
    assert "  Stop          .venv/bin/python manage.py down" in summary(here, NAMES, FIRST, 1.0, detached=True)


def test_where_there_are_users_nothing_is_said_of_them(installation: Installation) -> None:
    assert "setup" not in "\n".join(summary(installation, NAMES, None, 1.0, detached=False))


def test_services_alone_have_no_control_room(installation: Installation) -> None:
    text = "\n".join(summary(installation, ("broker", "redis"), None, 1.0, detached=True))
    assert "Control room" not in text
    assert "redis://127.0.0.1:9003/0" in text


def test_progress_without_a_terminal_is_a_line_now_and_then() -> None:
    stream = io.StringIO()
    console = Console(stream)
    for count in range(1, 22):
        console.fetched(Fetched(count, count * 1024, f"jar-{count}.jar"))
    console.end_progress()
    assert stream.getvalue().splitlines() == [
        "  1 jars, 1 MB: jar-1.jar",
        "  11 jars, 11 MB: jar-11.jar",
        "  21 jars, 21 MB: jar-21.jar",
    ]


class ClosedTerminal(io.StringIO):
    def write(self, _: str) -> int:
        raise OSError(5, "Input/output error")


def test_a_reader_who_left_stops_nothing() -> None:
    Console(ClosedTerminal()).line("still here")
