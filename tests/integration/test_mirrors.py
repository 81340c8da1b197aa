"""Two Kafka clusters: topics, heartbeats and consumer groups of one in the other, read back by MirrorMaker 2's own client. Topics
with either trigger."""

import os
import re
import signal
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any
from urllib.parse import quote

import httpx
import pytest
from confluent_kafka import Producer
from confluent_kafka.admin import AdminClient

from connect_client import ConnectClient, PartitionOffset
from connect_client.errors import ConnectRefused
from tests.mirrored import (
    Record,
    add_partitions,
    change_setting,
    committed,
    consume,
    create,
    ends,
    read,
    settings_of,
    topics,
    write,
)
from tests.mirrormaker import java_map, mirrormaker
from tests.pages import configs
from tests.peer import connect_worker
from tests.running import RunningDrover
from tests.topics import messages, producing
from tests.waiting import eventually

TRANSFORMS = "org.apache.kafka.connect.transforms"
BYTES = "org.apache.kafka.connect.converters.ByteArrayConverter"
MANY = 300_000
#: In real time with offsets that are committed more often, so that stops take less.
REAL_TIME = {"trigger": "realtime", "trigger.interval.ms": "500"}
either = pytest.mark.parametrize("trigger", [{"trigger": "interval"}, REAL_TIME], ids=["interval", "realtime"])


@dataclass
class Clusters:
    """Two clusters by aliases that no other test has, and the connectors between them, as the documentation's pages show them."""

    client: ConnectClient
    source: str
    target: str
    unique: str
    east: str = "east"

    @property
    def alias(self) -> str:
        return f"{self.east}{self.unique}"

    def topic(self, name: str = "orders") -> str:
        return f"{name}-{self.unique}"

    def copy(self, name: str = "orders") -> str:
        return f"{self.alias}.{self.topic(name)}"

    def config(self, page: str, changed: Mapping[str, str] = {}) -> dict[str, str]:
        """Of a page, with this test's clusters, topics and patience in it."""
        (config,) = configs(f"connectors/mirror-{page}.md")
        own = {
            "name": f"{config['name']} {self.unique}".replace("east", self.east),
            "source.cluster.alias": self.alias,
            "source.cluster.bootstrap.servers": self.source,
            "target.cluster.alias": f"west{self.unique}",
            "target.cluster.bootstrap.servers": self.target,
            "topics": f".*-{self.unique}",
            "groups": f".*-{self.unique}",
        }
        seconds = {key: "1" for key in config if key.endswith("interval.seconds")}
        factors = {key: "1" for key in config if key.endswith("replication.factor")}
        there = {key: value for key, value in own.items() if key in config}
        return {**config, **there, **seconds, **factors, **changed}

    def start(self, page: str, changed: Mapping[str, str] = {}) -> str:
        config = self.config(page, changed)
        self.client.create(config["name"], config)
        return config["name"]

    def stop(self, name: str) -> None:
        """With its tasks, which in real time takes a moment."""
        self.client.stop(name)
        eventually(lambda: self.client.status(name).connector.state == "STOPPED" and not self.client.status(name).tasks)

    def position(self, name: str) -> list[PartitionOffset]:
        """Where the source is, partition by partition."""
        return sorted(self.client.offsets(name), key=str)

    def at(self, offset: int | None, partition: int = 0, name: str = "orders") -> PartitionOffset:
        where = {"cluster": self.alias, "partition": partition, "topic": self.topic(name)}
        return PartitionOffset(where, None if offset is None else {"offset": offset})


@pytest.fixture
def clusters(client: ConnectClient, drover: RunningDrover, elsewhere: str, unique: str) -> Clusters:
    return Clusters(client, elsewhere, drover.bootstrap_servers, unique)


@pytest.fixture(scope="module")
def jvm() -> Iterator[Any]:
    with mirrormaker() as gateway:
        yield gateway.jvm


# --- topics -----------------------------------------------------------------------------------------------------------


