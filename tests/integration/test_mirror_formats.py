"""Names, records, translations and refusals of the mirrors against MirrorMaker 2's own classes, in a JVM of their own."""

import random
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import pytest
from py4j.java_gateway import JavaGateway
from py4j.protocol import Py4JJavaError

from tests.conformance.answers.case import OWN_KEYS
from tests.mirrormaker import java_map, mirrormaker
from workers.connectors.base import ConnectError, SourceConnector
from workers.connectors.configdef import REQUIRED, as_text
from workers.connectors.mirror.checkpoint import MirrorCheckpointConnector
from workers.connectors.mirror.heartbeat import MirrorHeartbeatConnector
from workers.connectors.mirror.policies import POLICIES, is_heartbeats
from workers.connectors.mirror.records import Checkpoint, Heartbeat, OffsetSync
from workers.connectors.mirror.source import MirrorSourceConnector
from workers.connectors.mirror.sync_store import OffsetSyncStore
from workers.herder.values import Partition, PartitionOffset

CONNECTORS = (MirrorSourceConnector, MirrorCheckpointConnector, MirrorHeartbeatConnector)


@pytest.fixture(scope="module")
def gateway() -> Iterator[JavaGateway]:
    with mirrormaker() as gateway:
        yield gateway


@pytest.fixture
def jvm(gateway: JavaGateway) -> Any:
    return gateway.jvm


@pytest.fixture
def mirror(jvm: Any) -> Any:
    return jvm.org.apache.kafka.connect.mirror


def record(jvm: Any, key: bytes, value: bytes) -> Any:
    return jvm.org.apache.kafka.clients.consumer.ConsumerRecord("topic", 0, 0, key, value)


# --- names ------------------------------------------------------------------------------------------------------------

PARTS = ("a", "A", ".", "..", "_", "-", "heartbeats", "mm2", "checkpoints", "internal", ".internal", "_internal", "__", "mm2-x")


@pytest.mark.parametrize("name", POLICIES)
@pytest.mark.parametrize(
    "config",
    [
        {},
        {"replication.policy.separator": "_"},
        {"replication.policy.separator": "--", "replication.policy.internal.topic.separator.enabled": "false"},
        {"replication.policy.separator": "_", "replication.policy.internal.topic.separator.enabled": "false"},
    ],
)
def test_topics_are_called_as_by_mirrormaker(jvm: Any, mirror: Any, name: str, config: dict[str, str]) -> None:
    config = {**config, "source.cluster.alias": "A"}
    theirs, ours = getattr(mirror, name.rpartition(".")[2])(), POLICIES[name](config)
    theirs.configure(java_map(jvm, config))
    chance = random.Random(7)
    topics = {"".join(chance.choices(PARTS, k=chance.randint(1, 5))) for _ in range(250)}
    for topic in sorted(topics):
        expected = (
            theirs.formatRemoteTopic("S", topic),
            theirs.topicSource(topic),
            theirs.upstreamTopic(topic),
            theirs.originalTopic(topic),
            theirs.isInternalTopic(topic),
            theirs.isHeartbeatsTopic(topic),
        )
        found = (
            ours.remote_topic("S", topic),
            ours.source_of(topic),
            ours.upstream_topic(topic),
            ours.original_topic(topic),
            ours.is_internal(topic),
            is_heartbeats(ours, topic),
        )
        assert found == expected, topic
    assert ours.offset_syncs_topic("B") == theirs.offsetSyncsTopic("B")
    assert ours.checkpoints_topic("A") == theirs.checkpointsTopic("A")


# --- records ----------------------------------------------------------------------------------------------------------


class Java:
    """What is not public, by reflection."""

    def __init__(self, gateway: JavaGateway) -> None:
        self._gateway = gateway
        self._class = gateway.jvm.java.lang.Class

    def array(self, *values: Any) -> Any:
        made = self._gateway.new_array(self._gateway.jvm.java.lang.Object, len(values))
        for index, value in enumerate(values):
            made[index] = value
        return made

    def call(self, of: Any, method: str, *arguments: Any) -> Any:
        methods = [one for one in of.getClass().getDeclaredMethods() if one.getName() == method]
        (found,) = [one for one in methods if one.getParameterCount() == len(arguments)]
        found.setAccessible(True)
        return found.invoke(of, self.array(*arguments))

    def new(self, name: str) -> Any:
        """By the constructor that takes nothing."""
        (found,) = [one for one in self._class.forName(name).getDeclaredConstructors() if not one.getParameterCount()]
        found.setAccessible(True)
        return found.newInstance(self.array())

    def set(self, of: Any, field: str, value: bool) -> None:
        found = of.getClass().getDeclaredField(field)
        found.setAccessible(True)
        found.setBoolean(of, value)


