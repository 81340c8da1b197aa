"""`python -m bench [copy|latency|idle|up ...]`: measures Drover beside Apache Kafka Connect. Without a name, everything."""

import argparse
import os
import sys
import tempfile
import time
from pathlib import Path

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")

from rich.console import Console

from bench import copying, drover, idle, latency, machine, peer, starting
from bench.report import Report, save, show
from bench.setting import Setting
from bench.topics import Different, Topics
from bench.waiting import Stuck
from tests.running import free_port

PROJECT = Path(__file__).resolve().parent.parent
PARTS = ("copy", "latency", "idle", "up")


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m bench", description=__doc__)
    add = parser.add_argument
    add("parts", nargs="*", metavar="part", help=f"any of {', '.join(PARTS)}; all of them if none is named")
    add("--lines", type=int, default=2_000_000, help="that are copied (default: %(default)s)")
    add("--rounds", type=int, default=3, help="warm rounds of copying, after one cold round (default: %(default)s)")
    add("--appended", type=int, default=60, help="lines appended to measure latency (default: %(default)s)")
    add("--idle-seconds", type=float, default=30, help="for each look at idle processes (default: %(default)s)")
    add("--starts", type=int, default=3, help="of a complete Drover (default: %(default)s)")
    chosen = parser.parse_args()
    if unknown := set(chosen.parts) - set(PARTS):
        parser.error(f"unknown part {', '.join(sorted(unknown))}: there are {', '.join(PARTS)}")
    chosen.parts = chosen.parts or PARTS
    return chosen


def measure(chosen: argparse.Namespace, folder: Path, report: Report, console: Console) -> None:
    """Fills the report. Raises Different, Stuck."""

    def say(text: str) -> None:
        console.print(f"  {text}", highlight=False)

    if "up" in chosen.parts:
        console.print("Starting and stopping Drover")
        report.starting = starting.run(folder, chosen.starts, say)
    if chosen.parts == ["up"]:
        return
    console.print("Starting Drover and Kafka Connect")
    with (
        drover.running(folder / "drover") as (ours, bootstrap_servers),
        peer.running(PROJECT, folder, bootstrap_servers, free_port()) as theirs,
    ):
        say(f"{ours.name} in {ours.start_seconds:.1f} s, {theirs.name} in {theirs.start_seconds:.1f} s, after its broker")
        measure_both(chosen, Setting((ours, theirs), Topics(bootstrap_servers), folder), report, console)


def measure_both(chosen: argparse.Namespace, setting: Setting, report: Report, console: Console) -> None:
    """Idle first and last: fresh, and after work."""

    def say(text: str) -> None:
        console.print(f"  {text}", highlight=False)

    if "idle" in chosen.parts:
        console.print("Idle, newly started")
        report.idle.usages["newly started"] = idle.run(setting, chosen.idle_seconds, say)
    if "copy" in chosen.parts:
        console.print(f"Copying {chosen.lines:,} lines")
        report.copying = copying.run(setting, chosen.lines, chosen.rounds, say)
    if "latency" in chosen.parts:
        console.print("Appending lines")
        report.latency = latency.run(setting, chosen.appended, say)
    if "idle" in chosen.parts:
        console.print(f"Idle, with {idle.CONNECTORS} connectors that wait")
        with idle.waiting_connectors(setting):
            report.idle.usages[f"{idle.CONNECTORS} connectors"] = idle.run(setting, chosen.idle_seconds, say)


def main() -> int:
    """1 when a copy is not equal to its original, or something does not come to an end; a missed goal is told only."""
    chosen, console = arguments(), Console()
    peer.fetch_jars(PROJECT)
    began = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="drover-bench-") as folder:
        report = Report(machine.facts(PROJECT))
        try:
            measure(chosen, Path(folder), report, console)
        except (Different, Stuck) as error:
            console.print(f"[red bold]Failed:[/red bold] {error}")
            return 1
    results = PROJECT / "bench" / "results" / f"{time.strftime('%Y%m%d-%H%M%S')}.json"
    save(report, results)
    show(report, console)
    console.print(f"{time.monotonic() - began:.0f} s; saved in {results.relative_to(PROJECT)}", highlight=False)
    return 0


if __name__ == "__main__":
    sys.exit(main())
