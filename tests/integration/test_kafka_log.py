"""The log on a real broker: what was written is read back, a second writer shuts out the first, wrong topics are refused."""

import threading
import time
import uuid
import weakref
from collections.abc import Iterator

import pytest
from confluent_kafka import KafkaError, KafkaException, TopicPartition
from confluent_kafka.admin import AlterConfigOpType, ConfigEntry, ConfigResource, NewTopic, ResourceType

from tests.topics import records
from tests.waiting import eventually, patiently
from workers.storage import kafka_log, topic_watch
from workers.storage.internal_topics import TopicRefused, TopicSpec, ensure_topic, ensure_topics
from workers.storage.kafka import Kafka, answered
from workers.storage.kafka_log import KafkaLog
from workers.storage.kafka_writer import KafkaWriter
from workers.storage.log import Fenced, LogError, LogRecord, Part, TopicLost
from workers.storage.records import KeyValue


@pytest.fixture
def cluster(kafka: str) -> Kafka:
    return Kafka(kafka, client_id="test-log")


@pytest.fixture
def topic(cluster: Kafka) -> str:
    spec = TopicSpec(f"log-{uuid.uuid4().hex[:8]}", 3, "status.storage.topic", "statuses")
    ensure_topic(cluster, spec)
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
    ensure_topic(cluster, TopicSpec(other_topic, 1, "config.storage.topic", "connector configurations"))
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


def test_a_client_that_failed_is_given_up_at_once(cluster: Kafka) -> None:
    """Left to Python's collector it may end on a thread of librdkafka's, and with it the process."""
    failed = weakref.ref(cluster.admin)
    with pytest.raises(KafkaException) as caught:
        cluster.end_offsets("no-such-topic", [0])
    assert caught.value.args[0].code() == KafkaError._NOENT
    assert failed() is None


def delete(cluster: Kafka, topic: str) -> None:
    answered(cluster.admin.delete_topics([topic])[topic])
    eventually(lambda: topic not in cluster.admin.list_topics(timeout=10).topics)


def test_a_topic_that_is_deleted_is_not_made_anew_and_every_write_to_it_names_it(
    cluster: Kafka, topic: str, opened: list[KafkaLog]
) -> None:
    """The broker makes topics for whoever asks for them, and these clients do not ask."""
    log, _ = reader(cluster, topic, opened)
    writer = claimed(cluster, topic)
    delete(cluster, topic)
    one = [KeyValue(b"a", b"1")]
    began = time.monotonic()
    # At once, before anybody has noticed.
    with pytest.raises(TopicLost, match=topic):
        writer.write([Part(log, one)])
    assert time.monotonic() - began < 10
    for write in (lambda: writer.write([Part(log, one)]), lambda: log.write(one), log.read_to_end, log.flush, log.check):
        with pytest.raises(TopicLost, match=f"Topic {topic} was deleted while it was in use"):
            write()
    assert topic not in cluster.admin.list_topics(timeout=10).topics


def test_a_writer_goes_on_with_other_topics(cluster: Kafka, topic: str, opened: list[KafkaLog]) -> None:
    other_topic = f"{topic}-other"
    ensure_topic(cluster, TopicSpec(other_topic, 1, "config.storage.topic", "connector configurations"))
    log, _ = reader(cluster, topic, opened)
    other, seen = reader(cluster, other_topic, opened)
    writer = claimed(cluster, topic)
    delete(cluster, topic)
    with pytest.raises(TopicLost):
        writer.write([Part(other, [KeyValue(b"a", b"1")]), Part(log, [KeyValue(b"a", b"1")])])
    writer.write([Part(other, [KeyValue(b"a", b"2")])])
    assert pairs(seen) == {(b"a", b"2")}


@pytest.mark.parametrize("records_there", [0, 3])
def test_a_topic_that_takes_anothers_place_is_not_taken_for_it(
    cluster: Kafka, topic: str, opened: list[KafkaLog], records_there: int
) -> None:
    log, seen = reader(cluster, topic, opened)
    log.write([KeyValue(b"a", b"1")])
    delete(cluster, topic)
    ensure_topic(cluster, TopicSpec(topic, 3, "status.storage.topic", "statuses"))
    if records_there:
        other, _ = reader(cluster, topic, opened)
        other.write([KeyValue(b"a", str(number).encode()) for number in range(records_there)])

    def lost() -> bool:
        try:
            log.check()
        except TopicLost as error:
            return f"Topic {topic} was deleted" in str(error)
        return False

    eventually(lost)
    with pytest.raises(TopicLost, match="created anew"):
        log.write([KeyValue(b"b", b"1")])
    # Where it has more records than had been read, some may be taken before anybody notices. None is from then on.
    taken = pairs(seen)
    assert (b"a", b"0") not in taken
    other, theirs = reader(cluster, topic, opened)
    other.write([KeyValue(b"a", b"9"), KeyValue(b"c", b"9")])
    assert {(b"a", b"9"), (b"c", b"9")} <= pairs(theirs)
    assert pairs(seen) == taken


