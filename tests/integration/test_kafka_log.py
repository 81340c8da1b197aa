"""The log on a real broker: what was written is read back, a second writer shuts out the first, wrong topics are refused."""

import threading
import uuid
from collections.abc import Iterator

import pytest
from confluent_kafka.admin import NewTopic

from tests.topics import records
from workers.storage.kafka import Kafka, TopicRefused, TopicSpec, ensure_topic
from workers.storage.kafka_log import KafkaLog
from workers.storage.kafka_writer import KafkaWriter
from workers.storage.log import Fenced, LogError, LogRecord, Part
from workers.storage.records import KeyValue


@pytest.fixture
def cluster(kafka: str) -> Kafka:
    return Kafka(kafka, client_id="test-log")


@pytest.fixture
def topic(cluster: Kafka) -> str:
    spec = TopicSpec(f"log-{uuid.uuid4().hex[:8]}", 3, "status.storage.topic", "statuses")
    ensure_topic(cluster.admin, spec)
    return spec.name


@pytest.fixture
def opened(cluster: Kafka) -> Iterator[list[KafkaLog]]:
    logs: list[KafkaLog] = []
    yield logs
    for log in logs:
        log.stop()


def reader(cluster: Kafka, topic: str, opened: list[KafkaLog], partition: int | None = None) -> tuple[KafkaLog, list[LogRecord]]:
    log, seen = KafkaLog(cluster, topic, partition=partition), list[LogRecord]()
    opened.append(log)
    log.start(seen.append)
    return log, seen


def claimed(cluster: Kafka, topic: str) -> KafkaWriter:
    """The right to write, taken from whoever holds it for that topic's tests."""
    writer = KafkaWriter(cluster, f"tx-{topic}")
    writer.claim()
    return writer


def pairs(seen: list[LogRecord]) -> set[tuple[bytes, bytes | None]]:
    return {(record.key, record.value) for record in seen}


def test_start_returns_when_all_that_is_there_has_been_handed_over(cluster: Kafka, topic: str, opened: list[KafkaLog]) -> None:
    writer, _ = reader(cluster, topic, opened)
    many = [KeyValue(f"key-{number}".encode(), b"v") for number in range(500)]
    writer.write(many)
    _, seen = reader(cluster, topic, opened)
    assert pairs(seen) == {(record.key, record.value) for record in many}


def test_what_is_written_has_been_read_on_return(cluster: Kafka, topic: str, opened: list[KafkaLog]) -> None:
    log, seen = reader(cluster, topic, opened)
    log.write([KeyValue(b"a", b"1"), KeyValue(b"a", None)])
    assert [(record.key, record.value) for record in seen] == [(b"a", b"1"), (b"a", None)]


@pytest.mark.parametrize("transactional", [False, True])
def test_positions_of_a_write_let_another_reader_wait_for_it(
    cluster: Kafka, topic: str, opened: list[KafkaLog], transactional: bool
) -> None:
    log, _ = reader(cluster, topic, opened)
    other, seen = reader(cluster, topic, opened)
    one = [KeyValue(b"a", b"1")]
    positions = claimed(cluster, topic).write([Part(log, one)])[0] if transactional else log.write(one)
    assert other.wait_for(positions, 10)
    assert pairs(seen) == {(b"a", b"1")}


def test_reading_to_the_end_is_not_stopped_by_transaction_markers(cluster: Kafka, topic: str, opened: list[KafkaLog]) -> None:
    log, _ = reader(cluster, topic, opened)
    writer = claimed(cluster, topic)
    for number in range(3):
        writer.write([Part(log, [KeyValue(b"a", str(number).encode())])])
    late, seen = reader(cluster, topic, opened)
    late.read_to_end()
    assert [record.value for record in seen] == [b"0", b"1", b"2"]


def test_the_newer_claimant_fences_the_older(cluster: Kafka, topic: str, opened: list[KafkaLog]) -> None:
    log, seen = reader(cluster, topic, opened)
    older = claimed(cluster, topic)
    older.write([Part(log, [KeyValue(b"a", b"older")])])
    newer = claimed(cluster, topic)
    for _ in range(2):
        with pytest.raises(Fenced):
            older.write([Part(log, [KeyValue(b"a", b"older again")])])
    newer.write([Part(log, [KeyValue(b"a", b"newer")])])
    assert [record.value for record in seen] == [b"older", b"newer"]


