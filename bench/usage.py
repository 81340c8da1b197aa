"""What processes take while they have nothing to do."""

import re
import time
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import psutil

_PSS = re.compile(r"^Pss:\s+(\d+) kB", re.MULTILINE)
_MIB = 1 << 20


@dataclass(frozen=True, slots=True)
class Usage:
    """`memory` in MiB: proportional set size, in which a page that n processes share counts a nth for each. `cores` in seconds
    of CPU time a second."""

    memory: float
    cores: float


def measure(parts: Mapping[str, Sequence[psutil.Process]], seconds: float) -> dict[str, Usage]:
    """Of each part, over the next `seconds`."""
    before = {name: cpu_seconds(processes) for name, processes in parts.items()}
    began = time.monotonic()
    time.sleep(seconds)
    took = time.monotonic() - began
    return {name: Usage(memory(processes), (cpu_seconds(processes) - before[name]) / took) for name, processes in parts.items()}


def total(usages: Iterable[Usage]) -> Usage:
    listed = list(usages)
    return Usage(sum(usage.memory for usage in listed), sum(usage.cores for usage in listed))


def cpu_seconds(processes: Iterable[psutil.Process]) -> float:
    """With what their children took that have ended already."""
    seconds = 0.0
    for process in processes:
        with suppress(psutil.Error):
            times = process.cpu_times()
            seconds += times.user + times.system + times.children_user + times.children_system
    return seconds


def memory(processes: Iterable[psutil.Process]) -> float:
    return sum(_pss(process) for process in processes) / _MIB


def _pss(process: psutil.Process) -> float:
    """Bytes; where the kernel does not tell (not Linux), the resident set."""
    try:
        if found := _PSS.search(Path(f"/proc/{process.pid}/smaps_rollup").read_text()):
            return float(found[1]) * 1024
    except OSError:
        pass
    with suppress(psutil.Error):
        return float(process.memory_info().rss)
    return 0.0
