"""MirrorSourceConnector with the real-time trigger beside Kafka Connect's: how long a record takes at a steady rate. And how soon
a task that is restarted has its first new record in its topic."""

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from confluent_kafka import OFFSET_BEGINNING, Consumer, Producer, TopicPartition

from bench import mirroring
from bench.figures import Goal, at_most, percentile
from bench.setting import Setting, fresh_name
from bench.sides import Side, source
from bench.waiting import Stuck, until

#: Records per second.
RATES = (100, 1000)
#: Longer than Drover's spans, so that the pause after one is among what is measured.
_WARM_UP, _SECONDS = 5.0, 65.0
_RESTARTS = 10
_TIMEOUT = 60.0


@dataclass(frozen=True, slots=True)
class Realtime:
    """Milliseconds by side: from before a record is produced until a consumer has its copy, by rate; and from the call of a
    restart until a consumer has a line that was appended after it."""

    records: dict[int, dict[str, list[float]]]
    restarts: dict[str, list[float]]

    def goals(self) -> list[Goal]:
        return [
            *(
                at_most(f"record to its copy at {rate}/s, p{percent}, ms", percentile(ours, percent), percentile(theirs, percent))
                for rate, by_side in self.records.items()
                for ours, theirs in [by_side.values()]
                for percent in (50, 99)
            ),
            at_most("restart to the first record, ms (p99)", percentile(self.restarts["Drover"], 99), 1000),
        ]


def run(setting: Setting, say: Callable[[str], None]) -> Realtime:
    """Raises Stuck."""
    records: dict[int, dict[str, list[float]]] = {rate: {} for rate in RATES}
    for side in setting.sides:
        for rate in RATES:
            found = records[rate][side.name] = _copied(setting, side, rate)
            say(f"{rate:,}/s  {side.name:<8} p50 {percentile(found, 50):.1f} ms, p99 {percentile(found, 99):.1f} ms")
    restarts = {side.name: _restarted(setting, side) for side in setting.sides}
    for name, found in restarts.items():
        say(f"restart  {name:<8} p50 {percentile(found, 50):.0f} ms, p99 {percentile(found, 99):.0f} ms")
    return Realtime(records, restarts)


def _copied(setting: Setting, side: Side, rate: int) -> list[float]:
    alias, topic = fresh_name("alias"), fresh_name("timed")
    # It means nothing to Kafka Connect.
    config = {**mirroring.config(setting, alias, topic), "trigger": "realtime"}
    with (
        setting.topics.fresh(topic),
        setting.topics.fresh(f"{alias}.{topic}") as copy,
        side.connector(alias, config),
        _reading(setting, copy) as consumer,
        _producing(setting, topic, rate),
    ):
        _next(side, consumer)
        begun = time.monotonic() + _WARM_UP
        while time.monotonic() < begun:
            _next(side, consumer)
        found = []
        while time.monotonic() < begun + _SECONDS:
            found.append(_next(side, consumer))
    return found


def _restarted(setting: Setting, side: Side) -> list[float]:
    name = fresh_name("restarted")
    file = setting.folder / name
    file.touch()
    with (
        setting.topics.fresh(name) as topic,
        side.connector(name, source(file, topic)),
        _reading(setting, topic) as consumer,
    ):
        found = []
        for _ in range(_RESTARTS):
            until(lambda: side.is_running(name), f"{side.name}: {name} running")
            called = time.time_ns()
            side.client.restart(name, only_failed=False)
            with file.open("ab", buffering=0) as opened:
                opened.write(b"%d\n" % called)
            found.append(_next(side, consumer))
    return found


@contextmanager
def _reading(setting: Setting, topic: str) -> Iterator[Consumer]:
    consumer = setting.topics.reader()
    try:
        consumer.assign([TopicPartition(topic, 0, OFFSET_BEGINNING)])
        yield consumer
    finally:
        consumer.close()


@contextmanager
def _producing(setting: Setting, topic: str, rate: int) -> Iterator[None]:
    """Meanwhile each record says when it was produced, in nanoseconds since 1970."""
    ended = threading.Event()
    producer = Producer({"bootstrap.servers": setting.topics.bootstrap_servers, "linger.ms": 0})

    def produce() -> None:
        due = time.monotonic()
        while not ended.wait(max(0.0, due - time.monotonic())):
            producer.produce(topic, b"%d" % time.time_ns())
            producer.poll(0)
            due += 1 / rate

    thread = threading.Thread(target=produce)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()
        producer.flush()


def _next(side: Side, consumer: Consumer) -> float:
    """How old the next record is, in milliseconds."""
    deadline = time.monotonic() + _TIMEOUT
    while time.monotonic() < deadline:
        message = consumer.poll(1.0)
        if message is not None and message.error() is None:
            return (time.time_ns() - int(message.value() or b"")) / 1e6
    raise Stuck(f"{side.name}: no record arrived within {_TIMEOUT:g} s")