@pytest.fixture
def java(gateway: JavaGateway) -> Java:
    return Java(gateway)


SYNCS = [OffsetSync(Partition("t", 0), 0, 0), OffsetSync(Partition("žlutý", 2**31 - 1), 2**62, -1)]
CHECKPOINTS = [
    Checkpoint("g", Partition("A.t", 3), 5, 7, ""),
    Checkpoint("skupina ☕", Partition("x" * 249, 0), 2**62, 2**61, "metadata ž"),
]
HEARTBEATS = [Heartbeat("A", "B", 1_700_000_000_000), Heartbeat("ž", "", 0)]


@pytest.mark.parametrize("sync", SYNCS)
def test_an_offset_sync_is_mirrormakers_byte_by_byte(jvm: Any, java: Java, mirror: Any, sync: OffsetSync) -> None:
    theirs = mirror.OffsetSync(jvm.org.apache.kafka.common.TopicPartition(*sync.partition), sync.upstream, sync.downstream)
    assert (java.call(theirs, "recordKey"), java.call(theirs, "recordValue")) == (sync.key(), sync.value())
    assert OffsetSync.read(sync.key(), sync.value()) == sync
    assert mirror.OffsetSync.deserializeRecord(record(jvm, sync.key(), sync.value())).equals(theirs)


@pytest.mark.parametrize("checkpoint", CHECKPOINTS)
def test_a_checkpoint_is_mirrormakers_byte_by_byte(jvm: Any, java: Java, mirror: Any, checkpoint: Checkpoint) -> None:
    partition = jvm.org.apache.kafka.common.TopicPartition(*checkpoint.partition)
    theirs = mirror.Checkpoint(checkpoint.group, partition, checkpoint.upstream, checkpoint.downstream, checkpoint.metadata)
    assert (java.call(theirs, "recordKey"), java.call(theirs, "recordValue")) == (checkpoint.key(), checkpoint.value())
    assert Checkpoint.read(checkpoint.key(), checkpoint.value()) == checkpoint
    read = mirror.Checkpoint.deserializeRecord(record(jvm, checkpoint.key(), checkpoint.value()))
    assert read.toString() == theirs.toString()
    source = dict(java.call(theirs, "connectPartition"))
    assert list(source.items()) == list(checkpoint.source_partition().items())


@pytest.mark.parametrize("heartbeat", HEARTBEATS)
def test_a_heartbeat_is_mirrormakers_byte_by_byte(jvm: Any, java: Java, mirror: Any, heartbeat: Heartbeat) -> None:
    theirs = mirror.Heartbeat(heartbeat.source, heartbeat.target, heartbeat.timestamp)
    assert (java.call(theirs, "recordKey"), java.call(theirs, "recordValue")) == (heartbeat.key(), heartbeat.value())
    assert Heartbeat.read(heartbeat.key(), heartbeat.value()) == heartbeat
    read = mirror.Heartbeat.deserializeRecord(record(jvm, heartbeat.key(), heartbeat.value()))
    assert read.toString() == theirs.toString()
    source = dict(java.call(theirs, "connectPartition"))
    assert list(source.items()) == list(heartbeat.source_partition().items())


# --- translation ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("keep_older", [False, True])
@pytest.mark.parametrize("seed", range(3))
def test_offsets_are_translated_as_by_mirrormaker(jvm: Any, java: Java, seed: int, keep_older: bool) -> None:
    chance = random.Random(seed)
    partition = Partition("t", 0)
    topic_partition = jvm.org.apache.kafka.common.TopicPartition(*partition)
    theirs, ours = java.new("org.apache.kafka.connect.mirror.OffsetSyncStore"), OffsetSyncStore(keep_older=keep_older)
    java.set(theirs, "initializationMustReadToEnd", not keep_older)
    upstream = downstream = 0
    for number in range(70):
        if number == 20:
            java.set(theirs, "readToEnd", True)
            ours.read_to_end()
        step = chance.choice([1, 1, 2, 100, 5_000])
        # Once the source's topic is made anew, and begins at its beginning.
        upstream, downstream = (chance.randint(0, 50), downstream) if number == 50 else (upstream + step, downstream + step)
        sync = OffsetSync(partition, upstream, downstream)
        java.call(theirs, "handleRecord", record(jvm, sync.key(), sync.value()))
        ours.add(sync)
        for asked in {0, upstream, upstream + 1, *(chance.randint(0, upstream + 10) for _ in range(12))}:
            expected = theirs.translateDownstream("g", topic_partition, asked)
            found = ours.translate(partition, asked)
            assert found == (expected.getAsLong() if expected.isPresent() else None), (number, asked)
    assert ours.translate(Partition("another", 0), 0) is None


