"""Memory and CPU time of real processes."""

import subprocess
import sys
import time

import psutil

from bench.usage import Usage, measure, total


def test_a_busy_process_takes_time_and_an_ended_one_nothing() -> None:
    busy = subprocess.Popen([sys.executable, "-c", "while True: pass"])
    ended = subprocess.Popen([sys.executable, "-c", "pass"])
    try:
        parts = {"busy": [psutil.Process(busy.pid)], "ended": [psutil.Process(ended.pid)]}
        ended.wait()
        time.sleep(0.2)
        usages = measure(parts, 0.5)
    finally:
        busy.kill()
        busy.wait()
    assert usages["busy"].memory > 1
    assert usages["busy"].cores > 0
    assert usages["ended"] == Usage(0.0, 0.0)


def test_a_total_is_the_sum() -> None:
    assert total([Usage(1.0, 0.25), Usage(2.0, 0.5)]) == Usage(3.0, 0.75)
