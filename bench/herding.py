"""What the herder takes for its own work: connectors created, restarted, paused, resumed and deleted."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from statistics import median

from bench.figures import Goal, at_most, percentile
from bench.herd import Herd, herd
from bench.setting import Setting
from bench.sides import Side
from bench.statuses import PAUSED, RESTARTED, STARTED, with_tasks
from bench.usage import wait_until_calm

CALLERS = 16
_PATIENCE = 600.0
#: What is herded before anything counts, by both sides, and for the broker that serves both.
_WARM_UP = 20


#: What is asked of every connector, in this order.
CREATE, CONFIG, PAUSE, RESUME, DELETE = CALLS = ("create", "config", "pause", "resume", "delete")


@dataclass(frozen=True, slots=True)
class Times:
    """Of one side. Calls in milliseconds, from request to answer, by what was asked: by one caller and by 16 at once; a restart
    from the request until connector and task run again; seconds for all together, from the first request until the last answer or
    the last RUNNING."""

    alone: Mapping[str, list[float]]
    together: Mapping[str, list[float]]
    created: float
    all_running: float
    restart: list[float]
    restart_all: list[float]


def alone(what: str) -> Callable[[Times], list[float]]:
    return lambda times: times.alone[what]


def together(what: str) -> Callable[[Times], list[float]]:
    return lambda times: times.together[what]


def middle(calls: Callable[[Times], list[float]], times: Times) -> float:
    return percentile(calls(times), 50)


@dataclass(frozen=True, slots=True)
class Herding:
    connectors: int
    times: Mapping[str, Times]

    def ratio(self, of: Callable[[Times], float]) -> float:
        drover, connect = self.times.values()
        return of(drover) / of(connect)

    def goals(self) -> list[Goal]:
        every = f"{self.connectors} connectors"
        return [
            at_most(f"{every} restarted at once, times Connect's", self.ratio(lambda t: median(t.restart_all)), 0.1),
            at_most("one restart (p50), times Connect's", self.ratio(lambda t: percentile(t.restart, 50)), 0.5),
            at_most(f"{every} created, until the last answer, times Connect's", self.ratio(lambda t: t.created), 1),
            at_most(f"{every} created, until all run, times Connect's", self.ratio(lambda t: t.all_running), 1),
            *(
                at_most(f"{what}, {callers} (p50), times Connect's", self.ratio(partial(middle, calls)), 1.5)
                for what in (CREATE, CONFIG, PAUSE, RESUME)
                for callers, calls in (("one caller", alone(what)), ("16 callers", together(what)))
            ),
        ]


def run(setting: Setting, connectors: int, restarts: int, rounds: int, say: Callable[[str], None]) -> Herding:
    """Raises Stuck."""
    times = {}
    for side in setting.sides:
        wait_until_calm([process for found in side.processes().values() for process in found])
        _measure(setting, side, min(connectors, _WARM_UP), 1, 1)
    for side in setting.sides:
        found = times[side.name] = _measure(setting, side, connectors, restarts, rounds)
        say(
            f"{side.name:<8} created in {found.created:.1f} s, running after {found.all_running:.1f} s, "
            f"one restart {percentile(found.restart, 50):.0f} ms, all restarted in {median(found.restart_all):.1f} s"
        )
    return Herding(connectors, times)


def _measure(setting: Setting, side: Side, connectors: int, restarts: int, rounds: int) -> Times:
    with herd(setting, side, connectors, "source") as made:
        everything, statuses = with_tasks(made.names), made.statuses
        created = made.create()
        running = statuses.wait(everything, STARTED, _PATIENCE)
        restart = [_one_restart(made, name) for name in made.names[:restarts]]
        restart_all = [_restart_all(made) for _ in range(rounds)]
        alone = {CREATE: created.milliseconds, **_writes(made, 1)}
    with herd(setting, side, connectors, "source") as made:
        at_once = made.create(CALLERS)
        made.statuses.wait(with_tasks(made.names), STARTED, _PATIENCE)
        together = {CREATE: at_once.milliseconds, **_writes(made, CALLERS)}
    return Times(alone, together, created.seconds, running - created.began, restart, restart_all)


def _writes(made: Herd, callers: int) -> dict[str, list[float]]:
    """Milliseconds for each call; at the end the connectors are gone."""
    client, everything = made.side.client, with_tasks(made.names)
    configs = {name: {**config, "batch.size": "1000"} for name, config in zip(made.names, made.configs, strict=True)}
    took = {}
    for what, call, way in (
        (CONFIG, lambda name: client.put_config(name, configs[name]), STARTED),
        (PAUSE, client.pause, PAUSED),
        (RESUME, client.resume, STARTED),
    ):
        took[what] = made.each(call, callers).milliseconds
        made.statuses.wait(everything, way, _PATIENCE)
    return {**took, DELETE: made.delete(callers).milliseconds}


def _restart(made: Herd, name: str) -> None:
    made.side.client.restart(name, only_failed=False)


def _one_restart(made: Herd, name: str) -> float:
    called = made.each(lambda name: _restart(made, name), names=[name])
    return (made.statuses.wait(with_tasks([name]), RESTARTED, _PATIENCE) - called.began) * 1000


def _restart_all(made: Herd) -> float:
    called = made.each(lambda name: _restart(made, name), CALLERS)
    return made.statuses.wait(with_tasks(made.names), RESTARTED, _PATIENCE) - called.began