def test_what_is_written_to_a_topic_in_anothers_place_is_not_accepted(
    cluster: Kafka, topic: str, opened: list[KafkaLog], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also before anybody has noticed."""
    monkeypatch.setattr(topic_watch, "_EVERY", 60.0)
    log, _ = reader(cluster, topic, opened)
    writer = claimed(cluster, topic)
    for number in range(5):
        writer.write([Part(log, [KeyValue(b"a", str(number).encode())])])
    delete(cluster, topic)
    ensure_topic(cluster, TopicSpec(topic, 3, "status.storage.topic", "statuses"))
    with pytest.raises(TopicLost, match="created anew"):
        writer.write([Part(log, [KeyValue(b"a", b"5")])])


def test_a_reader_that_librdkafka_halts_goes_on_where_nothing_is_missing(
    cluster: Kafka, topic: str, opened: list[KafkaLog], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(kafka_log, "OFFSET_BEGINNING", 1_000_000)
    log, seen = reader(cluster, topic, opened)
    log.write([KeyValue(key, b"1") for key in (b"a", b"b", b"c", b"d")])
    assert pairs(seen) == {(key, b"1") for key in (b"a", b"b", b"c", b"d")}
    assert log.fault is None


def set_policy(cluster: Kafka, topic: str, policy: str) -> None:
    entry = ConfigEntry("cleanup.policy", policy, incremental_operation=AlterConfigOpType.SET)
    resource = ConfigResource(ResourceType.TOPIC, topic, incremental_configs=[entry])
    answered(cluster.admin.incremental_alter_configs([resource])[resource])


def test_a_topic_that_is_not_compacted_any_more_is_at_fault_until_it_is_again(
    cluster: Kafka, topic: str, opened: list[KafkaLog], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(topic_watch, "_SETTINGS_EVERY", 0.1)
    log, seen = reader(cluster, topic, opened)
    assert log.fault is None
    set_policy(cluster, topic, "delete")
    eventually(lambda: f"Topic {topic} has 'cleanup.policy=delete' now" in (log.fault or ""))
    # Nothing is lost yet, and what is not written is.
    log.write([KeyValue(b"a", b"1")])
    assert pairs(seen) == {(b"a", b"1")}
    set_policy(cluster, topic, "compact")
    eventually(lambda: log.fault is None)


def test_a_topic_that_was_cut_short_is_told_of_at_the_start(
    cluster: Kafka, topic: str, opened: list[KafkaLog], caplog: pytest.LogCaptureFixture
) -> None:
    log, _ = reader(cluster, topic, opened)
    (partition,) = log.write([KeyValue(b"a", b"1")])
    cut = TopicPartition(topic, partition, 1)
    with pytest.raises(KafkaException) as caught:
        answered(cluster.admin.delete_records([cut])[cut])
    assert caught.value.args[0].code() == KafkaError.POLICY_VIOLATION, "Kafka cuts no topic short that is compacted"
    set_policy(cluster, topic, "delete")
    # A broker takes up what it was told a moment after it has said yes.
    patiently(lambda: answered(cluster.admin.delete_records([cut])[cut]))
    set_policy(cluster, topic, "compact")
    reader(cluster, topic, opened)
    assert f"Topic {topic} was cut short, not compacted: it begins at offset 1 in partition {partition}" in caplog.text
    # Who reads it already has read all of it, and goes on.
    log.write([KeyValue(b"a", b"2")])
    assert log.fault is None


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
        (1, "compact", 64, "is required to have 64 partitions .* but found 1 partitions"),
    ],
)
def test_a_topic_that_would_lose_records_is_refused_by_name(
    cluster: Kafka, partitions: int, policy: str, spec_partitions: int, words: str
) -> None:
    name = f"refused-{uuid.uuid4().hex[:8]}"
    cluster.admin.create_topics([NewTopic(name, partitions, 1, config={"cleanup.policy": policy})])[name].result(10)
    spec = TopicSpec(name, spec_partitions, "config.storage.topic", "connector configurations", exactly=True)
    with pytest.raises(TopicRefused, match=f"Topic '{name}'.*{words}"):
        ensure_topic(cluster, spec)


def spec(name: str) -> TopicSpec:
    return TopicSpec(name, 1, f"{name}.setting", f"what is in {name}")


def test_topics_are_made_once(cluster: Kafka) -> None:
    """Where the one that is made last is there, the others have been."""
    unique = uuid.uuid4().hex[:8]
    names = [f"{name}-{unique}" for name in ("first", "second", "last")]
    first, second, last = map(spec, names)
    answered(cluster.admin.create_topics([NewTopic(second.name, 1, 1, config={"cleanup.policy": "compact"})])[second.name])
    for _ in range(2):
        ensure_topics(cluster, [first, second], last)
    assert set(names) <= set(cluster.admin.list_topics(timeout=10).topics)
    delete(cluster, first.name)
    with pytest.raises(TopicRefused, match=rf"^Topic '{first.name}' supplied via the '{first.setting}' property does not exist"):
        ensure_topics(cluster, [first, second], last)
    assert first.name not in cluster.admin.list_topics(timeout=10).topics
    # Made by hand, it is what is wanted. And the last one may be made anew.
    answered(cluster.admin.create_topics([NewTopic(first.name, 1, 1, config={"cleanup.policy": "compact"})])[first.name])
    delete(cluster, last.name)
    ensure_topics(cluster, [first, second], last)
    assert set(names) <= set(cluster.admin.list_topics(timeout=10).topics)


def test_a_fitting_topic_is_taken_as_it_is(cluster: Kafka, topic: str) -> None:
    ensure_topic(cluster, TopicSpec(topic, 3, "status.storage.topic", "statuses"))
