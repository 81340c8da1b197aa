"""Topics that sources are the first to write to are made as their configs say (KIP-158), in a real broker."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest
from confluent_kafka import TopicCollection
from confluent_kafka.admin import AdminClient, ConfigResource, ResourceType

from connect_client import ConnectClient
from tests.integration.conftest import source
from tests.running import RunningDrover
from tests.topics import create_topic, values
from tests.waiting import eventually

# What is more goes by a job of Spark's own.
MUCH = 70_000
DEFAULT = {"topic.creation.default.replication.factor": "1", "topic.creation.default.partitions": "3"}


@dataclass
class Broker:
    address: str

    def __post_init__(self) -> None:
        self.admin = AdminClient({"bootstrap.servers": self.address})

    def has(self, topic: str) -> bool:
        return topic in self.admin.list_topics(timeout=10).topics

    def partitions(self, topic: str) -> int:
        found = self.admin.describe_topics(TopicCollection([topic]))[topic].result(10)
        return len(found.partitions)

    def setting(self, topic: str, name: str) -> str:
        resource = ConfigResource(ResourceType.TOPIC, topic)
        return str(self.admin.describe_configs([resource])[resource].result(10)[name].value)

    def wait(self, topic: str, *lines: bytes) -> None:
        eventually(lambda: self.has(topic) and values(self.address, topic) == list(lines), topic)


@pytest.fixture
def broker(drover: RunningDrover) -> Broker:
    return Broker(drover.bootstrap_servers)


@pytest.fixture
def topic(unique: str, broker: Broker) -> Iterator[str]:
    name = f"new-{unique}"
    yield name
    made = [one for one in broker.admin.list_topics(timeout=10).topics if one.startswith(name)]
    if made:
        for future in broker.admin.delete_topics(made).values():
            future.result(10)


def reads(client: ConnectClient, path: Path, topic: str, text: bytes, more: Mapping[str, str]) -> str:
    """A file source that has just been made."""
    path.write_bytes(text)
    name = f"{topic}-{path.stem}"
    client.create(name, {**source(name, path, topic), **more})
    return name


def test_two_groups(client: ConnectClient, broker: Broker, topic: str, tmp_path: Path) -> None:
    config = {
        **DEFAULT,
        "topic.creation.groups": "logs, tables",
        "topic.creation.logs.include": ".*-log-[ab]",
        "topic.creation.logs.exclude": ".*-log-b",
        "topic.creation.logs.retention.ms": "123456",
        "topic.creation.tables.include": r".*-table-\p{Digit}",
        "topic.creation.tables.partitions": "2",
        "topic.creation.tables.cleanup.policy": "compact",
        # A compacted topic takes nothing that has no key.
        "transforms": "key",
        "transforms.key.type": "drover.SqlTransform",
        "transforms.key.key": "value",
    }
    for part in ("log-a", "log-b", "table-1"):
        reads(client, tmp_path / part, f"{topic}-{part}", b"x\n", config)
    for part in ("log-a", "log-b", "table-1"):
        broker.wait(f"{topic}-{part}", b"x")
    assert [broker.partitions(f"{topic}-{part}") for part in ("log-a", "log-b", "table-1")] == [3, 3, 2]
    assert broker.setting(f"{topic}-log-a", "retention.ms") == "123456"
    assert broker.setting(f"{topic}-log-b", "retention.ms") != "123456"
    assert broker.setting(f"{topic}-table-1", "cleanup.policy") == "compact"


def test_a_topic_that_exists_is_left_alone(client: ConnectClient, broker: Broker, topic: str, tmp_path: Path) -> None:
    create_topic(broker.address, topic, 1)
    reads(client, tmp_path / "file", topic, b"x\n", {**DEFAULT, "topic.creation.default.cleanup.policy": "compact"})
    broker.wait(topic, b"x")
    assert (broker.partitions(topic), broker.setting(topic, "cleanup.policy")) == (1, "delete")


@pytest.mark.parametrize("text", [b"a\nb\n", b"a\nb\n" * MUCH], ids=["a little", "much"])
@pytest.mark.parametrize(
    "router",
    [
        {"type": "RegexRouter", "regex": "(.*)", "replacement": "$1-a"},
        {"type": "drover.SqlTransform", "topic": "concat(topic, '-', value)"},
    ],
    ids=["by the topic", "by the record"],
)
def test_where_transforms_send_records_to(
    client: ConnectClient, broker: Broker, topic: str, tmp_path: Path, text: bytes, router: Mapping[str, str]
) -> None:
    more = {"transforms": "route", **{f"transforms.route.{key}": value for key, value in router.items()}}
    reads(client, tmp_path / "file", topic, text, {**DEFAULT, **more})
    copies = ["-a", "-b"] if "topic" in router else ["-a"]
    lines = text.splitlines()

    def all_there() -> bool:
        made = [f"{topic}{copy}" for copy in copies]
        return all(map(broker.has, made)) and sum(len(values(broker.address, one)) for one in made) == len(lines)

    eventually(all_there, "all lines")
    assert [broker.partitions(f"{topic}{copy}") for copy in copies] == [3] * len(copies)
    assert not broker.has(topic)


def test_what_cannot_be_made_fails_its_own_task(client: ConnectClient, broker: Broker, topic: str, tmp_path: Path) -> None:
    """And no neighbour in a common job; nothing is written."""
    bad = {**DEFAULT, "topic.creation.default.replication.factor": "7"}
    odd = {**DEFAULT, "topic.creation.default.no.such.setting": "7"}
    failing = {
        reads(client, tmp_path / "replicas", f"{topic}-replicas", b"x\n", bad): "InvalidReplicationFactorException",
        reads(client, tmp_path / "setting", f"{topic}-setting", b"x\n", odd): f"Unable to create topic(s) '{topic}-setting': ",
    }
    well = reads(client, tmp_path / "well", f"{topic}-well", b"x\n", DEFAULT)
    for name, cause in failing.items():
        eventually(lambda name=name: client.status(name).tasks[0].state == "FAILED", f"{name} fails")  # type: ignore[misc]
        assert cause in (client.status(name).tasks[0].trace or "")
    broker.wait(f"{topic}-well", b"x")
    assert client.status(well).tasks[0].state == "RUNNING"
    assert not any(broker.has(f"{topic}-{part}") for part in ("replicas", "setting"))


def test_in_real_time(client: ConnectClient, broker: Broker, topic: str) -> None:
    """Where a record goes is known too late there, unless it is the same for all."""
    create_topic(broker.address, f"{topic}-from", 1)
    config = {
        "connector.class": "SparkSource",
        "trigger": "realtime",
        "spark.format": "kafka",
        "value.columns": "value",
        **DEFAULT,
    }
    config |= {"spark.option.kafka.bootstrap.servers": broker.address, "spark.option.subscribe": f"{topic}-from"}
    client.create(f"{topic}-field", {"name": f"{topic}-field", **config, "topic.field": "topic"})
    eventually(lambda: client.status(f"{topic}-field").tasks[0].state == "FAILED", "It fails")
    assert "topic.creation.* cannot be kept in real time" in (client.status(f"{topic}-field").tasks[0].trace or "")
    client.create(f"{topic}-one", {"name": f"{topic}-one", **config, "topic": f"{topic}-to"})
    eventually(lambda: broker.has(f"{topic}-to"), "The topic is made before there is a record")
    assert broker.partitions(f"{topic}-to") == 3


def test_a_streaming_query(client: ConnectClient, broker: Broker, topic: str, tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "a.txt").write_text("x\n")
    config = {"connector.class": "SparkSource", "spark.format": "text", "spark.option.path": str(tmp_path / "in"), "topic": topic}
    client.create(f"{topic}-query", {"name": f"{topic}-query", **config, **DEFAULT})
    broker.wait(topic, b"x")
    assert broker.partitions(topic) == 3
