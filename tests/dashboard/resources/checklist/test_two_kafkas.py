"""KafkaMirrorMaker2s between two Kafkas, `east` and `west`."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from confluent_kafka.admin import AdminClient, ScramCredentialInfo, ScramMechanism, UserScramCredentialUpsertion

from connect_client import ConnectClient
from dashboard.models import Cluster, Resource
from dashboard.resources import documents
from tests.certificates import authority, certified
from tests.dashboard.resources.checklist.conftest import clear, passes
from tests.dashboard.resources.conftest import annotate, put, ready
from tests.mirrored import add_partitions, committed, consume, create, ends, partitions_of, read, topics, write
from tests.running import scram_broker
from tests.waiting import eventually

# Three brokers and two clusters are started, and each step waits for both sides.

POLICY = "org.apache.kafka.connect.mirror.{}ReplicationPolicy"
SOURCE: dict[str, Any] = {
    "replication.factor": 1,
    "offset-syncs.topic.replication.factor": 1,
    "refresh.topics.interval.seconds": 1,
    "sync.topic.acls.enabled": False,
    "offset.lag.max": 0,
}
CHECKPOINTS: dict[str, Any] = {
    "checkpoints.topic.replication.factor": 1,
    "emit.checkpoints.interval.seconds": 1,
    "refresh.groups.interval.seconds": 1,
    "sync.group.offsets.enabled": True,
    "sync.group.offsets.interval.seconds": 1,
}
MAPS: dict[str, Any] = {"listOffsets": {"toConfigMap": {"name": "at"}}, "alterOffsets": {"fromConfigMap": {"name": "at"}}}


@dataclass
class Kafkas:
    """Their addresses, by aliases that no other test has. The Connect cluster writes to `west`."""

    east: str
    west: str
    unique: str

    def alias(self, side: str) -> str:
        return f"{side}{self.unique}"

    def servers(self, side: str) -> str:
        return {"east": self.east, "west": self.west}[side]

    def connector(self, kind: str, source: str = "east", target: str = "west") -> str:
        return f"{self.alias(source)}->{self.alias(target)}.Mirror{kind}Connector"

    def topic(self, side: str = "east") -> str:
        """That is mirrored from there."""
        return f"of-{side}-{self.unique}"

    def copy(self, side: str = "east") -> str:
        return f"{self.alias(side)}.{self.topic(side)}"

    def mirror(self, source: str = "east", target: str = "west", more: Mapping[str, Any] = {}, **of_source: Any) -> Resource:
        """Once it is ready. `more`: of the configs of both connectors."""
        # What a worker writes goes to its own Kafka.
        there = {} if target == "west" else {"producer.override.bootstrap.servers": self.servers(target)}
        config = {**there, **more}
        mirror = {
            "source": {"alias": self.alias(source), "bootstrapServers": self.servers(source)},
            "topicsPattern": f".*of-.*-{self.unique}",
            "groupsPattern": f".*-{self.unique}",
            "sourceConnector": {"tasksMax": 2, "config": {**SOURCE, **config}, **of_source},
            "checkpointConnector": {"tasksMax": 1, "config": {**CHECKPOINTS, **config}},
        }
        spec = {"target": {"alias": self.alias(target), "bootstrapServers": self.servers(target)}, "mirrors": [mirror]}
        mm2 = put(f"to-{target}", "kafkamirrormaker2", cluster="real", spec=spec)
        is_ready(mm2)
        return mm2


@pytest.fixture
def kafkas(cluster: Cluster, connect: ConnectClient, kafka: str, other_kafka: str, unique: str) -> Iterator[Kafkas]:
    kafkas = Kafkas(other_kafka, kafka, unique)
    yield kafkas
    for alias in ("east", "west"):
        clear(connect, kafkas.alias(alias))


def states(connect: ConnectClient, name: str) -> tuple[str, list[str]]:
    found = connect.status(name)
    return found.connector.state, [task.state for task in found.tasks]


def is_ready(mm2: Resource) -> None:
    def so() -> bool:
        passes()
        mm2.refresh_from_db()
        return ready(mm2.status) == ["Ready"]

    eventually(so, "it is ready")


def is_copied(servers: str, topic: str, count: int) -> None:
    eventually(lambda: sum(ends(servers, topic)) == count, f"{count} records are copied")


@pytest.mark.parametrize("policy", ["Default", "Identity"])
def test_names_of_copies_and_new_partitions(policy: str, kafkas: Kafkas) -> None:
    """Each record with its partition, key, value, headers and time."""
    topic = kafkas.topic()
    copy = topic if policy == "Identity" else kafkas.copy()
    create(kafkas.east, topic, 1)
    mm2 = kafkas.mirror(more={"replication.policy.class": POLICY.format(policy)})
    write(kafkas.east, topic, 20, 1)
    is_copied(kafkas.west, copy, 20)
    add_partitions(kafkas.east, topic, 3)
    eventually(lambda: partitions_of(kafkas.west, copy) == 3, "the copy has as many partitions")
    write(kafkas.east, topic, 30, 3, first=20)
    is_copied(kafkas.west, copy, 50)
    assert read(kafkas.west, copy) == read(kafkas.east, topic)
    assert {one for one in topics(kafkas.west) if topic in one} == {copy}
    is_ready(mm2)


def test_consumers_change_over_either_way(kafkas: Kafkas) -> None:
    """Two documents, one for each way. Who has read everything reads nothing twice in the other Kafka; who has not misses
    nothing. What was copied does not come back."""
    ways = [("east", "west"), ("west", "east")]
    for source, target in ways:
        create(kafkas.servers(source), kafkas.topic(source), 1)
        kafkas.mirror(source, target)
    for source, target in ways:
        here, there, topic, copy = kafkas.servers(source), kafkas.servers(target), kafkas.topic(source), kafkas.copy(source)
        done, midway = f"done-{source}-{kafkas.unique}", f"midway-{source}-{kafkas.unique}"
        write(here, topic, 100, 1)
        is_copied(there, copy, 100)
        (originals,) = read(here, topic)
        assert consume(here, midway, topic, 60) == originals[:60]
        assert consume(here, done, topic, None) == originals
        for group, stands in ((done, range(100, 101)), (midway, range(1, 61))):
            eventually(lambda: committed(there, group, copy) in stands, f"{group} is known there")  # noqa: B023

        write(here, topic, 20, 1, first=100)
        is_copied(there, copy, 120)
        (originals,) = read(here, topic)
        assert consume(there, done, copy, None) == originals[100:]
        goes_on = consume(there, midway, copy, None)
        assert 60 <= len(goes_on) < 120
        assert goes_on == originals[-len(goes_on) :]
        assert consume(there, done, copy, None) == []
    for side, other in ways:
        found = {one for one in topics(kafkas.servers(side)) if f"-{kafkas.unique}" in one}
        assert found == {kafkas.topic(side), kafkas.copy(other)}


def test_nothing_is_copied_while_it_is_paused_and_offsets_are_altered(kafkas: Kafkas, connect: ConnectClient) -> None:
    topic, copy, name = kafkas.topic(), kafkas.copy(), kafkas.connector("Source")
    create(kafkas.east, topic, 1)
    mm2 = kafkas.mirror(**MAPS)
    write(kafkas.east, topic, 10, 1)
    is_copied(kafkas.west, copy, 10)
    for state, tasks, count in (("paused", ["PAUSED"], 15), ("stopped", [], 20)):
        kafkas.mirror(state=state, **MAPS)
        eventually(lambda: states(connect, name) == (state.upper(), tasks), what=state)  # noqa: B023
        assert states(connect, kafkas.connector("Checkpoint"))[0] == "RUNNING"
        write(kafkas.east, topic, 5, 1, first=count - 5)
        passes()
        assert sum(ends(kafkas.west, copy)) == count - 5
        kafkas.mirror(**MAPS)
        is_copied(kafkas.west, copy, count)
    assert read(kafkas.west, copy) == read(kafkas.east, topic)

    def at() -> dict[str, Any]:
        found: dict[str, Any] = json.loads(documents.body_of(Resource.objects.get(kind="configmap"))[key])
        return found

    eventually(lambda: [one.offset for one in connect.offsets(name)] == [{"offset": 19}], "its offset is written")
    kafkas.mirror(state="stopped", **MAPS)
    key = name.replace("->", "--") + ".json"
    annotate(mm2, connector_offsets="list", mirrormaker_connector=name)
    is_ready(mm2)
    told = at()
    where = {"cluster": kafkas.alias("east"), "partition": 0, "topic": topic}
    assert told == {"offsets": [{"partition": where, "offset": {"offset": 19}}]}
    told["offsets"][0]["offset"]["offset"] = 16
    put("at", "configmap", cluster="real", data={key: json.dumps(told)})
    annotate(mm2, connector_offsets="alter", mirrormaker_connector=name)
    is_ready(mm2)
    assert not mm2.annotations.exists()
    assert [one.offset for one in connect.offsets(name)] == [{"offset": 16}]
    kafkas.mirror(**MAPS)
    is_copied(kafkas.west, copy, 23)
    (originals,), (copies,) = read(kafkas.east, topic), read(kafkas.west, copy)
    assert copies == [*originals, *originals[17:]]


@dataclass(frozen=True)
class Guarded:
    """Bootstrap servers of a Kafka. `trusted`: PEM, who vouches for what users are shown."""

    for_all: str
    for_users: str
    trusted: Path


@pytest.fixture(scope="module")
def guarded(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Guarded]:
    folder, ours = tmp_path_factory.mktemp("guarded"), authority()
    trusted, certificate = folder / "trusted.pem", folder / "broker.pem"
    trusted.write_text(ours.certificate_pem())
    certificate.write_text(certified(ours).pem())
    with scram_broker(folder, certificate) as servers:
        yield Guarded(*servers, trusted)


@pytest.mark.parametrize(
    ("user", "first", "then"),
    [("a.user.with.dots-" + "x" * 47, "the-old-one", "the-new-one"), ("a user, with=signs", "größe {0}", 'p@ss "word"\\%2F;')],
    ids=["plain", "special"],
)
def test_a_password_of_a_kafka_that_has_changed(
    user: str, first: str, then: str, cluster: Cluster, connect: ConnectClient, guarded: Guarded, kafka: str, unique: str
) -> None:
    """While it is copied from there, by TLS."""
    alias, topic = f"guarded{unique}", f"of-guarded-{unique}"
    admin = AdminClient({"bootstrap.servers": guarded.for_all})

    def wants(password: str) -> None:
        how = ScramCredentialInfo(ScramMechanism.SCRAM_SHA_512, 4096)
        admin.alter_user_scram_credentials([UserScramCredentialUpsertion(user, how, password.encode())])[user].result(20)

    def is_told(password: str) -> None:
        said = {"username": user, "password": password}
        quoted = " ".join(f"{key}={json.dumps(value, ensure_ascii=False)}" for key, value in said.items())
        config = {
            "security.protocol": "SASL_SSL",
            "ssl.truststore.type": "PEM",
            "ssl.truststore.location": str(guarded.trusted),
            "sasl.mechanism": "SCRAM-SHA-512",
            "sasl.jaas.config": f"org.apache.kafka.common.security.scram.ScramLoginModule required {quoted};",
        }
        source = {"alias": alias, "bootstrapServers": guarded.for_users, "config": config}
        mirror = {"source": source, "topicsPattern": topic, "sourceConnector": {"tasksMax": 1, "config": SOURCE}}
        spec = {"target": {"alias": "b", "bootstrapServers": kafka}, "mirrors": [mirror]}
        is_ready(put("mm2", "kafkamirrormaker2", cluster="real", spec=spec))

    try:
        create(guarded.for_all, topic, 1)
        for number, password in enumerate((first, then)):
            wants(password)
            is_told(password)
            write(guarded.for_all, topic, 10, 1, first=10 * number)
            is_copied(kafka, f"{alias}.{topic}", 10 * (number + 1))
        assert read(kafka, f"{alias}.{topic}") == read(guarded.for_all, topic)
    finally:
        clear(connect, alias)