@either
def test_topics_are_copied_with_all_that_is_in_them_and_followed(clusters: Clusters, trigger: dict[str, str]) -> None:
    topic, copy = clusters.topic(), clusters.copy()
    create(clusters.source, topic, 3, retention_ms="123456000")
    create(clusters.source, clusters.topic("x.draft"), 1)
    write(clusters.source, topic, 1000, 3)
    name = clusters.start("source", {"topics.exclude": r".*\.draft.*", **trigger})
    eventually(lambda: sum(ends(clusters.target, copy)) == 1000)
    assert read(clusters.target, copy) == read(clusters.source, topic)
    assert settings_of(clusters.target, copy) == {"retention.ms": "123456000"}

    add_partitions(clusters.source, topic, 5)
    create(clusters.source, clusters.topic("late"), 1)
    change_setting(clusters.source, topic, "retention.ms", "654321000")
    write(clusters.source, topic, 500, 5, first=1000)
    write(clusters.source, clusters.topic("late"), 10, 1)
    eventually(lambda: sum(ends(clusters.target, copy)) == 1500 and sum(ends(clusters.target, clusters.copy("late"))) == 10)
    assert read(clusters.target, copy) == read(clusters.source, topic)
    assert read(clusters.target, clusters.copy("late")) == read(clusters.source, clusters.topic("late"))
    eventually(lambda: settings_of(clusters.target, copy) == {"retention.ms": "654321000"})
    assert clusters.copy("x.draft") not in topics(clusters.target)
    assert len(clusters.client.status(name).tasks) == 2


#: Tombstones stay behind, the others are signed and sent elsewhere. One with the header `poison` would have to be a struct.
CHAIN = {
    "predicates": "deleted,poisoned",
    "predicates.deleted.type": f"{TRANSFORMS}.predicates.RecordIsTombstone",
    "predicates.poisoned.type": f"{TRANSFORMS}.predicates.HasHeaderKey",
    "predicates.poisoned.name": "poison",
    "transforms": "drop,sign,call,take,route",
    "transforms.drop.type": f"{TRANSFORMS}.Filter",
    "transforms.drop.predicate": "deleted",
    "transforms.sign.type": f"{TRANSFORMS}.InsertHeader",
    "transforms.sign.header": "signed",
    "transforms.sign.value.literal": "yes",
    "transforms.call.type": "drover.SqlTransform",
    "transforms.call.value": "concat(value, X'21')",
    "transforms.take.type": f"{TRANSFORMS}.ExtractField$Value",
    "transforms.take.field": "nothing",
    "transforms.take.predicate": "poisoned",
    "transforms.route.type": f"{TRANSFORMS}.RegexRouter",
    "transforms.route.regex": "(.*)",
    "transforms.route.replacement": "$1.signed",
    "topic.creation.default.partitions": "2",
    "topic.creation.default.replication.factor": "1",
}


@either
def test_transforms_on_the_way(clusters: Clusters, trigger: dict[str, str]) -> None:
    """The last record is one of which nothing can be made."""
    topic, copy = clusters.topic(), f"{clusters.copy()}.signed"
    create(clusters.source, topic, 2)
    write(clusters.source, topic, 500, 2)
    name = clusters.start("source", {**CHAIN, **trigger})

    def signed(one: Record) -> Record:
        partition, key, value, headers, at = one
        assert value is not None
        assert isinstance(headers, list | None)
        return partition, key, value + b"!", [*(headers or []), ("signed", b"yes")], at

    wanted = [[signed(one) for one in partition if one[2] is not None] for partition in read(clusters.source, topic)]
    eventually(lambda: sum(ends(clusters.target, copy)) == 400)
    assert read(clusters.target, copy) == wanted
    eventually(lambda: clusters.client.offsets(name) and clusters.position(name) == [clusters.at(249, 0), clusters.at(249, 1)])
    used = httpx.get(f"{clusters.client.url}/connectors/{quote(name)}/topics").json()[name]["topics"]
    assert used == [copy]

    poison(clusters.source, topic)
    failed = eventually(lambda: [task for task in clusters.client.status(name).tasks if task.state == "FAILED"])
    trace = failed[0].trace or ""
    assert "Tolerance exceeded in error handler" in trace.splitlines()[0]
    assert f"(topic {clusters.copy()}, partition 0, stage TRANSFORMATION, class {TRANSFORMS}.ExtractField$Value)" in trace
    assert sum(ends(clusters.target, copy)) == 400


