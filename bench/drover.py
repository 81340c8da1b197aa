"""A complete Drover of the benchmark's own, started as a user would start it."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psutil

from bench.sides import Side
from connect_client import ConnectClient
from local.processes import NAMES
from tests.running import RunningDrover
from tests.running import running as installation


@contextmanager
def running(data: Path) -> Iterator[tuple[Side, str]]:
    """Everything: broker, Redis, worker, web, control. With the broker's address, which the peer uses as well."""
    began = time.monotonic()
    with installation(data) as drover:
        seconds = time.monotonic() - began
        with ConnectClient(drover.url, timeout=90) as client:
            yield Side("Drover", client, "connect-status", lambda: _parts(drover), seconds), drover.bootstrap_servers


def _parts(drover: RunningDrover) -> dict[str, list[psutil.Process]]:
    """Every process; what belongs to none of the named parts is the supervisor."""
    parts: dict[str, list[psutil.Process]] = {name: [] for name in (*NAMES, "spark", "supervisor")}
    for process in drover.processes():
        parts[_part(drover, process)].append(process)
    return parts


def _part(drover: RunningDrover, process: psutil.Process) -> str:
    line = " ".join(process.cmdline())
    if "org.apache.spark" in line or "pyspark" in line:
        return "spark"
    family = {process.pid, *(parent.pid for parent in process.parents())}
    return next((name for name in NAMES if drover.process_pid(name) in family), "supervisor")