def test_whoever_has_not_claimed_or_has_released_the_right_fences_nobody(
    cluster: Kafka, topic: str, opened: list[KafkaLog]
) -> None:
    log, seen = reader(cluster, topic, opened)
    idle, holder = KafkaWriter(cluster, f"tx-{topic}"), claimed(cluster, topic)
    with pytest.raises(Fenced):
        idle.write([Part(log, [KeyValue(b"a", b"never claimed")])])
    holder.write([Part(log, [KeyValue(b"a", b"1")])])
    holder.release()
    with pytest.raises(Fenced):
        holder.write([Part(log, [KeyValue(b"a", b"released")])])
    assert [record.value for record in seen] == [b"1"]


def test_a_write_to_two_topics_is_one_transaction(cluster: Kafka, topic: str, opened: list[KafkaLog]) -> None:
    other_topic = f"{topic}-other"
    ensure_topic(cluster.admin, TopicSpec(other_topic, 1, "config.storage.topic", "connector configurations"))
    one, seen = reader(cluster, topic, opened)
    other, seen_there = reader(cluster, other_topic, opened)
    writer = claimed(cluster, topic)
    with pytest.raises(LogError):
        writer.write([Part(one, [KeyValue(b"a", b"small")]), Part(other, [KeyValue(b"b", b"x" * (2 << 20))])])
    reached, reached_there = writer.write([Part(one, [KeyValue(b"a", b"1")]), Part(other, [KeyValue(b"b", b"2")])])
    assert (pairs(seen), pairs(seen_there)) == ({(b"a", b"1")}, {(b"b", b"2")})
    assert (one.wait_for(reached, 0), other.wait_for(reached_there, 0)) == (True, True)


def test_headers_come_back_as_they_were_written(cluster: Kafka, topic: str, opened: list[KafkaLog]) -> None:
    log, seen = reader(cluster, topic, opened)
    log.write([KeyValue(b"a", b"1", (("drover-request", b"r1"), ("drover-acted-on", b"7"))), KeyValue(b"a", b"2")])
    claimed(cluster, topic).write([Part(log, [KeyValue(b"a", b"3", (("drover-promised", b"[null,0]"),))])])
    assert [dict(record.headers) for record in seen] == [
        {"drover-request": b"r1", "drover-acted-on": b"7"},
        {},
        {"drover-promised": b"[null,0]"},
    ]


def test_a_log_of_one_partition_writes_and_reads_there_alone(cluster: Kafka, topic: str, opened: list[KafkaLog]) -> None:
    log, seen = reader(cluster, topic, opened, partition=1)
    whole, all_seen = reader(cluster, topic, opened)
    many = [KeyValue(f"key-{number}".encode(), b"v") for number in range(20)]
    whole.write(many)
    log.write(many)
    claimed(cluster, topic).write([Part(log, [KeyValue(b"last", b"v")])])
    log.read_to_end()
    whole.read_to_end()
    elsewhere = [record for record in all_seen if record.partition != 1]
    assert {record.partition for record in seen} == {1}
    assert len(all_seen) == 41
    assert len(seen) == 41 - len(elsewhere)
    assert len(elsewhere) > 0


def test_a_transaction_is_all_or_nothing_for_its_readers(cluster: Kafka, kafka: str, topic: str, opened: list[KafkaLog]) -> None:
    log, _ = reader(cluster, topic, opened)
    writer = claimed(cluster, topic)
    with pytest.raises(LogError):
        writer.write([Part(log, [KeyValue(b"a", b"small"), KeyValue(b"b", b"x" * (2 << 20))])])
    writer.write([Part(log, [KeyValue(b"c", b"after")])])
    assert records(kafka, topic) == [(b"c", b"after")]


def test_submitted_records_are_durable_after_a_flush(cluster: Kafka, kafka: str, topic: str, opened: list[KafkaLog]) -> None:
    log, seen = reader(cluster, topic, opened)
    for number in range(100):
        log.submit([KeyValue(b"same key", str(number).encode())])
    assert log.wait_for(log.flush(), 10)
    assert [value for _, value in records(kafka, topic)] == [str(number).encode() for number in range(100)]
    assert len(seen) == 100


