"""The `drover` command as a process of its own, at a terminal. For tests; not a test module."""

import os
import pty
import select
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from tests.running import PROJECT


def environment(**more: str) -> dict[str, str]:
    """Of a terminal of a certain size."""
    kept = {name: value for name, value in os.environ.items() if name not in ("NO_COLOR", "FORCE_COLOR")}
    return {**kept, "TERM": "xterm-256color", "COLUMNS": "100", "LINES": "30", **more}


def command(*words: str) -> list[str]:
    return [sys.executable, "-m", "cli", *words]


@contextmanager
def at_a_terminal(environment: Mapping[str, str], *words: str) -> Iterator[tuple[subprocess.Popen[bytes], int]]:
    ours, theirs = pty.openpty()
    process = subprocess.Popen(command(*words), cwd=PROJECT, env=environment, stdin=theirs, stdout=theirs, stderr=theirs)
    os.close(theirs)
    try:
        yield process, ours
    finally:
        process.kill()
        process.wait()
        os.close(ours)


def shown(ours: int, until: str = "", seconds: float = 60.0) -> str:
    """What is written, up to a text or the end."""
    told, deadline = b"", time.monotonic() + seconds
    while time.monotonic() < deadline:
        if not select.select([ours], [], [], 1.0)[0]:
            continue
        try:
            told += os.read(ours, 65536)
        except OSError:
            # The other side is closed.
            break
        if until and until.encode() in told:
            break
    return told.decode()
