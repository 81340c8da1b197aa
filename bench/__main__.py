"""`python -m bench [part ...]`: measures Drover beside Apache Kafka Connect. Without a name, everything."""

import argparse
import os
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")

from rich.console import Console

from bench import (
    chaining,
    copying,
    drover,
    fleet,
    herd,
    herding,
    idle,
    latency,
    machine,
    many,
    mirroring,
    peer,
    realtime,
    starting,
    trickle,
)
from bench.report import Report, save, show
from bench.setting import Setting
from bench.topics import Different, Topics
from bench.waiting import Stuck
from connect_client import ConnectError
from tests.running import free_port

PROJECT = Path(__file__).resolve().parent.parent
PARTS = ("copy", "chain", "mirror", "latency", "realtime", "idle", "up", "herding", "many", "trickle", "fleet")


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m bench", description=__doc__)
    add = parser.add_argument
    add("parts", nargs="*", metavar="part", help=f"any of {', '.join(PARTS)}; all of them if none is named")
    add("--lines", type=int, default=2_000_000, help="that are copied (default: %(default)s)")
    add("--rounds", type=int, default=3, help="warm rounds of copying, after one cold round (default: %(default)s)")
    add("--appended", type=int, default=60, help="lines appended to measure latency (default: %(default)s)")
    add("--idle-seconds", type=float, default=30, help="for each look at idle processes (default: %(default)s)")
    add("--connectors", type=int, default=100, help="created, restarted, paused and deleted (default: %(default)s)")
    add("--restarts", type=int, default=20, help="one at a time (default: %(default)s)")
    add("--restart-rounds", type=int, default=3, help="restarts of all connectors at once (default: %(default)s)")
    add("--sources", type=int, default=1000, help="idle on one worker (default: %(default)s; 0: none)")
    add("--sinks", type=int, default=1000, help="idle on one worker (default: %(default)s; 0: none)")
    add("--mirrors", type=int, default=8, help="idle on one worker, as jobs and in real time (default: %(default)s; 0: none)")
    add("--trickling", type=int, default=200, help="connectors that get a record a second (default: %(default)s)")
    add("--trickle-seconds", type=float, default=60, help="for which they do (default: %(default)s)")
    add("--starts", type=int, default=3, help="of a complete Drover (default: %(default)s)")
    chosen = parser.parse_args()
    if unknown := set(chosen.parts) - set(PARTS):
        parser.error(f"unknown part {', '.join(sorted(unknown))}: there are {', '.join(PARTS)}")
    chosen.parts = chosen.parts or PARTS
    return chosen


def measure(chosen: argparse.Namespace, folder: Path, report: Report, console: Console) -> None:
    """Fills the report. Raises Different, Stuck, ConnectError."""

    def say(text: str) -> None:
        console.print(f"  {text}", highlight=False, soft_wrap=True)

    if "up" in chosen.parts:
        console.print("Starting and stopping Drover")
        report.starting = starting.run(folder, chosen.starts, say)
    if "fleet" in chosen.parts:
        console.print("The control room with 5,000 connectors")
        report.fleet = fleet.run(folder, say)
    if {"copy", "chain", "mirror", "latency", "realtime", "idle", "herding"} & set(chosen.parts):
        with both(folder, console) as setting:
            measure_both(chosen, setting, report, console)
    if "many" in chosen.parts:
        wanted = {
            herd.SOURCE: chosen.sources,
            herd.SINK: chosen.sinks,
            herd.MIRROR: chosen.mirrors,
            herd.REALTIME: chosen.mirrors,
        }
        for kind, count in wanted.items():
            if count:
                # What others left in the heaps would be counted, or not be counted.
                with both(folder, console) as setting:
                    console.print(f"{count:,} {kind} connectors")
                    report.many.loads[kind] = many.run(setting, count, kind, chosen.idle_seconds, say)
    if "trickle" in chosen.parts:
        with both(folder, console) as setting:
            console.print(f"{chosen.trickling} connectors with a record a second each")
            report.trickle = trickle.run(setting, chosen.trickling, chosen.trickle_seconds, say)


@contextmanager
def both(folder: Path, console: Console) -> Iterator[Setting]:
    """Both sides, newly started, with nothing in them."""
    console.print("Starting Drover and Kafka Connect")
    with tempfile.TemporaryDirectory(dir=folder) as name:
        own = Path(name)
        with (
            drover.running(own / "drover") as (ours, bootstrap_servers),
            Topics(bootstrap_servers) as topics,
            peer.running(PROJECT, own, bootstrap_servers, free_port()) as theirs,
        ):
            started = (
                f"{ours.name} in {ours.start_seconds:.1f} s, {theirs.name} in {theirs.start_seconds:.1f} s, after its broker"
            )
            console.print(f"  {started}", highlight=False)
            yield Setting((ours, theirs), topics, own)


def measure_both(chosen: argparse.Namespace, setting: Setting, report: Report, console: Console) -> None:
    """Idle first and last: fresh, and after work."""

    def say(text: str) -> None:
        console.print(f"  {text}", highlight=False, soft_wrap=True)

    if "idle" in chosen.parts:
        console.print("Idle, newly started")
        report.idle.usages["newly started"] = idle.run(setting, chosen.idle_seconds, say)
    if "copy" in chosen.parts:
        console.print(f"Copying {chosen.lines:,} lines")
        report.copying = copying.run(setting, chosen.lines, chosen.rounds, say)
    if "chain" in chosen.parts:
        console.print(f"Copying {chosen.lines:,} lines through transforms")
        report.chaining = chaining.run(setting, chosen.lines, chosen.rounds, say)
    if "mirror" in chosen.parts:
        console.print(f"Mirroring {chosen.lines:,} records")
        report.mirroring = mirroring.run(setting, chosen.lines, chosen.rounds, say)
    if "latency" in chosen.parts:
        console.print("Appending lines")
        report.latency = latency.run(setting, chosen.appended, say)
    if "realtime" in chosen.parts:
        console.print("Topic to topic in real time, and restarts")
        report.realtime = realtime.run(setting, say)
    if "idle" in chosen.parts:
        console.print(f"Idle, with {idle.CONNECTORS} connectors that wait")
        with idle.waiting_connectors(setting):
            report.idle.usages[f"{idle.CONNECTORS} connectors"] = idle.run(setting, chosen.idle_seconds, say)
    if "herding" in chosen.parts:
        console.print(f"Herding {chosen.connectors} connectors")
        report.herding = herding.run(setting, chosen.connectors, chosen.restarts, chosen.restart_rounds, say)


def main() -> int:
    """1 when a copy is not equal to its original, or something does not come to an end; a missed goal is told only."""
    chosen, console = arguments(), Console()
    if set(chosen.parts) != {"fleet"}:
        peer.fetch_jars(PROJECT)
    began = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="drover-bench-") as folder:
        report = Report(machine.facts(PROJECT))
        try:
            measure(chosen, Path(folder), report, console)
        except (Different, Stuck, ConnectError) as error:
            console.print(f"[red bold]Failed:[/red bold] {error}")
            return 1
    results = PROJECT / "bench" / "results" / f"{time.strftime('%Y%m%d-%H%M%S')}.json"
    save(report, results)
    show(report, console)
    console.print(f"{time.monotonic() - began:.0f} s; saved in {results.relative_to(PROJECT)}", highlight=False)
    return 0


if __name__ == "__main__":
    sys.exit(main())
