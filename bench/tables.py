"""The figures as tables for people."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from statistics import median

from rich.table import Table

from bench.chaining import Chaining
from bench.copying import Copying, Rates
from bench.figures import Goal, Spread, percentile
from bench.fleet import Fleet, Measured
from bench.herding import CALLS, Herding, Times, alone, middle, together
from bench.latency import Latency
from bench.many import HOSTS, Load
from bench.mirroring import Mirroring
from bench.realtime import Realtime
from bench.starting import Starting
from bench.trickle import Trickle
from bench.usage import Usage, total
from local.processes import BROKER


def _table(title: str, *columns: str) -> Table:
    table = Table(title=title, title_justify="left")
    for number, column in enumerate(columns):
        table.add_column(column, justify="right" if number else "left", no_wrap=True)
    return table


def copying(copying: Copying) -> Table:
    title = f"{copying.lines:,} lines, {copying.bytes / 1e6:,.0f} MB, compared record by record; thousand records a second"
    table = _table(title, "work", "", "cold", "warm", "least to most", "Drover / Connect")
    for work, by_side in copying.rates.items():
        for number, (name, rates) in enumerate(by_side.items()):
            ratio = f"{copying.ratio(work):.2f}" if number == 0 else ""
            table.add_row(work if number == 0 else "", name, *_rates(rates), ratio)
    return table


def chaining(chaining: Chaining) -> Table:
    title = f"File to topic, {chaining.lines:,} lines, compared record by record; thousand records a second"
    table = _table(title, "", "", "cold", "warm", "least to most", "the chain's cost")
    for number, (work, by_side) in enumerate(chaining.rates.items()):
        for name, rates in by_side.items():
            table.add_row(work, name, *_rates(rates), f"{chaining.cost(name):.0%}" if number else "")
    return table


def mirroring(mirroring: Mirroring) -> Table:
    title = f"Topic to topic, {mirroring.lines:,} records, compared record by record; thousand records a second"
    table = _table(title, "", "cold", "warm", "least to most", "Drover / Connect")
    for number, (name, rates) in enumerate(mirroring.rates.items()):
        table.add_row(name, *_rates(rates), f"{mirroring.ratio:.2f}" if number == 0 else "")
    return table


def _rates(rates: Rates) -> tuple[str, str, str]:
    warm = rates.warm
    return f"{rates.cold / 1000:,.0f}", f"{warm.median / 1000:,.0f}", f"{warm.least / 1000:,.0f} to {warm.most / 1000:,.0f}"


def latency(latency: Latency) -> Table:
    table = _table("A line is appended to a file, and is in the topic: milliseconds", "", "p50", "p99", "most", "looks every")
    looks = {"Drover": f"{latency.poll_ms:.0f}", "Connect": "1000"}
    for name, samples in latency.samples.items():
        figures = (percentile(samples, 50), percentile(samples, 99), max(samples))
        table.add_row(name, *(f"{figure:,.0f}" for figure in figures), looks[name])
    return table


def realtime(realtime: Realtime) -> Table:
    table = _table("Topic to topic in real time, and restarts: milliseconds", "", "", "p50", "p99", "most")
    works = {f"a record to its copy, {rate:,}/s": by_side for rate, by_side in realtime.records.items()}
    for work, by_side in (works | {"restart to the first record": realtime.restarts}).items():
        for number, (name, samples) in enumerate(by_side.items()):
            figures = (percentile(samples, 50), percentile(samples, 99), max(samples))
            table.add_row("" if number else work, name, *(f"{figure:,.1f}" for figure in figures))
    return table


def idle(usages: Mapping[str, Mapping[str, Mapping[str, Usage]]]) -> Table:
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


def starting(starting: Starting) -> Table:
    table = _table("`manage.py up` until everything is healthy: seconds", "starts", "median", "each")
    seconds = starting.seconds
    table.add_row(str(len(seconds)), f"{Spread.of(seconds).median:.1f}", ", ".join(f"{value:.1f}" for value in seconds))
    return table


def herding(herding: Herding) -> Table:
    table = _table(
        f"{herding.connectors} connectors of one task: milliseconds (p50, p99), and seconds", "", *herding.times, "ratio"
    )
    calls: Mapping[str, Callable[[Times], list[float]]] = {
        "restart one: it runs again (ms)": lambda times: times.restart,
        **{f"{what}: answered (ms)": alone(what) for what in CALLS},
        **{f"{what}, 16 callers: answered (ms)": together(what) for what in CALLS},
    }
    whole: Mapping[str, Callable[[Times], float]] = {
        "create all: the last answer (s)": lambda times: times.created,
        "create all: all run (s)": lambda times: times.all_running,
        "restart all: all run again (s)": lambda times: median(times.restart_all),
    }
    for text, samples in calls.items():
        ratio = herding.ratio(partial(middle, samples))
        table.add_row(text, *(_percentiles(samples(times)) for times in herding.times.values()), f"{ratio:.2f}")
    for text, seconds in whole.items():
        table.add_row(text, *(f"{seconds(times):,.2f}" for times in herding.times.values()), f"{herding.ratio(seconds):.3f}")
    return table


def _percentiles(samples: Sequence[float]) -> str:
    return f"{percentile(samples, 50):,.1f}  {percentile(samples, 99):,.1f}"


def answers(kind: str, by_side: Mapping[str, Load]) -> Table:
    loads = list(by_side.values())
    table = _table(f"{loads[0].tasks:,} {kind} connectors of one task, on one worker", "", *by_side)
    table.add_row("create, 16 callers: the last answer (s)", *(f"{load.created:,.1f}" for load in loads))
    table.add_row("create, 16 callers: all run (s)", *(f"{load.all_running:,.1f}" for load in loads))
    for path, by_callers in loads[0].answers.items():
        for asking in by_callers:
            at_once = f", {asking} callers" if asking > 1 else ""
            table.add_row(f"GET {path}{at_once} (ms: p50, p99)", *(_percentiles(load.answers[path][asking]) for load in loads))
    table.add_row("delete, 16 callers: the last answer (s)", *(f"{load.deleted:,.1f}" for load in loads))
    return table


def tasks(kind: str, by_side: Mapping[str, Load]) -> Table:
    """What a task takes: of the processes that run it, and of the broker."""
    table = _table(f"One of {next(iter(by_side.values())).tasks:,} idle {kind} tasks", "", "KiB", "thousandths of a core")
    for side, load in by_side.items():
        hosts = HOSTS[side]
        for parts in (hosts, *((part,) for part in hosts if len(hosts) > 1), (BROKER,)):
            usage = load.of_tasks(*parts)
            kib, cores = usage.memory * 1024 / load.tasks, usage.cores * 1000 / load.tasks
            table.add_row(f"{side}: {' and '.join(parts)}", f"{kib:,.1f}", f"{cores:.4f}")
    return table


def trickle(trickle: Trickle) -> Table:
    title = f"{trickle.connectors} connectors, a record a second each: source to target in milliseconds; what runs the tasks"
    table = _table(title, "", "p50", "p99", "most", "cores", "MiB")
    for side, flow in trickle.flows.items():
        times, usage = flow.milliseconds, flow.of_hosts(side)
        figures = (f"{figure:,.0f}" for figure in (percentile(times, 50), percentile(times, 99), max(times)))
        table.add_row(side, *figures, f"{usage.cores:.2f}", f"{usage.memory:,.0f}")
    return table


def fleet(fleet: Fleet) -> Table:
    title = "The control room with 5,000 connectors in 10 clusters: ms on the server (p50, p99), ms of CPU of that (p50), KiB"
    table = _table(title, "", *(column for name in fleet.databases for column in (name, "CPU", "wire")))
    found = list(fleet.databases.values())
    table.add_row("the first page of a process", *(text for one in found for text in (f"{one.first:,.0f}", "", "")))
    for what in found[0].times:
        table.add_row(what, *(text for one in found for text in _request(one, what)))
    return table


def _request(measured: Measured, what: str) -> tuple[str, str, str]:
    cpu = f"{median(measured.cpu[what]):,.0f}" if what in measured.cpu else ""
    return _percentiles(measured.times[what]), cpu, f"{measured.wire[what] / 1024:,.0f}" if what in measured.wire else ""


def polls(fleet: Fleet) -> Table:
    found = list(fleet.databases.values())
    table = _table(
        "A round of asking a cluster with 1,000 connectors: milliseconds of CPU (p50, most)", "changed", *fleet.databases
    )
    for changed in found[0].polls:
        spent = ([second * 1000 for second in one.polls[changed]] for one in found)
        table.add_row(changed, *(f"{median(times):,.0f}, {max(times):,.0f}" for times in spent))
    return table


def goals(goals: Sequence[Goal]) -> Table:
    table = _table("Goals", "", "measured", "goal", "")
    for goal in goals:
        bound = f"{'at least' if goal.at_least else 'at most'} {goal.bound:,.4g}"
        table.add_row(goal.text, f"{goal.value:,.2f}", bound, "reached" if goal.reached else "[red]missed[/red]")
    return table
