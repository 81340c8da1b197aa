"""The figures as tables for people, and as a file for later."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path

from rich.console import Console
from rich.table import Table

from bench.copying import Copying, Rates
from bench.figures import Goal, Spread, percentile
from bench.idle import Idle
from bench.latency import Latency
from bench.starting import Starting
from bench.usage import Usage, total


@dataclass(slots=True)
class Report:
    """What has been measured; parts that were not asked for are None."""

    machine: Mapping[str, object]
    starting: Starting | None = None
    copying: Copying | None = None
    latency: Latency | None = None
    idle: Idle = field(default_factory=Idle)

    def goals(self) -> list[Goal]:
        parts = [part for part in (self.starting, self.copying, self.latency, self.idle if self.idle.usages else None) if part]
        return [goal for part in parts for goal in part.goals()]


def save(report: Report, file: Path) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    goals = [{**asdict(goal), "reached": goal.reached} for goal in report.goals()]
    file.write_text(json.dumps({**asdict(report), "goals": goals}, indent=2))


def show(report: Report, console: Console) -> None:
    console.print(", ".join(f"{name.replace('_', ' ')} {value}" for name, value in report.machine.items()), highlight=False)
    if report.copying:
        console.print(_copying(report.copying))
    if report.latency:
        console.print(_latency(report.latency))
    if report.idle.usages:
        console.print(_idle(report.idle.usages))
    if report.starting:
        console.print(_starting(report.starting))
    console.print(_goals(report.goals()))


def _table(title: str, *columns: str) -> Table:
    table = Table(title=title, title_justify="left")
    for number, column in enumerate(columns):
        table.add_column(column, justify="right" if number else "left", no_wrap=True)
    return table


def _copying(copying: Copying) -> Table:
    title = f"{copying.lines:,} lines, {copying.bytes / 1e6:,.0f} MB, compared record by record; thousand records a second"
    table = _table(title, "work", "", "cold", "warm", "least to most", "Drover / Connect")
    for work, by_side in copying.rates.items():
        for number, (name, rates) in enumerate(by_side.items()):
            ratio = f"{copying.ratio(work):.2f}" if number == 0 else ""
            table.add_row(work if number == 0 else "", name, *_rates(rates), ratio)
    return table


def _rates(rates: Rates) -> tuple[str, str, str]:
    warm = rates.warm
    return f"{rates.cold / 1000:,.0f}", f"{warm.median / 1000:,.0f}", f"{warm.least / 1000:,.0f} to {warm.most / 1000:,.0f}"


def _latency(latency: Latency) -> Table:
    table = _table("A line is appended to a file, and is in the topic: milliseconds", "", "p50", "p99", "most", "looks every")
    looks = {"Drover": f"{latency.poll_ms:.0f}", "Connect": "1000"}
    for name, samples in latency.samples.items():
        figures = (percentile(samples, 50), percentile(samples, 99), max(samples))
        table.add_row(name, *(f"{figure:,.0f}" for figure in figures), looks[name])
    return table


def _idle(usages: Mapping[str, Mapping[str, Mapping[str, Usage]]]) -> Table:
    table = _table("Nothing to do: memory (PSS) in MiB, and cores", "", *(f"{name}\nMiB   cores" for name in usages))
    for side in ("Drover", "Connect"):
        by_situation = [usages[situation][side] for situation in usages]
        for part in by_situation[0]:
            table.add_row(f"  {side}: {part}", *(_usage(usage[part]) for usage in by_situation))
        if len(by_situation[0]) > 1:
            table.add_row(f"{side} in all", *(_usage(total(usage.values())) for usage in by_situation), style="bold")
    return table


def _usage(usage: Usage) -> str:
    return f"{usage.memory:,.0f}  {usage.cores:6.3f}"


def _starting(starting: Starting) -> Table:
    table = _table("`manage.py up` until everything is healthy: seconds", "starts", "median", "each")
    seconds = starting.seconds
    table.add_row(str(len(seconds)), f"{Spread.of(seconds).median:.1f}", ", ".join(f"{value:.1f}" for value in seconds))
    return table


def _goals(goals: Sequence[Goal]) -> Table:
    table = _table("Goals", "", "measured", "goal", "")
    for goal in goals:
        bound = f"{'at least' if goal.at_least else 'at most'} {goal.bound:g}"
        table.add_row(goal.text, f"{goal.value:,.2f}", bound, "reached" if goal.reached else "[red]missed[/red]")
    return table
