"""File to topic and topic to file: records a second, from the REST call that creates the connector to the last record."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bench.figures import Goal, Spread, at_least
from bench.lines import write
from bench.setting import Setting, fresh_name
from bench.sides import Side, sink, source
from bench.topics import assert_same
from bench.waiting import until

FILE_TO_TOPIC, TOPIC_TO_FILE = "file to topic", "topic to file"


@dataclass(frozen=True, slots=True)
class Rates:
    """Records a second of one side at one work: the first time, and afterwards."""

    cold: float
    warm: Spread

    @classmethod
    def of(cls, rates: list[float]) -> "Rates":
        return cls(rates[0], Spread.of(rates[1:] or rates))


@dataclass(frozen=True, slots=True)
class Copying:
    lines: int
    bytes: int
    rates: dict[str, dict[str, Rates]]

    def ratio(self, work: str) -> float:
        drover, connect = self.rates[work].values()
        return drover.warm.median / connect.warm.median

    def goals(self) -> list[Goal]:
        return [
            at_least(f"{FILE_TO_TOPIC}, times Connect", self.ratio(FILE_TO_TOPIC), 2),
            at_least(f"{TOPIC_TO_FILE}, times Connect", self.ratio(TOPIC_TO_FILE), 1),
        ]


def run(setting: Setting, lines: int, rounds: int, say: Callable[[str], None]) -> Copying:
    """One cold round, then `rounds` warm ones. Raises Different, Stuck."""
    original = setting.folder / "input.txt"
    write(original, lines)
    rates: dict[str, dict[str, list[float]]] = {
        work: {side.name: [] for side in setting.sides} for work in (FILE_TO_TOPIC, TOPIC_TO_FILE)
    }
    for number in range(rounds + 1):
        for side, work, seconds in _round(setting, original, lines):
            rate = lines / seconds
            rates[work][side.name].append(rate)
            say(f"{'warm' if number else 'cold'} {work:<14} {side.name:<8} {rate:>9,.0f} records/s")
    return Copying(
        lines,
        original.stat().st_size,
        {work: {name: Rates.of(listed) for name, listed in by_side.items()} for work, by_side in rates.items()},
    )


def _round(setting: Setting, original: Path, lines: int) -> Iterator[tuple[Side, str, float]]:
    """Both sides write a topic of their own, then both read the topic that the last side, Connect, has written: a producer's
    batches make a difference to who reads them."""
    for side in setting.sides:
        with setting.topics.fresh(fresh_name("copy")) as topic:
            yield side, FILE_TO_TOPIC, _file_to_topic(setting, side, original, lines, topic)
            setting.topics.assert_holds(topic, original)
            if side is setting.sides[-1]:
                for reader in setting.sides:
                    yield reader, TOPIC_TO_FILE, _topic_to_file(setting, reader, original, topic)


def _file_to_topic(setting: Setting, side: Side, original: Path, lines: int, topic: str) -> float:
    with timed_connector(side, source(original, topic)) as timed:
        return timed(lambda: setting.topics.end(topic) >= lines)


def _topic_to_file(setting: Setting, side: Side, original: Path, topic: str) -> float:
    copy = setting.folder / fresh_name("copy")
    size = original.stat().st_size
    try:
        with timed_connector(side, sink(copy, topic)) as timed:
            seconds = timed(lambda: copy.exists() and copy.stat().st_size >= size)
        # Only now, that a record too many would be seen as well.
        assert_same(copy, original)
        return seconds
    finally:
        copy.unlink(missing_ok=True)


@contextmanager
def timed_connector(side: Side, config: dict[str, Any]) -> Iterator[Callable[[Callable[[], bool]], float]]:
    """Creates a connector; what is given takes how it is seen to be finished, and gives the seconds since before."""
    name = fresh_name("copy")
    began = time.monotonic()
    with side.connector(name, config):
        yield lambda done: until(done, f"{side.name}: the copy", check=lambda: side.assert_runs(name)) - began
