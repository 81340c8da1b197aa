"""Finds processes that outlived their supervisor, by the mark that it puts into the environment of all it starts.

Process groups would not do: PySpark's Python workers leave theirs.
"""

import os
from contextlib import suppress
from pathlib import Path

import psutil

MARK = "DROVER_SUPERVISED"
PATIENCE_SECONDS = 10


def find(data: Path) -> list[psutil.Process]:
    """Every process of this user, the caller excepted, that was started for the installation in `data`."""
    return [process for process in psutil.process_iter() if process.pid != os.getpid() and _belongs(process, data)]


def end(data: Path) -> int:
    """Ends them, by force where asking does not help; returns how many there were."""
    processes = find(data)
    for process in processes:
        with suppress(psutil.NoSuchProcess):
            process.terminate()
    _, stubborn = psutil.wait_procs(processes, timeout=PATIENCE_SECONDS)
    for process in stubborn:
        with suppress(psutil.NoSuchProcess):
            process.kill()
    psutil.wait_procs(stubborn, timeout=PATIENCE_SECONDS)
    return len(processes)


def _belongs(process: psutil.Process, data: Path) -> bool:
    try:
        return bool(process.environ().get(MARK) == str(data) and process.status() != psutil.STATUS_ZOMBIE)
    except (psutil.Error, OSError):
        # Gone meanwhile, or another user's.
        return False
