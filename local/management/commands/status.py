"""`manage.py status`: what `manage.py up` keeps alive in this data folder, and how it is."""

import sys
import time
from argparse import ArgumentParser
from typing import Any

import psutil
from django.core.management.base import BaseCommand

from local import supervise
from local.installation import at, this_installation

ROW = "{:<10}{:<10}{:>8}{:>10}{:>10}"


class Command(BaseCommand):
    help = "Shows the processes that `up` keeps alive: state, process id, age and memory. Exit code 3 if there are none."
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--data-dir", help="of the installation to ask about (DROVER_DATA_DIR)")

    def handle(self, *args: Any, **options: Any) -> None:
        installation = at(this_installation(), options["data_dir"])
        with supervise.Remote(installation) as remote:
            if not remote.answers():
                self.stdout.write(f"Nothing is running in {installation.data}.")
                sys.exit(3)
            processes = sorted(remote.processes().values(), key=lambda info: int(info["start"]))
        self.stdout.write(ROW.format("process", "state", "pid", "age", "memory"))
        for info in processes:
            self.stdout.write(row(info, time.time()))


def row(info: dict[str, Any], now: float) -> str:
    # supervisord says STARTING until a process has lived for a while; whether it answers, only `up` asks.
    name, state, pid = info["name"], info["statename"].lower().replace("starting", "running"), int(info["pid"])
    if not pid:
        return ROW.format(name, state, "-", "-", "-")
    return ROW.format(name, state, pid, f"{now - info['start']:.0f} s", f"{memory(pid) // 1024**2} MB")


def memory(pid: int) -> int:
    """Of the process and all below it: a worker is a Python process and a JVM."""
    try:
        family = [psutil.Process(pid), *psutil.Process(pid).children(recursive=True)]
        return sum(process.memory_info().rss for process in family)
    except psutil.Error:
        return 0
