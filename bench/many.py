"""Many connectors on one worker: what the API takes for an answer then, and what an idle task costs."""

import random
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from bench import callers
from bench.figures import Goal, at_most, percentile
from bench.herd import Herd, herd
from bench.setting import Setting
from bench.statuses import STARTED, with_tasks
from bench.usage import Usage, measure, total, wait_until_calm

CALLERS = 16
_PATIENCE = 900.0
_SETTLE_SECONDS = 5.0
#: What runs the tasks. The rest serves requests, whatever their number.
HOSTS = {"Drover": ("worker", "spark"), "Connect": ("connect",)}
_STATUS, _EVERYTHING = "/connectors/…/status", "/connectors?expand=status&expand=info"
#: Path → how often it is asked for.
ASKED = {_STATUS: 2000, "/connectors/…": 500, "/connectors": 500, "/connectors?expand=status": 300, _EVERYTHING: 300}
#: How many ask at once.
ALONE, TOGETHER = 1, 16


@dataclass(frozen=True, slots=True)
class Load:
    """One side with `tasks` connectors of one task each. Seconds, milliseconds for each answer by path and number of callers, and
    by process what was taken without them (`before`) and with them (`idle`)."""

    tasks: int
    created: float
    all_running: float
    deleted: float
    answers: Mapping[str, Mapping[int, list[float]]]
    before: Mapping[str, Usage]
    idle: Mapping[str, Usage]

    def of_tasks(self, *parts: str) -> Usage:
        """What the tasks take of these processes, all together."""
        before, idle = (total(usages[part] for part in parts) for usages in (self.before, self.idle))
        return Usage(idle.memory - before.memory, idle.cores - before.cores)


@dataclass(frozen=True, slots=True)
class Many:
    """By kind of connector and side."""

    loads: dict[str, dict[str, Load]] = field(default_factory=dict)

    def goals(self) -> list[Goal]:
        return [goal for kind, by_side in self.loads.items() for goal in _goals(kind, by_side)]


def _goals(kind: str, by_side: Mapping[str, Load]) -> list[Goal]:
    ours, theirs = (by_side[side].of_tasks(*HOSTS[side]) for side in ("Drover", "Connect"))
    drover, connect = by_side["Drover"].answers, by_side["Connect"].answers
    count = by_side["Drover"].tasks
    what = f"{count} {kind} tasks"
    answers = [
        at_most(f"{path} of {count} {kind}s, {asking} at once (p{percent}), times Connect's", ratio, bound)
        for path, percent, bound in ((_STATUS, 50, 1), (_STATUS, 99, 1), (_EVERYTHING, 50, 0.5), (_EVERYTHING, 99, 0.5))
        for asking in (ALONE, TOGETHER)
        for ratio in [percentile(drover[path][asking], percent) / percentile(connect[path][asking], percent)]
    ]
    return [
        *answers,
        at_most(f"{what}, idle: MiB, and Connect's", ours.memory, theirs.memory),
        at_most(f"{what}, idle: cores, and Connect's", ours.cores, theirs.cores),
    ]


def run(setting: Setting, count: int, kind: str, seconds: float, say: Callable[[str], None]) -> dict[str, Load]:
    """By side. Raises Stuck."""
    loads = {}
    for side in setting.sides:
        with herd(setting, side, count, kind) as made:
            load = loads[side.name] = _measure(setting, made, seconds)
        taken, answers = load.of_tasks(*HOSTS[side.name]), load.answers[_STATUS][ALONE]
        say(
            f"{side.name:<8} running after {load.all_running:.1f} s, status p99 {percentile(answers, 99):.0f} ms, "
            f"idle {taken.memory:,.0f} MiB {taken.cores:.3f} cores"
        )
    return loads


def _measure(setting: Setting, made: Herd, seconds: float) -> Load:
    wait_until_calm([process for side in setting.sides for found in side.processes().values() for process in found])
    before = _usages(setting, seconds)
    created = made.create(CALLERS)
    running = made.statuses.wait(with_tasks(made.names), STARTED, _PATIENCE)
    idle = _usages(setting, seconds)
    answers = _answers(made)
    deleted = made.delete(CALLERS)
    return Load(len(made.names), created.seconds, running - created.began, deleted.seconds, answers, before, idle)


def _usages(setting: Setting, seconds: float) -> dict[str, Usage]:
    """Of all processes: the broker is Drover's, and serves both."""
    time.sleep(_SETTLE_SECONDS)
    return measure({part: found for side in setting.sides for part, found in side.processes().items()}, seconds)


def _answers(made: Herd) -> dict[str, dict[int, list[float]]]:
    chosen = random.Random(4)
    url = made.side.client.url

    def ask(path: str, times: int, asking: int) -> list[float]:
        return callers.get(url, [path.replace("…", chosen.choice(made.names)) for _ in range(times)], asking)

    # Connect compiles what it is asked often.
    for path in ASKED:
        ask(path, 200, TOGETHER)
    return {path: {asking: ask(path, times, asking) for asking in (ALONE, TOGETHER)} for path, times in ASKED.items()}
