"""What processes take while they have nothing to do."""

import re
import time
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import psutil

_PSS = re.compile(r"^Pss:\s+(\d+) kB", re.MULTILINE)
_MIB = 1 << 20
# A newly started installation and a Kafka Connect that have nothing to do take a twentieth of a core each.
_CALM, _CALM_SECONDS = 0.12, 120.0


@dataclass(frozen=True, slots=True)
class Usage:
    """`memory` in MiB: proportional set size, in which a page that n processes share counts a nth for each. `cores` in seconds
    of CPU time a second."""

    memory: float
    cores: float


class Times(NamedTuple):
    """Seconds of CPU time: a process's own, and its children's that it knows to have ended."""

    own: float
    children: float


def spent(before: Sequence[Times | None], after: Sequence[Times | None]) -> float:
    """By processes that belong together; None is one that has ended. What it took until it ended counts where its parent is told
    of it, without what it had taken before."""
    pairs = list(zip(before, after, strict=True))
    alive = [(then, now) for then, now in pairs if then and now]
    ended = sum(then.own + then.children for then, now in pairs if then and not now)
    of_children = sum(now.children - then.children for then, now in alive)
    return sum(now.own - then.own for then, now in alive) + max(0.0, of_children - ended)


def measure(parts: Mapping[str, Sequence[psutil.Process]], seconds: float) -> dict[str, Usage]:
    """Of each part, over the next `seconds`."""
    before = {name: [_times(process) for process in processes] for name, processes in parts.items()}
    began = time.monotonic()
    time.sleep(seconds)
    took = time.monotonic() - began
    cores = {name: spent(before[name], [_times(process) for process in parts[name]]) / took for name in parts}
    return {name: Usage(memory(processes), cores[name]) for name, processes in parts.items()}


def wait_until_calm(processes: Sequence[psutil.Process]) -> None:
    """Until what a start leaves for later is done, jobs that warm a driver up and code that is compiled; for two minutes, should
    that never end."""
    deadline = time.monotonic() + _CALM_SECONDS
    while time.monotonic() < deadline and measure({"": processes}, 5.0)[""].cores > _CALM:
        pass


def total(usages: Iterable[Usage]) -> Usage:
    listed = list(usages)
    return Usage(sum(usage.memory for usage in listed), sum(usage.cores for usage in listed))


def _times(process: psutil.Process) -> Times | None:
    try:
        times = process.cpu_times()
    except psutil.Error:
        return None
    return Times(times.user + times.system, times.children_user + times.children_system)


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
