"""Source tasks as streaming queries of a real Spark: what a batch has written is committed before the next, and only that. What
would go to Kafka is looked at instead; with Kafka: tests/integration/test_spark_source.py."""

import json
import threading
import time
import uuid
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import DataFrame, SparkSession

from tests.topics import create_topic, produce, producing, values
from workers.connectors.base import TaskContext
from workers.connectors.spark.source import SparkSourceConnector, SparkSourceTask
from workers.herder.ports import TaskSpec
from workers.herder.values import Fields, TaskId
from workers.metrics.task_recorder import TaskRecorder
from workers.pipeline.settings import ErrorSettings
from workers.runtime import query_engine
from workers.runtime.faults import is_retriable
from workers.runtime.job_engine import NotNow
from workers.runtime.query_engine import QueryJob
from workers.runtime.reports import Reports
from workers.runtime.slots import Slots
from workers.runtime.surroundings import Surroundings
from workers.storage.kafka import Kafka
from workers.storage.memory_log import MemoryLog
from workers.storage.offset_store import OffsetStore
from workers.storage.offset_stores import OffsetStores

Row = tuple[str, object, object]


class Host:
    """What an engine gives a job, with the offsets and the topic that outlive it. `on_write` runs before a batch is written,
    `on_commit` before it is committed."""

    def __init__(self, spark: SparkSession, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.spark = spark
        self.folder = folder
        self.store = OffsetStore(MemoryLog())
        self.store.start()
        self.written: list[Row] = []
        self.topics: set[str] = set()
        self.may_write = True
        self.on_write: Callable[[], None] = lambda: None
        self.on_commit: Callable[[], None] = lambda: None
        self.lives = 0
        self.kafka: Any = None
        monkeypatch.setattr(query_engine, "write_records", self._write)

    def _write(self, records: DataFrame, kafka: object, properties: Mapping[str, str]) -> None:
        rows = [tuple(row) for row in records.select("topic", "key", "value").collect()]
        self.on_write()
        self.written += rows

    def joins(self, common: str | None) -> None: ...

    def cancel(self) -> None: ...

    def session(self) -> SparkSession:
        return self.spark

    def check(self) -> None:
        if not self.may_write:
            raise NotNow("cut off")

    @contextmanager
    def committing(self) -> Iterator[None]:
        self.on_commit()
        self.check()
        yield

    def job(self, **config: str) -> QueryJob:
        """A new life."""
        self.lives += 1
        id = TaskId("c", 0)
        recorder = TaskRecorder(id, "source")
        around = Surroundings(
            TaskSpec(id, config, config, 1),
            self,
            self.kafka,
            {},
            lambda task, topics: self.topics.update(topics),
            recorder,
            Reports(id, ErrorSettings(), self.kafka, recorder, {}, lambda: self.kafka),
        )
        context = TaskContext(id, self.folder / f"scratch-{self.lives}")
        job = QueryJob(around, SparkSourceTask(config), context, OffsetStores(self.store), Slots(4))
        job.start()
        return job

    def run(self, job: QueryJob, until: Callable[[], bool]) -> None:
        """What a step raises comes through."""
        deadline = time.monotonic() + 120
        while not until():
            assert time.monotonic() < deadline, f"so far there is {self.written}"
            step(job)
            time.sleep(0.02)

    @property
    def values(self) -> list[object]:
        return [json.loads(str(value)) for _, _, value in self.written]

    @property
    def offsets(self) -> list[tuple[Fields | None, Fields | None]]:
        return [(item.partition, item.offset) for item in self.store.offsets("c")]


def step(job: QueryJob) -> None:
    """As the scheduler does it: there are no batches for it to hand on."""
    assert list(job.step()) == []


@pytest.fixture
def host(spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Host:
    return Host(spark, tmp_path, monkeypatch)


def files(folder: Path, **more: str) -> dict[str, str]:
    (folder / "in").mkdir(exist_ok=True)
    return {
        "name": "c",
        "spark.format": "json",
        "spark.schema": "id INT",
        "spark.option.path": str(folder / "in"),
        "topic": "t",
        "trigger.interval.ms": "50",
        **more,
    }


def put(folder: Path, name: str, *ids: int) -> None:
    """In one go: a file that is there is whole."""
    new = folder / f"{name}.new"
    new.write_text("".join(f'{{"id":{number}}}\n' for number in ids))
    (folder / "in").mkdir(exist_ok=True)
    new.rename(folder / "in" / name)


def ids(host: Host) -> list[int]:
    return [value["id"] for value in host.values]  # type: ignore[index]


def test_files_arrive_once_over_pauses_and_lives(host: Host, tmp_path: Path) -> None:
    config = files(tmp_path)
    put(tmp_path, "a.json", 1, 2)
    job = host.job(**config)
    host.run(job, lambda: ids(host) == [1, 2])
    put(tmp_path, "b.json", 3)
    host.run(job, lambda: ids(host) == [1, 2, 3])
    assert job.halt(10)
    put(tmp_path, "c.json", 4)
    host.run(job, lambda: ids(host) == [1, 2, 3, 4])
    assert job.halt(10)
    put(tmp_path, "d.json", 5)
    again = host.job(**config)
    host.run(again, lambda: len(host.written) >= 5)
    assert again.halt(10)
    assert ids(host) == [1, 2, 3, 4, 5]
    assert host.written[0] == ("t", None, '{"id":1}')
    assert host.topics == {"t"}
    source = {"format": "json", "source": str(tmp_path / "in")}
    paths = {(tmp_path / "in" / f"{name}.json").as_uri() for name in "abcd"}
    assert {partition["file"] for partition, _ in host.offsets if partition} == paths
    assert all(source.items() <= dict(partition or {}).items() for partition, _ in host.offsets)
    assert not any(path.name.startswith("query-") for path in tmp_path.glob("scratch-*/*"))


def test_more_batches_than_spark_keeps_files_of_its_log(host: Host, tmp_path: Path) -> None:
    """After ten it makes one file of them."""
    config = files(tmp_path, **{"spark.option.maxFilesPerTrigger": "1"})
    for number in range(25):
        put(tmp_path, f"{number:02}.json", number)
    job = host.job(**config)
    host.run(job, lambda: len(host.written) >= 13)
    assert job.halt(10)
    assert len(host.offsets) == len(host.written)
    again = host.job(**config)
    host.run(again, lambda: len(host.written) >= 25)
    assert again.halt(10)
    assert sorted(ids(host)) == list(range(25))


def test_a_batch_that_was_not_committed_comes_again(host: Host, tmp_path: Path) -> None:
    put(tmp_path, "a.json", 1)
    job = host.job(**files(tmp_path))
    host.run(job, lambda: len(host.offsets) == 1)
    assert ids(host) == [1]

    def fail() -> None:
        raise ConnectionResetError("as if it were killed")

    host.on_commit = fail
    put(tmp_path, "b.json", 2)
    with pytest.raises(ConnectionResetError, match="as if it were killed"):
        host.run(job, lambda: False)
    assert ids(host) == [1, 2]
    host.on_commit = lambda: None
    again = host.job(**files(tmp_path))
    host.run(again, lambda: len(host.written) >= 3)
    assert again.halt(10)
    assert ids(host) == [1, 2, 2]


def test_who_is_cut_off_writes_and_commits_nothing_and_goes_on_later(host: Host, tmp_path: Path) -> None:
    job = host.job(**files(tmp_path))
    host.run(job, lambda: job._query is not None)
    host.may_write = False
    put(tmp_path, "a.json", 1)
    with pytest.raises(NotNow) as raised:
        host.run(job, lambda: False)
    assert is_retriable(raised.value)
    assert (host.written, host.offsets) == ([], [])
    host.may_write = True
    host.run(job, lambda: ids(host) == [1])
    assert job.halt(10)


def test_a_halt_waits_for_the_batch(host: Host, tmp_path: Path) -> None:
    entered, release = threading.Event(), threading.Event()

    def stay() -> None:
        entered.set()
        release.wait(60)

    host.on_write = stay
    put(tmp_path, "a.json", 1)
    job = host.job(**files(tmp_path))
    host.run(job, entered.is_set)
    assert not job.halt(0.1)
    threading.Timer(0.5, release.set).start()
    assert job.halt(30)
    assert (ids(host), len(host.offsets)) == ([1], 1)


def real_time(kafka: str, source: str, target: str, span: int) -> dict[str, str]:
    return {
        "name": "c",
        "spark.format": "kafka",
        "spark.option.kafka.bootstrap.servers": kafka,
        "spark.option.subscribe": source,
        "spark.option.startingOffsets": "earliest",
        "topic": target,
        "value.columns": "value",
        "trigger": "realtime",
        "trigger.interval.ms": str(span),
    }


@pytest.mark.parametrize("span", [300, 60_000])
def test_halts_in_real_time_leave_each_record_once(host: Host, kafka: str, span: int) -> None:
    """At any moment of a query's: while it begins, while Spark plans a batch or commits one, and in a batch."""
    source, target = (f"{name}-{uuid.uuid4().hex[:8]}" for name in ("here", "there"))
    create_topic(kafka, source, 2)
    create_topic(kafka, target, 1)
    host.kafka = Kafka(kafka, client_id="test-query-engine")
    config = real_time(kafka, source, target, span)
    with producing(kafka, source) as sent:
        for moment in range(30):
            job = host.job(**config)
            step(job)
            time.sleep(moment * 0.03)
            if moment % 2:
                step(job)
            assert job.halt(30)
            job.close()
    job = host.job(**config)
    host.run(job, lambda: len(values(kafka, target)) >= len(sent))
    assert job.halt(30)
    job.close()
    assert Counter(int(value or b"") for value in values(kafka, target)) == Counter(sent)


def test_a_halt_that_takes_too_long_in_real_time_leaves_no_query(host: Host, kafka: str) -> None:
    source, target = (f"{name}-{uuid.uuid4().hex[:8]}" for name in ("here", "there"))
    create_topic(kafka, source, 1)
    create_topic(kafka, target, 1)
    produce(kafka, source, (None, "1"))
    host.kafka = Kafka(kafka, client_id="test-query-engine")
    config = real_time(kafka, source, target, 60_000)
    job = host.job(**config)
    host.run(job, lambda: values(kafka, target) == [b"1"])
    query = job._query
    assert query is not None
    assert not job.halt(0)
    assert query.is_over
    assert host.offsets == []
    job.close()


def test_a_long_span_in_real_time_ends_when_nothing_comes(host: Host, kafka: str) -> None:
    """What was read is committed then, not when its minute is over; all partitions go on."""
    source, target = (f"{name}-{uuid.uuid4().hex[:8]}" for name in ("here", "there"))
    create_topic(kafka, source, 2)
    create_topic(kafka, target, 1)
    produce(kafka, source, (None, "1"), partition=0)
    host.kafka = Kafka(kafka, client_id="test-query-engine")
    job = host.job(**real_time(kafka, source, target, 600_000))
    host.run(job, lambda: offset_sum(host) == 1)
    produce(kafka, source, (None, "2"), partition=0)
    produce(kafka, source, (None, "3"), partition=1)
    host.run(job, lambda: offset_sum(host) == 3)
    assert sorted(values(kafka, target), key=str) == [b"1", b"2", b"3"]
    assert job.halt(30)
    job.close()


def test_in_real_time_rows_are_counted_as_they_come(host: Host, kafka: str) -> None:
    """Not a span later, and each once."""
    source, target = (f"{name}-{uuid.uuid4().hex[:8]}" for name in ("here", "there"))
    create_topic(kafka, source, 1)
    create_topic(kafka, target, 1)
    host.kafka = Kafka(kafka, client_id="test-query-engine")
    job = host.job(**real_time(kafka, source, target, 600_000))
    sent = 0

    def one_more() -> bool:
        nonlocal sent
        sent += 1
        produce(kafka, source, (None, str(sent)), partition=0)
        return job._recorder.written > offset_sum(host)

    host.run(job, one_more)
    host.run(job, lambda: job._recorder.written == sent)
    assert job.halt(30)
    assert job._recorder.written == offset_sum(host) == sent
    job.close()


def offset_sum(host: Host) -> int:
    return sum(int(str((offset or {})["offset"])) for _, offset in host.offsets)


def test_available_now_ends_and_begins_again_when_it_is_resumed(host: Host, tmp_path: Path) -> None:
    put(tmp_path, "a.json", 1)
    config = files(tmp_path, trigger="available-now")
    del config["trigger.interval.ms"]
    job = host.job(**config)
    host.run(job, lambda: job._query is None and len(host.written) == 1)
    put(tmp_path, "b.json", 2)
    for _ in range(5):
        step(job)
        assert job._query is None
    assert job.halt(10)
    host.run(job, lambda: ids(host) == [1, 2])
    job.close()


def test_available_now_looks_again_after_its_interval(host: Host, tmp_path: Path) -> None:
    put(tmp_path, "a.json", 1)
    job = host.job(**files(tmp_path, trigger="available-now"))
    host.run(job, lambda: ids(host) == [1])
    put(tmp_path, "b.json", 2)
    host.run(job, lambda: ids(host) == [1, 2])
    job.close()


@pytest.mark.parametrize("format", ["csv", "parquet", "orc", "json"])
def test_formats_of_files(host: Host, spark: SparkSession, tmp_path: Path, format: str) -> None:
    config = files(tmp_path, **{"spark.format": format, "spark.schema": "id BIGINT, name STRING", "key.columns": "id"})
    spark.sql("SELECT id, concat('n', id) AS name FROM range(3)").coalesce(1).write.format(format).save(str(tmp_path / "made"))
    (made,) = (tmp_path / "made").glob(f"part-*.{format}")
    made.rename(tmp_path / "in" / made.name)
    job = host.job(**config)
    host.run(job, lambda: len(host.written) >= 3)
    assert job.halt(10)
    assert host.written == [("t", str(number), f'{{"id":{number},"name":"n{number}"}}') for number in range(3)]


def test_rows_that_name_their_topics(host: Host, tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "a.json").write_text('{"id":1,"to":"u"}\n{"id":2,"to":"v"}\n{"id":3,"to":"u"}\n')
    config = files(tmp_path, **{"spark.schema": "id INT, to STRING", "topic.field": "to"})
    del config["topic"]
    job = host.job(**config)
    host.run(job, lambda: len(host.offsets) == 1)
    assert job.halt(10)
    assert host.written == [("u", None, '{"id":1}'), ("v", None, '{"id":2}'), ("u", None, '{"id":3}')]
    assert host.topics == {"u", "v"}


def test_lines_of_text_are_values(host: Host, tmp_path: Path) -> None:
    put(tmp_path, "a.txt", 7)
    config = files(tmp_path, **{"spark.format": "text"})
    del config["spark.schema"]
    job = host.job(**config)
    host.run(job, lambda: host.written == [("t", None, '{"id":7}')])
    assert job.halt(10)


def test_the_rate_goes_on_where_it_was(host: Host) -> None:
    """Its values count up without a gap, and it keeps when it began."""
    config = {"name": "c", "spark.format": "rate", "spark.option.rowsPerSecond": "20", "topic": "t", "value.columns": "value"}
    config |= {"trigger.interval.ms": "200"}
    job = host.job(**config)
    host.run(job, lambda: len(host.written) >= 20)
    assert job.halt(10)
    before, began = len(host.written), host.offsets[0][1]
    again = host.job(**config)
    host.run(again, lambda: len(host.written) >= before + 20)
    assert again.halt(10)
    assert sorted(int(str(value)) for _, _, value in host.written) == list(range(len(host.written)))
    ((partition, offset),) = host.offsets
    assert partition == {"format": "rate", "source": ""}
    assert offset is not None
    assert began is not None
    assert offset["start"] == began["start"]


def test_delta_as_a_stream(host: Host, spark: SparkSession, tmp_path: Path) -> None:
    table = str(tmp_path / "table")
    config = {"name": "c", "spark.format": "delta", "spark.option.path": table, "topic": "t", "trigger.interval.ms": "50"}
    spark.range(0, 3).coalesce(1).write.format("delta").save(table)
    job = host.job(**config)
    host.run(job, lambda: len(host.written) >= 3)
    assert job.halt(10)
    spark.range(3, 5).coalesce(1).write.format("delta").mode("append").save(table)
    again = host.job(**config)
    host.run(again, lambda: len(host.written) >= 5)
    assert again.halt(10)
    assert ids(host) == list(range(5))


def test_a_python_data_source(host: Host) -> None:
    config = {"name": "c", "spark.format": "counting:CounterSource", "topic": "t", "trigger.interval.ms": "50"}
    job = host.job(**config)
    host.run(job, lambda: len(host.written) >= 4)
    assert job.halt(20)
    again = host.job(**config)
    host.run(again, lambda: len(host.written) >= 7)
    assert again.halt(20)
    assert ids(host) == list(range(7))
    assert dict(host.offsets[0][0] or {}) == {"format": "counting:CounterSource", "source": ""}


# --- what is wrong ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"spark.option.path": "/no/such/folder"}, "PATH_NOT_FOUND"),
        ({"spark.format": "nothing.of.that.kind"}, "DATA_SOURCE_NOT_FOUND"),
        ({"value.columns": "x"}, "There is no column x in this json source: it has id"),
    ],
)
def test_what_cannot_begin_fails_with_its_reason(host: Host, tmp_path: Path, change: dict[str, str], said: str) -> None:
    job = host.job(**files(tmp_path, **change))
    with pytest.raises(Exception, match=said) as raised:
        step(job)
    assert not is_retriable(raised.value)
    job.close()


