"""How long a line that is appended to a file takes into the topic, while the worker is warm and otherwise idle."""

import os
import random
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from confluent_kafka import OFFSET_BEGINNING, Consumer, TopicPartition

from bench.figures import Goal, at_most, percentile
from bench.setting import Setting, fresh_name
from bench.sides import Side, source
from bench.waiting import Stuck

_WARM_UP = 10
_TIMEOUT = 30.0


@dataclass(frozen=True, slots=True)
class Latency:
    """Milliseconds from before a line is written until a consumer has it, by side. Both sides look at a file only now and then:
    Drover every `poll_ms` (DROVER_POLL_INTERVAL_MS), Connect's connector every second."""

    poll_ms: float
    samples: dict[str, list[float]]

    def goals(self) -> list[Goal]:
        after_poll = percentile(self.samples["Drover"], 99) - self.poll_ms
        return [at_most("appended line into the topic, ms after its poll (p99)", after_poll, 300)]


def run(setting: Setting, lines: int, say: Callable[[str], None]) -> Latency:
    """Raises Stuck."""
    samples = {}
    for side in setting.sides:
        found = samples[side.name] = _measure(setting, side, lines)
        say(f"{side.name:<8} p50 {percentile(found, 50):.0f} ms, p99 {percentile(found, 99):.0f} ms")
    return Latency(float(os.environ.get("DROVER_POLL_INTERVAL_MS", "200")), samples)


def _measure(setting: Setting, side: Side, lines: int) -> list[float]:
    name = fresh_name("latency")
    file = setting.folder / name
    file.touch()
    with setting.topics.fresh(name) as topic, side.connector(name, source(file, topic)):
        consumer = setting.topics.reader()
        try:
            consumer.assign([TopicPartition(topic, 0, OFFSET_BEGINNING)])
            # The pauses differ, so that lines come at any moment between two polls.
            pauses = random.Random(4)
            return [_one(side, file, consumer, pauses.uniform(0.1, 0.5)) for _ in range(lines + _WARM_UP)][_WARM_UP:]
        finally:
            consumer.close()


def _one(side: Side, file: Path, consumer: Consumer, pause: float) -> float:
    time.sleep(pause)
    with file.open("ab", buffering=0) as opened:
        opened.write(b"%d\n" % time.time_ns())
    deadline = time.monotonic() + _TIMEOUT
    while time.monotonic() < deadline:
        message = consumer.poll(1.0)
        if message is not None and message.error() is None:
            return (time.time_ns() - int(message.value() or b"")) / 1e6
    raise Stuck(f"{side.name}: an appended line did not arrive within {_TIMEOUT:g} s")