def poison(servers: str, topic: str) -> None:
    """One more record, in partition 0, that `CHAIN` cannot take."""
    producer = Producer({"bootstrap.servers": servers})
    producer.produce(topic, value=b"x", headers=[("poison", b"")], partition=0)
    assert producer.flush(20) == 0


def test_the_identity_policy_keeps_the_names(clusters: Clusters) -> None:
    create(clusters.source, clusters.topic(), 2)
    write(clusters.source, clusters.topic(), 10, 2)
    policy = "org.apache.kafka.connect.mirror.IdentityReplicationPolicy"
    clusters.start("source", {"replication.policy.class": policy})
    eventually(lambda: sum(ends(clusters.target, clusters.topic())) == 10)
    assert read(clusters.target, clusters.topic()) == read(clusters.source, clusters.topic())


def test_a_killed_worker_leaves_nothing_out(clusters: Clusters, drover: RunningDrover) -> None:
    """With either trigger."""
    topic = clusters.topic()
    create(clusters.source, topic, 2)
    write(clusters.source, topic, MANY, 2)
    both = [(clusters, {}), (replace(clusters, east="live"), REAL_TIME)]
    names = [mirror.start("source", trigger) for mirror, trigger in both]
    eventually(lambda: all(sum(ends(mirror.target, mirror.copy())) > 0 for mirror, _ in both))
    os.kill(drover.process_pid("worker"), signal.SIGKILL)
    for name, (mirror, _) in zip(names, both, strict=True):
        done = [mirror.at(MANY // 2 - 1, number) for number in range(2)]
        eventually(lambda name=name, done=done: clusters.position(name) == done, "The end")  # type: ignore[misc]
        for copied, original in zip(read(clusters.target, mirror.copy()), read(clusters.source, topic), strict=True):
            times, wanted = [at for *_, at in copied], [at for *_, at in original]
            assert list(dict.fromkeys(times)) == wanted, "at least once, and in order"


@either
def test_pauses_stops_and_restarts_leave_each_record_once(clusters: Clusters, trigger: dict[str, str]) -> None:
    topic, copy, client = clusters.topic(), clusters.copy(), clusters.client
    create(clusters.source, topic, 2)
    with producing(clusters.source, topic) as sent:

        def has_more() -> None:
            before = len(sent)
            eventually(lambda: sum(ends(clusters.target, copy)) > before)

        def tasks_are(state: str) -> bool:
            return {task.state for task in client.status(name).tasks} == {state}

        name = clusters.start("source", trigger)
        eventually(lambda: sum(ends(clusters.target, copy)) > 0)
        has_more()
        client.pause(name)
        eventually(lambda: tasks_are("PAUSED"))
        client.resume(name)
        has_more()
        client.restart(name, only_failed=False)
        has_more()
        clusters.stop(name)
        client.resume(name)
        has_more()
    eventually(lambda: sum(ends(clusters.target, copy)) >= len(sent))
    clusters.stop(name)
    assert read(clusters.target, copy) == read(clusters.source, topic)
    assert clusters.position(name) == [clusters.at(end - 1, number) for number, end in enumerate(ends(clusters.source, topic))]


@either
def test_what_is_asked_at_once_leaves_each_record_once_and_every_task(clusters: Clusters, trigger: dict[str, str]) -> None:
    """A stop that is taken back before anybody has got to it, a restart of what has just begun."""
    topic, copy, client = clusters.topic(), clusters.copy(), clusters.client
    create(clusters.source, topic, 2)
    with producing(clusters.source, topic) as sent:
        name = clusters.start("source", trigger)
        eventually(lambda: sum(ends(clusters.target, copy)) > 0)
        for turn in range(9):
            if turn % 3 == 0:
                client.stop(name)
                client.resume(name)
            elif turn % 3 == 1:
                client.restart(name, only_failed=False)
            else:
                client.pause(name)
                client.resume(name)
            if turn % 2:
                before = len(sent)
                eventually(lambda before=before: sum(ends(clusters.target, copy)) > before)  # type: ignore[misc]
    eventually(lambda: sum(ends(clusters.target, copy)) >= len(sent))
    assert len(client.status(name).tasks) == 2
    clusters.stop(name)
    assert read(clusters.target, copy) == read(clusters.source, topic)


def test_more_partitions_than_there_are_slots(clusters: Clusters) -> None:
    """In real time. Nothing is begun."""
    create(clusters.source, clusters.topic(), 17)
    write(clusters.source, clusters.topic(), 17, 17)
    name = clusters.start("source", {"tasks.max": "1", "trigger": "realtime"})
    eventually(lambda: [task.state for task in clusters.client.status(name).tasks] == ["FAILED"])
    (task,) = clusters.client.status(name).tasks
    told = r"trigger=realtime needs a slot for each partition that is read: 17 here, and \d+ of this worker's 16 are free"
    assert re.search(told, task.trace or "")
    assert sum(ends(clusters.target, clusters.copy())) == 0
    config = {**clusters.config("source"), "tasks.max": "1", "trigger": "interval"}
    clusters.client.put_config(name, config)
    eventually(lambda: sum(ends(clusters.target, clusters.copy())) == 17)


# --- offsets ----------------------------------------------------------------------------------------------------------


@either
def test_offsets_are_altered_and_gone_on_from(clusters: Clusters, trigger: dict[str, str]) -> None:
    topic, copy = clusters.topic(), clusters.copy()
    create(clusters.source, topic, 1)
    write(clusters.source, topic, 10, 1)
    name = clusters.start("source", trigger)
    eventually(lambda: clusters.client.offsets(name) == [clusters.at(9)])
    clusters.stop(name)
    for wrong, message in [
        (PartitionOffset({"cluster": "x", "topic": "t"}, {"offset": 1}), "is missing the 'partition' key, which is required"),
        (clusters.at(-1), "for the 'offset' key, which cannot be negative"),
    ]:
        with pytest.raises(ConnectRefused, match=message):
            clusters.client.alter_offsets(name, [wrong])
    clusters.client.alter_offsets(name, [clusters.at(6)])
    clusters.client.resume(name)
    eventually(lambda: clusters.client.offsets(name) == [clusters.at(9)])
    (original,) = read(clusters.source, topic)
    assert read(clusters.target, copy) == [[*original, *original[7:]]]
    clusters.stop(name)
    clusters.client.reset_offsets(name)
    clusters.client.resume(name)
    eventually(lambda: clusters.client.offsets(name) == [clusters.at(9)])
    assert read(clusters.target, copy) == [[*original, *original[7:], *original]]


def test_a_topic_that_was_made_anew_is_read_from_its_beginning(clusters: Clusters) -> None:
    topic, copy = clusters.topic(), clusters.copy()
    create(clusters.source, topic, 1)
    write(clusters.source, topic, 10, 1)
    name = clusters.start("source")
    eventually(lambda: clusters.client.offsets(name) == [clusters.at(9)])
    clusters.stop(name)
    admin = AdminClient({"bootstrap.servers": clusters.source})
    admin.delete_topics([topic])[topic].result(10)
    eventually(lambda: topic not in admin.list_topics(timeout=10).topics)
    create(clusters.source, topic, 1)
    write(clusters.source, topic, 3, 1)
    clusters.client.resume(name)
    eventually(lambda: clusters.client.offsets(name) == [clusters.at(2)])
    assert ends(clusters.target, copy) == [13]


@either
def test_a_topic_is_made_anew_while_it_is_copied(clusters: Clusters, trigger: dict[str, str]) -> None:
    topic = clusters.topic()
    create(clusters.source, topic, 1)
    write(clusters.source, topic, 10, 1)
    name = clusters.start("source", trigger)
    eventually(lambda: clusters.client.offsets(name) == [clusters.at(9)])
    (before,) = read(clusters.source, topic)
    admin = AdminClient({"bootstrap.servers": clusters.source})
    admin.delete_topics([topic])[topic].result(10)
    eventually(lambda: topic not in admin.list_topics(timeout=10).topics)
    create(clusters.source, topic, 1)
    write(clusters.source, topic, 3, 1, first=100)
    eventually(lambda: clusters.client.offsets(name) == [clusters.at(2)])
    (after,) = read(clusters.source, topic)
    assert read(clusters.target, clusters.copy()) == [before + after]


def test_mirrormaker_says_the_same_of_where_it_stands(
    clusters: Clusters, unique: str, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """So that either goes on where the other was (test_takeover)."""
    create(clusters.source, clusters.topic(), 2)
    write(clusters.source, clusters.topic(), 20, 2)
    name = clusters.start("source")
    expected = [clusters.at(9, 0), clusters.at(9, 1)]
    eventually(lambda: sorted(clusters.client.offsets(name), key=str) == expected)
    group = f"mm-{unique}"
    with connect_worker(clusters.target, tmp_path_factory.mktemp("mm"), group=group) as theirs:
        config = {**clusters.config("source"), "key.converter": BYTES, "value.converter": BYTES}
        theirs.create(name, {**config, "header.converter": BYTES})
        eventually(lambda: sorted(theirs.offsets(name), key=str) == expected)
    raw = [
        m.key()
        for t in ("connect-offsets", f"{group}-offset")
        for m in messages(clusters.target, t)
        if clusters.topic().encode() in (m.key() or b"")
    ]
    assert len(set(raw)) == 2, "both write the same keys"


# --- groups and heartbeats --------------------------------------------------------------------------------------------


@either
def test_a_consumer_moves_to_the_copy_and_goes_on(clusters: Clusters, jvm: Any, trigger: dict[str, str]) -> None:
    topic, copy, group = clusters.topic(), clusters.copy(), f"shop-{clusters.unique}"
    create(clusters.source, topic, 1)
    write(clusters.source, topic, 1000, 1)
    source = clusters.start("source", {"offset.lag.max": "10", **trigger})
    eventually(lambda: clusters.client.offsets(source) == [clusters.at(999)])
    before = consume(clusters.source, group, topic, 700)
    clusters.start("checkpoint")

    client = jvm.org.apache.kafka.connect.mirror.RemoteClusterUtils
    partition = jvm.org.apache.kafka.common.TopicPartition(copy, 0)

    def translated() -> Any:
        properties = java_map(jvm, {"bootstrap.servers": clusters.target})
        wait = jvm.java.time.Duration.ofSeconds(20)
        return client.translateOffsets(properties, clusters.alias, group, wait).get(partition)

    at = eventually(translated)
    assert 0 < at.offset() <= 700

    eventually(lambda: committed(clusters.target, group, copy) == at.offset())
    after = consume(clusters.target, group, copy, None)
    (original,) = read(clusters.source, topic)
    assert after == original[at.offset() :], "none is missing"
    assert before == original[:700]

    # One that has read everything reads nothing again.
    consume(clusters.source, group, topic, None)
    eventually(lambda: translated().offset() == 1000)


def test_mirrormakers_client_finds_its_way_by_the_heartbeats(clusters: Clusters, jvm: Any) -> None:
    """The source's heartbeats tell that it is upstream of the target."""
    here = f"east{clusters.unique}"
    config = {**clusters.config("heartbeat"), "producer.override.bootstrap.servers": clusters.source}
    config |= {
        "source.cluster.alias": "nowhere",
        "target.cluster.alias": here,
        "target.cluster.bootstrap.servers": clusters.source,
    }
    clusters.client.create(config["name"], config)
    clusters.start("source")
    properties = java_map(jvm, {"bootstrap.servers": clusters.target})
    client = jvm.org.apache.kafka.connect.mirror.RemoteClusterUtils
    eventually(lambda: here in client.upstreamClusters(properties))
    assert client.replicationHops(properties, here) == 1
    read_by: Callable[[Any], Any] = jvm.org.apache.kafka.connect.mirror.Heartbeat.deserializeRecord
    # The topic is there before its first record.
    heartbeats = eventually(lambda: list(messages(clusters.target, f"{here}.heartbeats")))
    found = [
        read_by(jvm.org.apache.kafka.clients.consumer.ConsumerRecord("t", 0, 0, message.key(), message.value()))
        for message in heartbeats
    ]
    assert {(one.sourceClusterAlias(), one.targetClusterAlias()) for one in found} == {("nowhere", here)}
    assert [one.timestamp() for one in found] == [message.timestamp()[1] for message in heartbeats]


def test_checkpoints_and_heartbeats_through_a_kill_and_with_offsets_by_hand(
    clusters: Clusters, drover: RunningDrover, jvm: Any
) -> None:
    """Their offsets say nothing, as in MirrorMaker; they may be reset, and only to nothing or 0."""
    topic, copy, group = clusters.topic(), clusters.copy(), f"shop-{clusters.unique}"
    create(clusters.source, topic, 1)
    write(clusters.source, topic, 1000, 1)
    source = clusters.start("source", {"offset.lag.max": "10"})
    # Heartbeats that the source has are copied as well.
    eventually(lambda: clusters.at(999) in clusters.client.offsets(source))
    consume(clusters.source, group, topic, 300)
    checkpoints, heartbeats = clusters.start("checkpoint"), clusters.start("heartbeat")
    client = jvm.org.apache.kafka.connect.mirror.RemoteClusterUtils
    partition = jvm.org.apache.kafka.common.TopicPartition(copy, 0)

    def translated() -> int:
        properties = java_map(jvm, {"bootstrap.servers": clusters.target})
        found = client.translateOffsets(properties, clusters.alias, group, jvm.java.time.Duration.ofSeconds(20)).get(partition)
        return 0 if found is None else int(found.offset())

    def beats() -> list[int]:
        """When, in milliseconds since 1970, of this test's own."""
        alias = clusters.alias.encode()
        return [message.timestamp()[1] for message in messages(clusters.target, "heartbeats") if alias in (message.key() or b"")]

    eventually(lambda: 0 < translated() <= 300)
    eventually(beats)
    os.kill(drover.process_pid("worker"), signal.SIGKILL)
    killed = time.time() * 1000
    consume(clusters.source, group, topic, 400)
    eventually(lambda: 300 < translated() <= 700, "A checkpoint from after the kill")
    eventually(lambda: beats()[-1] > killed, "A heartbeat from after the kill")

    for name, keys in (
        (checkpoints, {"group", "topic", "partition"}),
        (heartbeats, {"sourceClusterAlias", "targetClusterAlias"}),
    ):
        known = clusters.client.offsets(name)
        assert known
        assert all(item.offset == {"offset": 0} and set(item.partition or {}) == keys for item in known)
        clusters.stop(name)
        for wrong in (PartitionOffset(known[0].partition, {"offset": 5}), PartitionOffset({"nobody": "knows"}, {"offset": 0})):
            with pytest.raises(ConnectRefused):
                clusters.client.alter_offsets(name, [wrong])
        clusters.client.alter_offsets(name, [PartitionOffset(item.partition, None) for item in known])
        assert clusters.client.offsets(name) == []
    consume(clusters.source, group, topic, None)
    resumed = time.time() * 1000
    for name in (checkpoints, heartbeats):
        clusters.client.resume(name)
    eventually(lambda: translated() == 1000)
    eventually(lambda: beats()[-1] > resumed)


# --- what is refused --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("page", "wrong", "key"),
    [
        ("source", {"source.cluster.bootstrap.servers": ""}, "source.cluster.bootstrap.servers"),
        ("source", {"topics": "(", "offset.lag.max": "7"}, "topics"),
        ("source", {"trigger": "realtime", "errors.tolerance": "all"}, "trigger"),
        ("checkpoint", {"groups": "*"}, "groups"),
        ("heartbeat", {"emit.heartbeats.interval.seconds": "often"}, "emit.heartbeats.interval.seconds"),
    ],
)
def test_what_is_wrong_is_said_of_its_key(clusters: Clusters, page: str, wrong: dict[str, str], key: str) -> None:
    config = {**clusters.config(page), **wrong}
    plugin = config["connector.class"]
    answer = httpx.put(f"{clusters.client.url}/connector-plugins/{plugin}/config/validate", json=config, timeout=30)
    errors = {one["value"]["name"]: one["value"]["errors"] for one in answer.json()["configs"] if one["value"]["errors"]}
    assert list(errors) == [key]
    with pytest.raises(ConnectRefused):
        clusters.client.create(config["name"], config)
