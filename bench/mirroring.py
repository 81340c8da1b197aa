"""Topic to topic: records a second, from the REST call that creates a MirrorSourceConnector to the last record of the copy."""

from collections.abc import Callable
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from confluent_kafka import Producer

from bench import lines
from bench.copying import Rates, timed_connector
from bench.figures import Goal, at_least
from bench.setting import Setting, fresh_name
from bench.sides import Side

_BYTES = "org.apache.kafka.connect.converters.ByteArrayConverter"
_AT_ONCE = 10_000


@dataclass(frozen=True, slots=True)
class Mirroring:
    lines: int
    rates: dict[str, Rates]

    @property
    def ratio(self) -> float:
        drover, connect = self.rates.values()
        return drover.warm.median / connect.warm.median

    def goals(self) -> list[Goal]:
        return [at_least("topic to topic, times MirrorSourceConnector", self.ratio, 1.8)]


def run(setting: Setting, count: int, rounds: int, say: Callable[[str], None]) -> Mirroring:
    """One cold round, then `rounds` warm ones. Raises Different, Stuck."""
    original = setting.folder / "mirrored.txt"
    lines.write(original, count)
    rates: dict[str, list[float]] = {side.name: [] for side in setting.sides}
    with setting.topics.fresh(fresh_name("mirrored")) as topic:
        _fill(setting, original, topic)
        for number in range(rounds + 1):
            for side in setting.sides:
                rate = count / _mirror(setting, side, original, topic, count)
                rates[side.name].append(rate)
                say(f"{'warm' if number else 'cold'} topic to topic  {side.name:<8} {rate:>9,.0f} records/s")
    return Mirroring(count, {name: Rates.of(listed) for name, listed in rates.items()})


def _fill(setting: Setting, original: Path, topic: str) -> None:
    producer = Producer({"bootstrap.servers": setting.topics.bootstrap_servers, "linger.ms": 20, "batch.size": 1 << 18})
    with original.open("rb") as file:
        while block := list(islice(file, _AT_ONCE)):
            for line in block:
                producer.produce(topic, line.removesuffix(b"\n"))
            producer.flush()
    setting.topics.assert_holds(topic, original)


def _mirror(setting: Setting, side: Side, original: Path, topic: str, count: int) -> float:
    alias = fresh_name("mirror")
    # Made here, so that nobody waits for it to be made.
    with setting.topics.fresh(f"{alias}.{topic}") as copy, timed_connector(side, config(setting, alias, topic)) as timed:
        seconds = timed(lambda: setting.topics.end(copy) >= count)
        setting.topics.assert_holds(copy, original)
    return seconds


def config(setting: Setting, alias: str, topic: str) -> dict[str, str]:
    return {
        "connector.class": "org.apache.kafka.connect.mirror.MirrorSourceConnector",
        "tasks.max": "1",
        "source.cluster.alias": alias,
        "source.cluster.bootstrap.servers": setting.topics.bootstrap_servers,
        "target.cluster.alias": "here",
        "target.cluster.bootstrap.servers": setting.topics.bootstrap_servers,
        "topics": topic,
        "heartbeats.replication.enabled": "false",
        "replication.factor": "1",
        "offset-syncs.topic.replication.factor": "1",
        "key.converter": _BYTES,
        "value.converter": _BYTES,
    }
