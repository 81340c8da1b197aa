"""The command as a process of its own, at a terminal and without one."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from tests import terminal
from tests.cli.paper import PaperConnect
from tests.running import PROJECT
from tests.terminal import command, shown


@pytest.fixture
def paper(paper_connect: PaperConnect) -> PaperConnect:
    paper_connect.put("orders", "RUNNING FAILED RUNNING")
    paper_connect.put("fine", "RUNNING RUNNING")
    return paper_connect


def environment(paper: PaperConnect, **more: str) -> dict[str, str]:
    return terminal.environment(DROVER_CONNECT=paper.url, **more)


@contextmanager
def at_a_terminal(paper: PaperConnect, *words: str, **more: str) -> Iterator[tuple[subprocess.Popen[bytes], int]]:
    with terminal.at_a_terminal(environment(paper, **more), *words) as running:
        yield running


def test_a_live_table_and_what_came_of_it(paper: PaperConnect) -> None:
    with at_a_terminal(paper, "restart", "--failed") as (process, ours):
        told = shown(ours)
        assert process.wait(20) == 0
    assert "\x1b[" in told
    assert "restarting" in told
    assert "1 running again." in told.splitlines()[-1]
    assert "\x1b[?25h" in told, "the cursor is back"


def test_no_colours_where_they_are_not_wanted(paper: PaperConnect) -> None:
    with at_a_terminal(paper, "get", "connectors", NO_COLOR="1") as (process, ours):
        told = shown(ours)
        assert process.wait(20) == 0
    assert "orders" in told
    assert "\x1b[3" not in told
    assert "\x1b[1;3" not in told


def test_colours_at_a_terminal_only(paper: PaperConnect) -> None:
    with at_a_terminal(paper, "get", "connectors") as (_, ours):
        assert "\x1b[33mDEGRADED" in shown(ours)
    done = subprocess.run(
        command("get", "connectors"), cwd=PROJECT, env=environment(paper), capture_output=True, text=True, timeout=60, check=True
    )
    assert "\x1b" not in done.stdout


@pytest.mark.parametrize("words", [["watch"], ["restart", "--failed"]])
def test_ctrl_c(paper: PaperConnect, words: list[str]) -> None:
    paper.stubborn.add("orders")
    with at_a_terminal(paper, *words) as (process, ours):
        shown(ours, "orders")
        process.send_signal(signal.SIGINT)
        told = shown(ours)
        assert process.wait(20) == 130
    assert "Traceback" not in told
    assert ("goes on in the cluster" in told) == (words == ["restart", "--failed"])
    assert "\x1b[?25h" in told, "the cursor is back"


def test_a_question_that_is_answered(paper: PaperConnect) -> None:
    for answer, code, left in (("n", 1, True), ("y", 0, False)):
        with at_a_terminal(paper, "delete", "fine") as (process, ours):
            assert "Delete 1 connector: fine?" in shown(ours, "[y/N]")
            os.write(ours, f"{answer}\n".encode())
            shown(ours)
            assert process.wait(20) == code
        assert ("fine" in paper.configs) == left


def test_a_pipe_that_is_closed(paper: PaperConnect) -> None:
    for number in range(3000):
        paper.put(f"connector-{number:05}", "RUNNING RUNNING")
    process = subprocess.Popen(
        command("get", "connectors"), cwd=PROJECT, env=environment(paper), stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    assert process.stdout is not None
    process.stdout.readline()
    process.stdout.close()
    process.stdout = None
    assert process.communicate(timeout=60)[1] == b""


@pytest.mark.parametrize(
    ("shell", "said"), [("bash", "_drover_completion"), ("zsh", "#compdef drover"), ("fish", "complete --no-files")]
)
def test_completion_scripts(paper: PaperConnect, shell: str, said: str) -> None:
    done = subprocess.run(
        command("completion", shell), cwd=PROJECT, env=environment(paper), capture_output=True, text=True, timeout=60, check=True
    )
    assert said in done.stdout
    assert "_DROVER_COMPLETE" in done.stdout


@pytest.mark.parametrize(
    ("typed", "word", "suggested"),
    [
        ("drover ", "1", ["restart", "apply", "watch"]),
        ("drover restart or", "2", ["orders"]),
        ("drover get con", "2", ["connectors"]),
        ("drover get connectors -o ", "4", ["json", "yaml"]),
    ],
)
def test_what_bash_is_suggested(paper: PaperConnect, typed: str, word: str, suggested: list[str]) -> None:
    asked = environment(paper, _DROVER_COMPLETE="bash_complete", COMP_WORDS=typed, COMP_CWORD=word)
    done = subprocess.run(
        [sys.executable, "-c", "from cli.main import main; main()"],
        cwd=PROJECT,
        env=asked,
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    assert {f"plain,{one}" for one in suggested} <= set(done.stdout.splitlines())


def test_suggestions_need_nobody_to_answer(paper: PaperConnect) -> None:
    asked = environment(paper, _DROVER_COMPLETE="bash_complete", COMP_WORDS="drover restart or", COMP_CWORD="2")
    done = subprocess.run(
        [sys.executable, "-c", "from cli.main import main; main()"],
        cwd=PROJECT,
        env={**asked, "DROVER_CONNECT": "http://127.0.0.1:1"},
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    assert (done.stdout.strip(), done.stderr) == ("", "")
