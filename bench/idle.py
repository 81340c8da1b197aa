"""What both sides take while there is nothing to do."""

import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field

from bench.figures import Goal, at_most
from bench.setting import Setting, fresh_name
from bench.sides import Side, sink, source
from bench.usage import Usage, measure, total
from bench.waiting import until

CONNECTORS = 10
_SETTLE_SECONDS = 5.0


@dataclass(frozen=True, slots=True)
class Idle:
    """By situation, side and part."""

    usages: dict[str, dict[str, dict[str, Usage]]] = field(default_factory=dict)

    def totals(self, side: str) -> dict[str, Usage]:
        return {situation: total(by_side[side].values()) for situation, by_side in self.usages.items()}

    def goals(self) -> list[Goal]:
        totals = self.totals("Drover").values()
        return [
            at_most("all processes, idle: MiB at most", max(usage.memory for usage in totals), 2500),
            at_most("all processes, idle: cores at most", max(usage.cores for usage in totals), 0.3),
        ]


def run(setting: Setting, seconds: float, say: Callable[[str], None]) -> dict[str, dict[str, Usage]]:
    """By side and part. One side after the other: what one is asked must not cost the other."""
    found: dict[str, dict[str, Usage]] = {}
    for side in setting.sides:
        time.sleep(_SETTLE_SECONDS)
        found[side.name] = measure(side.processes(), seconds)
        usage = total(found[side.name].values())
        say(f"{side.name:<8} {usage.memory:>6,.0f} MiB {usage.cores:.3f} cores")
    return found


@contextmanager
def waiting_connectors(setting: Setting) -> Iterator[None]:
    """Some on each side, half of them sources and half sinks, for which neither lines nor records come. Raises Stuck."""
    with ExitStack() as stack:
        for side in setting.sides:
            for number in range(CONNECTORS):
                _create(setting, side, stack, is_source=number % 2 == 0)
        yield


def _create(setting: Setting, side: Side, stack: ExitStack, *, is_source: bool) -> None:
    name = fresh_name("idle")
    topic = stack.enter_context(setting.topics.fresh(name))
    file = setting.folder / name
    file.touch()
    stack.enter_context(side.connector(name, source(file, topic) if is_source else sink(file, topic)))
    until(lambda: side.is_running(name), f"{side.name}: the start of {name}")
