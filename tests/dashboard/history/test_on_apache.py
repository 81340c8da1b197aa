"""What is written down of a real Apache Kafka Connect, and what its Kafka says of the lag of a sink."""

import itertools
import uuid
from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

import pytest
from confluent_kafka import Consumer, Producer, TopicPartition
from confluent_kafka.admin import AdminClient, NewTopic
from django.test import Client

from connect_client import ConnectClient
from dashboard.follow.follower import Follower
from dashboard.live.publisher import Publisher
from dashboard.models import Cluster, StateChange
from dashboard.sampling import lags
from dashboard.sampling.lags import GroupLags
from dashboard.sampling.sampler import Sampler
from tests.waiting import eventually

NO_REDIS = "redis://127.0.0.1:1/0"
BEFORE, AFTER = 30, 12


@pytest.fixture
def name(connect_cluster: ConnectClient) -> Iterator[str]:
    name = f"past-{uuid.uuid4().hex[:6]}"
    yield name
    connect_cluster.delete(name)


@pytest.fixture
def cluster(db: None, connect_cluster: ConnectClient, kafka: str) -> Cluster:
    return Cluster.objects.create(name="apache", urls=[connect_cluster.url], bootstrap_servers=kafka)


def sink(name: str, file: Path) -> dict[str, str]:
    return {"connector.class": "FileStreamSink", "tasks.max": "1", "topics": name, "file": str(file)}


def test_a_failure_and_its_restart_are_the_rows_that_were_seen(
    room: Client, cluster: Cluster, connect_cluster: ConnectClient, name: str, tmp_path: Path
) -> None:
    follower = Follower(cluster, connect_cluster, Publisher(NO_REDIS))
    follower.step()

    def states() -> list[str]:
        follower.step()
        rows = StateChange.objects.filter(connector=name, task=0).order_by("pk")
        assert all(one.state == other.was for one, other in itertools.pairwise(rows))
        return [row.state for row in rows]

    file = tmp_path / "missing" / "out.txt"
    connect_cluster.put_config(name, sink(name, file))
    eventually(lambda: states()[-1:] == ["FAILED"])
    before = states()
    failure = StateChange.objects.get(connector=name, task=0, state="FAILED")
    assert failure.cause == f"java.nio.file.NoSuchFileException: {file}"
    assert failure.trace.startswith("org.apache.kafka.connect.errors.ConnectException")

    file.parent.mkdir()
    connect_cluster.restart(name, only_failed=True)
    eventually(lambda: states()[-1] == "RUNNING")
    seen = states()
    assert seen[: len(before)] == before
    between = seen[len(before) : -1]
    # As seen: a restart may be over between two looks.
    assert set(between) <= {"RESTARTING", "UNASSIGNED"}
    assert len(between) == len(set(between))

    page = room.get(f"/ui/clusters/apache/connectors/{name}?window=1h").content.decode()
    assert "Failed once in 1 h" in page
    assert "runs again" in page
    (group,) = [
        group
        for group in room.get("/api/v1/failures?window=24h").json()["failures"]
        if any(hit["connector"] == name for hit in group["connectors"])
    ]
    assert group["class"] == "NoSuchFileException"


def test_the_lag_of_a_sink_is_what_kafka_says(
    room: Client, cluster: Cluster, connect_cluster: ConnectClient, kafka: str, name: str, tmp_path: Path
) -> None:
    admin = AdminClient({"bootstrap.servers": kafka})
    admin.create_topics([NewTopic(name, num_partitions=3, replication_factor=1)])[name].result(30)
    produce(kafka, name, BEFORE)
    file = tmp_path / "out.txt"
    connect_cluster.put_config(name, {**sink(name, file), "consumer.override.auto.offset.reset": "earliest"})
    eventually(lambda: file.exists() and len(file.read_text().splitlines()) == BEFORE)
    # A sink commits when it stops, if not before.
    connect_cluster.pause(name)
    eventually(lambda: kafka_says(kafka, name) == 0)
    produce(kafka, name, AFTER)

    told = GroupLags(kafka).of({name: f"connect-{name}", "nobody": "connect-nobody"})
    assert (told.lags, told.error) == ({name: AFTER}, "")
    assert kafka_says(kafka, name) == AFTER

    Follower(cluster, connect_cluster, Publisher(NO_REDIS)).step()
    with closing(Sampler()) as sampler:
        sampler.step(datetime.now(UTC))
    page = room.get(f"/ui/clusters/apache/connectors/{name}").content.decode()
    assert f"{AFTER}, at most {AFTER} records" in page
    assert "No throughput: Kafka Connect tells it by JMX only" in page
    (point,) = room.get(f"/api/v1/connectors/apache/{name}/metrics?window=1h").json()["points"]
    assert point[1:] == [None, None, AFTER]


def test_a_kafka_that_is_not_there_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lags, "_TIMEOUT", 1.0)
    told = GroupLags("127.0.0.1:1").of({"orders": "connect-orders"})
    assert told.lags == {}
    assert told.error


def produce(kafka: str, topic: str, records: int) -> None:
    producer = Producer({"bootstrap.servers": kafka})
    for number in range(records):
        producer.produce(topic, f"line {number}".encode(), partition=number % 3)
    assert producer.flush(30) == 0


def kafka_says(kafka: str, name: str) -> int:
    """By another road than the one under test: a consumer of the group."""
    consumer = Consumer({"bootstrap.servers": kafka, "group.id": f"connect-{name}", "enable.auto.commit": False})
    try:
        committed = consumer.committed([TopicPartition(name, partition) for partition in range(3)], timeout=10)
        ends = [consumer.get_watermark_offsets(one, timeout=10)[1] for one in committed]
        return sum(end - one.offset if one.offset >= 0 else end for end, one in zip(ends, committed, strict=True))
    finally:
        consumer.close()