def test_keys_go_to_the_partition_that_java_clients_choose(
    cluster: Kafka, kafka: str, topic: str, opened: list[KafkaLog]
) -> None:
    """murmur2 of the key, positive, modulo 3: computed with Kafka's own Utils.murmur2."""
    log, seen = reader(cluster, topic, opened)
    log.write([KeyValue(b"status-connector-a", b"1"), KeyValue(b"status-task-a-0", b"1"), KeyValue(b"connector-x", b"1")])
    assert {record.key: record.partition for record in seen} == {
        key: java_partition(key, 3) for key in (b"status-connector-a", b"status-task-a-0", b"connector-x")
    }


def java_partition(key: bytes, partitions: int) -> int:
    """Kafka's default partitioner, written out from its definition."""
    seed, m, r, mask = 0x9747B28C, 0x5BD1E995, 24, 0xFFFFFFFF
    h = (seed ^ len(key)) & mask
    whole = len(key) // 4 * 4
    for index in range(0, whole, 4):
        k = int.from_bytes(key[index : index + 4], "little") * m & mask
        k = (k ^ (k >> r)) * m & mask
        h = (h * m & mask) ^ k
    rest = key[whole:]
    if rest:
        h = (h ^ int.from_bytes(rest, "little")) * m & mask
    h = (h ^ (h >> 13)) * m & mask
    return ((h ^ (h >> 15)) & 0x7FFFFFFF) % partitions


def test_a_missing_topic_is_an_error_by_name(cluster: Kafka) -> None:
    with pytest.raises(LogError, match="no-such-topic"):
        KafkaLog(cluster, "no-such-topic").start(lambda record: None)


def test_a_reader_that_raises_does_not_stop_the_log(cluster: Kafka, topic: str, opened: list[KafkaLog]) -> None:
    seen: list[bytes] = []

    def picky(record: LogRecord) -> None:
        if record.key == b"bad":
            raise ValueError("not this one")
        seen.append(record.key)

    log = KafkaLog(cluster, topic)
    opened.append(log)
    log.start(picky)
    log.write([KeyValue(b"bad", b"1")])
    log.write([KeyValue(b"good", b"1")])
    assert seen == [b"good"]


def test_writers_on_many_threads_all_get_through(cluster: Kafka, kafka: str, topic: str, opened: list[KafkaLog]) -> None:
    log, _ = reader(cluster, topic, opened)
    writer = claimed(cluster, topic)

    def write(n: int) -> None:
        writer.write([Part(log, [KeyValue(f"k{n}".encode(), b"1"), KeyValue(f"l{n}".encode(), b"1")])])

    threads = [threading.Thread(target=write, args=(n,)) for n in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert {key for key, _ in records(kafka, topic)} == {f"{letter}{n}".encode() for n in range(8) for letter in "kl"}


@pytest.mark.parametrize(
    ("partitions", "policy", "spec_partitions", "words"),
    [
        (2, "compact", 1, "'config.storage.topic' property is required to have a single partition .* but found 2 partitions"),
        (1, "delete", 1, "is required to have 'cleanup.policy=compact'.*found the topic currently has 'cleanup.policy=delete'"),
        (1, "compact,delete", 1, "currently has 'cleanup.policy=compact,delete'"),
    ],
)
def test_a_topic_that_would_lose_records_is_refused_by_name(
    cluster: Kafka, partitions: int, policy: str, spec_partitions: int, words: str
) -> None:
    name = f"refused-{uuid.uuid4().hex[:8]}"
    cluster.admin.create_topics([NewTopic(name, partitions, 1, config={"cleanup.policy": policy})])[name].result(10)
    spec = TopicSpec(name, spec_partitions, "config.storage.topic", "connector configurations", single_partition=True)
    with pytest.raises(TopicRefused, match=f"Topic '{name}'.*{words}"):
        ensure_topic(cluster.admin, spec)


def test_a_fitting_topic_is_taken_as_it_is(cluster: Kafka, topic: str) -> None:
    ensure_topic(cluster.admin, TopicSpec(topic, 3, "status.storage.topic", "statuses"))
