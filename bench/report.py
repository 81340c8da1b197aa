"""The figures as tables for people, and as a file for later."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path

from rich.console import Console
from rich.table import Table

from bench import tables
from bench.chaining import Chaining
from bench.copying import Copying
from bench.figures import Goal
from bench.fleet import Fleet
from bench.herding import Herding
from bench.idle import Idle
from bench.latency import Latency
from bench.many import Many
from bench.mirroring import Mirroring
from bench.realtime import Realtime
from bench.starting import Starting
from bench.trickle import Trickle


@dataclass(slots=True)
class Report:
    """What has been measured; parts that were not asked for are None."""

    machine: Mapping[str, object]
    starting: Starting | None = None
    copying: Copying | None = None
    chaining: Chaining | None = None
    mirroring: Mirroring | None = None
    latency: Latency | None = None
    realtime: Realtime | None = None
    idle: Idle = field(default_factory=Idle)
    herding: Herding | None = None
    many: Many = field(default_factory=Many)
    trickle: Trickle | None = None
    fleet: Fleet | None = None

    def goals(self) -> list[Goal]:
        idle = self.idle if self.idle.usages else None
        measured = (
            self.starting,
            self.copying,
            self.chaining,
            self.mirroring,
            self.latency,
            self.realtime,
            idle,
            self.herding,
            self.many,
            self.trickle,
            self.fleet,
        )
        parts = [part for part in measured if part]
        return [goal for part in parts for goal in part.goals()]


def save(report: Report, file: Path) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    goals = [{**asdict(goal), "reached": goal.reached} for goal in report.goals()]
    file.write_text(json.dumps({**asdict(report), "goals": goals}, indent=2))


def show(report: Report, console: Console) -> None:
    console.print(", ".join(f"{name.replace('_', ' ')} {value}" for name, value in report.machine.items()), highlight=False)
    for table in _tables(report):
        console.print(table)


def _tables(report: Report) -> Iterator[Table]:
    if report.copying:
        yield tables.copying(report.copying)
    if report.chaining:
        yield tables.chaining(report.chaining)
    if report.mirroring:
        yield tables.mirroring(report.mirroring)
    if report.latency:
        yield tables.latency(report.latency)
    if report.realtime:
        yield tables.realtime(report.realtime)
    if report.idle.usages:
        yield tables.idle(report.idle.usages)
    if report.herding:
        yield tables.herding(report.herding)
    for kind, by_side in report.many.loads.items():
        yield tables.answers(kind, by_side)
        yield tables.tasks(kind, by_side)
    if report.trickle:
        yield tables.trickle(report.trickle)
    if report.fleet:
        yield tables.fleet(report.fleet)
        yield tables.polls(report.fleet)
    if report.starting:
        yield tables.starting(report.starting)
    yield tables.goals(report.goals())
