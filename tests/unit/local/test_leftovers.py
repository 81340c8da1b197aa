import os
import subprocess
import sys
from pathlib import Path

import psutil
import pytest

from local import leftovers

# Ignores SIGTERM, and has left its process group, as PySpark's Python workers do.
STUBBORN = "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); print('ready', flush=True); time.sleep(60)"


def start(data: Path, code: str = STUBBORN) -> subprocess.Popen[str]:
    process = subprocess.Popen(
        [sys.executable, "-c", code],
        env={**os.environ, leftovers.MARK: str(data)},
        stdout=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "ready\n"
    return process


def test_finds_and_ends_only_what_belongs_to_the_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(leftovers, "PATIENCE_SECONDS", 0.5)
    mine, others = start(tmp_path / "mine"), start(tmp_path / "others")
    try:
        assert [process.pid for process in leftovers.find(tmp_path / "mine")] == [mine.pid]
        assert leftovers.end(tmp_path / "mine") == 1
        assert not psutil.pid_exists(mine.pid)
        assert others.poll() is None
        assert leftovers.end(tmp_path / "mine") == 0
    finally:
        for process in (mine, others):
            process.kill()
            process.communicate()


def test_the_dead_do_not_count(tmp_path: Path) -> None:
    process = start(tmp_path)
    process.kill()
    os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)
    # A zombie until it is waited for.
    assert leftovers.find(tmp_path) == []
    process.communicate()