def test_what_fails_in_spark_is_told_by_its_root_cause(host: Host, tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "a.json").write_text("no json\n")
    job = host.job(**files(tmp_path, **{"spark.option.mode": "FAILFAST"}))
    with pytest.raises(Exception, match=r"Malformed records are detected|MALFORMED_RECORD") as raised:
        host.run(job, lambda: False)
    assert not is_retriable(raised.value)
    job.close()


def test_an_offset_that_spark_does_not_understand_fails(host: Host) -> None:
    config = {"name": "c", "spark.format": "rate", "topic": "t"}
    host.store.commit("c", {"format": "rate", "source": ""}, {"offset": '{"no": "number"}'})
    job = host.job(**config)
    with pytest.raises(Exception, match=r"offset|Offset|number|For input string|MatchError") as raised:
        host.run(job, lambda: False)
    assert not is_retriable(raised.value)
    job.close()


VALID = {"connector.class": "SparkSource", "name": "c", "topic": "t", "spark.format": "rate"}


@pytest.mark.parametrize(
    ("change", "field", "said"),
    [
        ({"spark.format": "rte"}, "spark.format", "Spark has no such data source"),
        ({"spark.format": "json", "spark.option.path": "/x"}, "spark.schema", "Spark reads json files as a stream only with it"),
        ({"spark.format": "text"}, "spark.option.path", "the folder of the text files"),
        ({"topic": None}, "topic", 'Missing required configuration "topic"'),
        ({"trigger": "sometimes"}, "trigger", "String must be one of: interval, available-now, realtime"),
        ({"trigger.interval.ms": "0"}, "trigger.interval.ms", "Value must be at least 1"),
        ({"trigger": "realtime"}, "trigger", "Spark reads only kafka so, not rate"),
        (
            {"spark.format": "kafka", "trigger": "realtime", "errors.tolerance": "all"},
            "trigger",
            "errors.tolerance has to be none",
        ),
    ],
)
def test_a_wrong_config_is_told_by_its_field(spark: SparkSession, change: dict[str, str | None], field: str, said: str) -> None:
    config = {key: value for key, value in {**VALID, **change}.items() if value is not None}
    found = {value.name: value.errors for value in SparkSourceConnector.validate(config) if value.errors}
    assert list(found) == [field]
    assert said in found[field][0]
    with pytest.raises(Exception, match="onfiguration"):
        SparkSourceConnector(config)
