"""Memory and CPU time of real processes."""

import subprocess
import sys
import time

import psutil
import pytest

from bench.usage import Times, Usage, measure, spent, total


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


@pytest.mark.parametrize(
    ("after", "expected"),
    [
        ([Times(1.0, 0.0), Times(4.0, 0.0)], 0.0),
        ([Times(1.5, 0.0), Times(4.25, 0.0)], 0.75),
        # Ended, after a quarter of a second more, and its parent has been told.
        ([Times(1.5, 4.25), None], 0.75),
        # Ended, and nobody was told.
        ([Times(1.5, 0.0), None], 0.5),
        # Children that came and went meanwhile.
        ([Times(1.5, 2.0), Times(4.0, 0.0)], 2.5),
        ([None, None], 0.0),
    ],
)
def test_what_ends_meanwhile_gives_nothing_back(after: list[Times | None], expected: float) -> None:
    assert spent([Times(1.0, 0.0), Times(4.0, 0.0)], after) == expected