# --- configs ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("connector", CONNECTORS)
def test_keys_types_and_defaults_are_mirrormakers(jvm: Any, mirror: Any, connector: type[SourceConnector]) -> None:
    config = getattr(mirror, connector.__name__)().config()
    to_text = jvm.org.apache.kafka.common.config.ConfigDef.convertToString
    fields = jvm.java.lang.Class.forName("org.apache.kafka.common.config.ConfigDef$ConfigKey")

    def of(key: Any, field: str) -> Any:
        return fields.getField(field).get(key)

    shared = set(jvm.org.apache.kafka.connect.runtime.SourceConnectorConfig.configDef().names())
    theirs = {
        name: (
            of(key, "type").toString(),
            of(key, "importance").toString(),
            not key.hasDefault(),
            to_text(of(key, "defaultValue"), of(key, "type")) if key.hasDefault() else None,
        )
        for name, key in config.configKeys().items()
        if name not in shared
    }
    ours = {
        key.name: (
            str(key.type),
            str(key.importance),
            key.default is REQUIRED,
            None if key.default is REQUIRED else as_text(key.type, key.default),
        )
        for key in connector.config_def.keys
        if key.name not in OWN_KEYS
    }
    assert ours == theirs


BAD: list[dict[str, object] | None] = [
    None,
    {},
    {"offset": None},
    {"offset": "1"},
    {"offset": 1.5},
    {"offset": True},
    {"offset": -1},
    {"offset": 0},
    {"offset": 7},
]
PARTITIONS: list[dict[str, object] | None] = [
    None,
    {},
    {"cluster": "A"},
    {"cluster": 1, "topic": "t", "partition": 0},
    {"cluster": "A", "topic": None, "partition": 0},
    {"cluster": "A", "topic": "t"},
    {"cluster": "A", "topic": "t", "partition": "0"},
    {"cluster": "A", "topic": "t", "partition": 2**31},
    {"cluster": "A", "topic": "t", "partition": -1},
    {"cluster": "A", "topic": "t", "partition": 0},
    {"group": "g", "topic": "t", "partition": 0},
    {"group": ["g"], "topic": "t", "partition": 0},
    {"sourceClusterAlias": "A", "targetClusterAlias": "B"},
    {"sourceClusterAlias": "A"},
    {"sourceClusterAlias": "A", "targetClusterAlias": False},
]


def outcome(ask: Callable[[], object]) -> object:
    try:
        return ask()
    except ConnectError as error:
        return str(error)
    except Py4JJavaError as error:
        return str(error.java_exception.getMessage())


@pytest.mark.parametrize("connector", CONNECTORS)
@pytest.mark.parametrize("partition", PARTITIONS)
def test_altered_offsets_are_checked_as_by_mirrormaker(
    jvm: Any, mirror: Any, connector: type[SourceConnector], partition: dict[str, object] | None
) -> None:
    theirs, ours = getattr(mirror, connector.__name__)(), connector({"source.cluster.alias": "A", "name": "m"})
    for offset in BAD:
        given = jvm.java.util.LinkedHashMap()
        given.put(None if partition is None else ordered(jvm, partition), None if offset is None else ordered(jvm, offset))
        expected = outcome(lambda given=given: theirs.alterOffsets(jvm.java.util.HashMap(), given))  # type: ignore[misc]
        found = outcome(lambda offset=offset: ours.alter_offsets([PartitionOffset(partition, offset)]))  # type: ignore[misc]
        assert found == expected, (partition, offset)


def ordered(jvm: Any, values: Mapping[str, object]) -> Any:
    """A map that Java prints in the same order."""
    made = jvm.java.util.LinkedHashMap()
    for key, value in values.items():
        if isinstance(value, list):
            items = jvm.java.util.ArrayList()
            for item in value:
                items.add(item)
            made.put(key, items)
        else:
            made.put(key, value)
    return made
