"""SparkSource and SparkSink on a complete Drover, with the configs of their pages: files to a topic to a Delta table and back,
Kafka to Kafka in real time, Python data sources; through kills, restarts and offsets changed by hand."""

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

import httpx
import pyarrow.parquet
import pytest

from connect_client import ConnectClient, PartitionOffset
from tests.integration.spark.conftest import DELTA, DELTA_CONF, PACKAGES
from tests.running import PROJECT, RunningDrover, running
from tests.topics import create_topic, messages, produce, producing, records
from tests.waiting import eventually


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where pip has installed a Python data source."""
    # A build leaves things beside what it builds.
    project = shutil.copytree(PACKAGES, tmp_path_factory.mktemp("built") / "project")
    target = tmp_path_factory.mktemp("installed")
    offline = ("--no-index", "--no-deps", "--no-build-isolation", "--disable-pip-version-check", "--quiet")
    subprocess.run([sys.executable, "-m", "pip", "install", *offline, "--target", target, project], check=True, timeout=110)
    return target


@pytest.fixture(scope="module")
def drover(tmp_path_factory: pytest.TempPathFactory, kafka: str, redis_url: str, installed: Path) -> Iterator[RunningDrover]:
    """One of its own: with Delta, and with a Python data source where its workers find it."""
    settings = {
        "DROVER_SPARK_PACKAGES": DELTA,
        "DROVER_SPARK_CONF": ",".join(f"{key}={value}" for key, value in DELTA_CONF.items()),
        "PYTHONPATH": str(installed),
        "CONNECT_GROUP_ID": "spark-connectors",
        "CONNECT_CONFIG_STORAGE_TOPIC": "spark-connectors-configs",
        "CONNECT_OFFSET_STORAGE_TOPIC": "spark-connectors-offsets",
        "CONNECT_STATUS_STORAGE_TOPIC": "spark-connectors-status",
    }
    folder = tmp_path_factory.mktemp("drover")
    with running(folder, bootstrap_servers=kafka, redis_url=redis_url, settings=settings) as drover:
        yield drover


def documented(page: str, number: int = 0, **changes: str) -> dict[str, str]:
    """A config of a connector's page, with what is different here; `_` in the name of a change is a dot."""
    text = (PROJECT / "docs" / "connectors" / f"{page}.md").read_text()
    config: dict[str, str] = json.loads(re.findall(r"```json\n(.*?)```", text, re.DOTALL)[number])
    changed = {key.replace("_", "."): value for key, value in changes.items()}
    assert changed.keys() <= config.keys(), "a change of what the page does not have"
    return {**config, **changed}


def put(folder: Path, name: str, ids: range) -> None:
    """In one go: a file that is there is whole."""
    folder.mkdir(exist_ok=True)
    new = folder.parent / f"{name}.new"
    new.write_text("".join(json.dumps({"id": number, "product": f"ž {number}"}) + "\n" for number in ids))
    new.rename(folder / name)


def in_table(table: Path, since: int = 0) -> list[dict[str, object]]:
    """All rows of a Delta table, by its log; or those that are new since one of its versions, and in it."""
    active: set[str] = set()
    for commit in sorted((table / "_delta_log").glob("*.json"))[since:]:
        for action in map(json.loads, commit.read_text().splitlines()):
            if "add" in action:
                active.add(action["add"]["path"])
            elif "remove" in action:
                active.discard(action["remove"]["path"])
    return [row for path in sorted(active) for row in pyarrow.parquet.read_table(table / path).to_pylist()]


def in_topic(drover: RunningDrover, topic: str) -> list[dict[str, object]]:
    return [json.loads(value or b"") for _, value in records(drover.bootstrap_servers, topic)]


def is_running(client: ConnectClient, name: str) -> bool:
    status = client.status(name)
    return status.connector.state == "RUNNING" and [task.state for task in status.tasks] == ["RUNNING"]


def stop(client: ConnectClient, name: str) -> None:
    client.stop(name)
    eventually(lambda: client.status(name).connector.state == "STOPPED" and not client.status(name).tasks)


def kill_worker(drover: RunningDrover) -> None:
    killed = drover.process_pid("worker")
    os.kill(killed, signal.SIGKILL)
    eventually(lambda: drover.process_pid("worker") not in (0, killed), "The worker's return")


def test_files_to_a_topic_to_a_delta_table(client: ConnectClient, drover: RunningDrover, unique: str, tmp_path: Path) -> None:
    """Killed in the middle and restarted: the topic has every line, the table has every record of the topic once."""
    topic, incoming, table = f"orders-{unique}", tmp_path / "incoming", tmp_path / "table"
    source, sink = f"files-{unique}", f"table-{unique}"
    create_topic(drover.bootstrap_servers, topic, 3)
    for number in range(5):
        put(incoming, f"{number}.json", range(number * 1000, (number + 1) * 1000))
    config = documented("spark-source", name=source, topic=topic, spark_option_path=str(incoming))
    client.create(source, {**config, "spark.option.maxFilesPerTrigger": "1"})
    client.create(sink, documented("spark-sink", name=sink, topics=topic, spark_option_path=str(table)))
    eventually(lambda: len(in_table(table)) > 0, "The first rows")
    kill_worker(drover)
    for number in range(5, 8):
        put(incoming, f"{number}.json", range(number * 1000, (number + 1) * 1000))
    everything = set(range(8000))
    eventually(lambda: {row["id"] for row in in_table(table)} == everything, "All rows", seconds=150)
    client.restart(source, only_failed=False)
    client.restart(sink, only_failed=False)
    put(incoming, "8.json", range(8000, 9000))
    eventually(lambda: len({row["id"] for row in in_table(table)}) == 9000, "The rest")
    assert is_running(client, source)
    assert is_running(client, sink)
    sent = in_topic(drover, topic)
    assert all(row == {"id": row["id"], "product": f"ž {row['id']}"} for row in sent)
    assert {key for key, _ in records(drover.bootstrap_servers, topic)} == {str(number).encode() for number in range(9000)}
    eventually(lambda: Counter(row["id"] for row in in_table(table)) == Counter(row["id"] for row in sent))
    assert len(in_table(table)) < 9000 + 5000, "one batch may be there twice, for each time that it was killed"


def test_by_curl_alone(client: ConnectClient, drover: RunningDrover, tmp_path: Path) -> None:
    """The commands of the page, with its configs: a file to a topic to a Delta table, changed on its way, through restarts."""
    page = PROJECT / "docs" / "examples" / "files-to-delta"
    for config in page.glob("*.json"):
        (tmp_path / config.name).write_text(config.read_text().replace("/data/", f"{tmp_path}/"))
    create, restart = re.findall(r"```sh\n(.*?)```", (page / "README.md").read_text(), re.DOTALL)
    log, table = tmp_path / "orders.log", tmp_path / "orders"

    def run(commands: str) -> str:
        commands = "set -e\n" + commands.replace("http://localhost:8083", drover.url)
        done = subprocess.run(["bash", "-c", commands], cwd=tmp_path, capture_output=True, text=True, check=False, timeout=120)
        assert done.returncode == 0, done
        return done.stdout

    def order(number: int) -> dict[str, object]:
        at = datetime(2026, 1, 1, tzinfo=UTC) + timedelta(minutes=number)
        return {"id": number, "p": f"ž {number}", "card": "4000", "paid": number % 3 > 0, "at": at.strftime("%Y-%m-%dT%H:%M:%SZ")}

    def append(numbers: range) -> None:
        with log.open("a") as lines:
            lines.writelines(json.dumps(order(number)) + "\n" for number in numbers)

    def rows(until: int) -> list[dict[str, object]]:
        paid = [one for one in map(order, range(until)) if one["paid"]]
        return [{"id": one["id"], "product": one["p"], "card": "*", "at": str(one["at"]).removesuffix("Z")} for one in paid]

    def by_id() -> list[dict[str, object]]:
        told: list[dict[str, Any]] = in_table(table)
        return [{**row, "at": row["at"].isoformat()} for row in sorted(told, key=lambda row: int(row["id"]))]

    append(range(3000))
    run(create)
    try:
        eventually(lambda: in_table(table), "The first rows")
        append(range(3000, 6000))
        status, told = json.JSONDecoder(), run(restart)
        assert set(status.raw_decode(told)[0]) >= {"orders-lines", "orders-table"}
        append(range(6000, 9000))
        eventually(lambda: len(in_table(table)) >= 6000, "All rows")
        assert by_id() == rows(9000)
        kill_worker(drover)
        append(range(9000, 9300))
        eventually(lambda: len(in_table(table)) >= 6200, "The rows from after the kill")
        eventually(lambda: is_running(client, "orders-lines") and is_running(client, "orders-table"))
        assert {str(row) for row in by_id()} == {str(row) for row in rows(9300)}
    finally:
        client.delete("orders-lines")
        client.delete("orders-table")


def ids_in(folder: Path) -> Counter[int]:
    """How often each id has been written, whatever to."""
    files = [file for file in folder.glob("*") if file.suffix in (".csv", ".json")]
    lines = [line for file in files for line in file.read_text().splitlines()]
    return Counter(int(line) if line.isdigit() else json.loads(line)["id"] for line in lines)


def test_what_knows_nothing_of_its_offsets_has_all_after_a_kill(
    client: ConnectClient, drover: RunningDrover, unique: str, tmp_path: Path
) -> None:
    """Files of JSON, of CSV, and a Python data source. At least once, as the page says; what a stop, an offset by hand or a
    restart brings is there exactly."""
    topic, formats = f"plain-{unique}", {"json": "json", "csv": "csv", "python": "counting:LinesSink"}
    sinks = {f"{kind}-{unique}": tmp_path / kind for kind in formats}
    create_topic(drover.bootstrap_servers, topic, 1)
    produce(drover.bootstrap_servers, topic, *((None, json.dumps({"id": number})) for number in range(20_000)))
    for (name, folder), format in zip(sinks.items(), formats.values(), strict=True):
        config = documented("spark-sink", name=name, topics=topic, spark_option_path=str(folder))
        client.create(name, {**config, "spark.format": format, "spark.schema": "id INT"})
    eventually(lambda: all(map(ids_in, sinks.values())), "The first rows")
    kill_worker(drover)
    produce(drover.bootstrap_servers, topic, *((None, json.dumps({"id": number})) for number in range(20_000, 21_000)))
    for name, folder in sinks.items():
        eventually(lambda folder=folder: set(ids_in(folder)) == set(range(21_000)), f"All rows of {name}")  # type: ignore[misc]
        eventually(lambda name=name: reached_in(client, name) == 21_000)  # type: ignore[misc]
        stop(client, name)
    before = {name: ids_in(folder) for name, folder in sinks.items()}
    for name in sinks:
        client.alter_offsets(name, [PartitionOffset({"kafka_topic": topic, "kafka_partition": 0}, {"kafka_offset": 20_990})])
        client.resume(name)
    for name, folder in sinks.items():
        again = before[name] + Counter(range(20_990, 21_000))
        eventually(lambda folder=folder, again=again: ids_in(folder) == again)  # type: ignore[misc]
        client.restart(name, only_failed=False)
    produce(drover.bootstrap_servers, topic, (None, '{"id": 21000}'))
    for name, folder in sinks.items():
        whole = before[name] + Counter(range(20_990, 21_001))
        eventually(lambda folder=folder, whole=whole: ids_in(folder) == whole)  # type: ignore[misc]


def reached_in(client: ConnectClient, name: str) -> object:
    """The sink's offset in its one partition."""
    (at,) = client.offsets(name)
    return (at.offset or {})["kafka_offset"]


def test_csv_to_a_topic_to_parquet_through_a_kill(
    client: ConnectClient, drover: RunningDrover, unique: str, tmp_path: Path
) -> None:
    """At least once on the way out, and in the topic exactly what the files have; of columns with their types."""
    topic, incoming, table = f"typed-{unique}", tmp_path / "incoming", tmp_path / "table"
    columns = "id BIGINT, price DECIMAL(8,2), at TIMESTAMP, name STRING"
    source, sink = f"csv-{unique}", f"parquet-{unique}"
    create_topic(drover.bootstrap_servers, topic, 1)

    def put_csv(number: int) -> None:
        rows = (f'{id},{id}.25,2026-01-02T03:04:05Z,"a ""{id}"", ž"\n' for id in range(number * 1000, (number + 1) * 1000))
        new = tmp_path / "new.csv"
        new.write_text("id,price,at,name\n" + "".join(rows))
        incoming.mkdir(exist_ok=True)
        new.rename(incoming / f"{number}.csv")

    def written() -> list[dict[str, Any]]:
        whole = [file for file in table.glob("*.parquet") if not file.name.startswith("_")]
        return [row for file in whole for row in pyarrow.parquet.read_table(file).to_pylist()]

    put_csv(0)
    typed = {"value.converter": "org.apache.kafka.connect.json.JsonConverter", "value.converter.schemas.enable": "true"}
    config = {**documented("spark-source", name=source, topic=topic, spark_option_path=str(incoming)), **typed}
    options = {"spark.format": "csv", "spark.schema": columns, "spark.option.header": "true", "spark.option.escape": '"'}
    client.create(source, {**config, **options, "spark.option.maxFilesPerTrigger": "1"})
    config = documented("spark-sink", name=sink, topics=topic, spark_option_path=str(table))
    del config["spark.schema"]
    client.create(sink, {**config, **typed, "spark.format": "parquet"})
    eventually(lambda: table.is_dir() and written(), "The first rows")
    put_csv(1)
    kill_worker(drover)
    put_csv(2)
    eventually(lambda: {row["id"] for row in written()} == set(range(3000)), "All rows")
    at = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)
    for row in written():
        row["at"] = row["at"].replace(tzinfo=UTC)
        assert row == {"id": row["id"], "price": Decimal(f"{row['id']}.25"), "at": at, "name": f'a "{row["id"]}", ž'}
    stop(client, source)
    there = len(in_topic(drover, topic))
    file = {"format": "csv", "source": str(incoming), "file": (incoming / "1.csv").as_uri()}
    client.alter_offsets(source, [PartitionOffset(file, None)])
    client.resume(source)
    eventually(lambda: len(in_topic(drover, topic)) == there + 1000, "One file once more")
    eventually(lambda: len(written()) >= there + 1000)
    stop(client, sink)
    before = len(written())
    client.reset_offsets(sink)
    client.resume(sink)
    in_all = before + len(in_topic(drover, topic))
    eventually(lambda: len(written()) == in_all, "All of the topic once more")


def test_what_is_there_now_and_no_more(client: ConnectClient, drover: RunningDrover, unique: str, tmp_path: Path) -> None:
    """`trigger=available-now`: what comes later waits for a restart, through a kill as well."""
    name = topic = f"now-{unique}"
    incoming = tmp_path / "incoming"
    put(incoming, "a.json", range(10))
    config = documented("spark-source", name=name, topic=topic, spark_option_path=str(incoming))
    del config["trigger.interval.ms"]
    client.create(name, {**config, "trigger": "available-now"})
    eventually(lambda: len(client.offsets(name)) == 1)
    put(incoming, "b.json", range(10, 20))
    client.restart(name, only_failed=False)
    eventually(lambda: len(client.offsets(name)) == 2)
    put(incoming, "c.json", range(20, 30))
    kill_worker(drover)
    eventually(lambda: len(client.offsets(name)) == 3, "Its next life is a start")
    eventually(lambda: is_running(client, name))
    assert Counter(row["id"] for row in in_topic(drover, topic)) == Counter(range(30))


def test_offsets_of_files_by_hand(client: ConnectClient, drover: RunningDrover, unique: str, tmp_path: Path) -> None:
    """A file whose offset is reset is read again, one that is given an offset is not."""
    name = topic = f"by-hand-{unique}"
    incoming = tmp_path / "incoming"
    put(incoming, "a.json", range(2))
    put(incoming, "b.json", range(2, 4))
    client.create(name, documented("spark-source", name=name, topic=topic, spark_option_path=str(incoming)))
    eventually(lambda: len(client.offsets(name)) == 2)
    stop(client, name)
    put(incoming, "c.json", range(4, 6))
    put(incoming, "d.json", range(6, 8))
    of = {"format": "json", "source": str(incoming)}
    answer = client.alter_offsets(
        name,
        [
            PartitionOffset({**of, "file": (incoming / "a.json").as_uri()}, None),
            PartitionOffset({**of, "file": (incoming / "c.json").as_uri()}, {"timestamp": 0}),
        ],
    )
    assert answer == "The offsets for this connector have been altered successfully"
    with pytest.raises(Exception, match="The offset of a file should be its 'timestamp'"):
        client.alter_offsets(name, [PartitionOffset({**of, "file": "file:///x"}, {"position": 1})])
    client.resume(name)
    eventually(lambda: len(client.offsets(name)) == 4)
    assert Counter(row["id"] for row in in_topic(drover, topic)) == Counter([0, 1, 2, 3, 0, 1, 6, 7])
    stop(client, name)
    client.reset_offsets(name)
    client.resume(name)
    eventually(lambda: len(in_topic(drover, topic)) == 16, "All four once more")


def test_rows_again_from_an_offset_on(client: ConnectClient, drover: RunningDrover, unique: str, tmp_path: Path) -> None:
    """In a Delta table, which else would leave out what it has."""
    name = topic = f"again-{unique}"
    table = tmp_path / "table"
    produce(drover.bootstrap_servers, topic, *((None, json.dumps({"id": number})) for number in range(10)))
    client.create(name, documented("spark-sink", name=name, topics=topic, spark_option_path=str(table)))
    eventually(lambda: len(in_table(table)) == 10)
    eventually(lambda: [at.offset for at in client.offsets(name)] == [{"kafka_offset": 10}])
    stop(client, name)
    client.alter_offsets(name, [PartitionOffset({"kafka_topic": topic, "kafka_partition": 0}, {"kafka_offset": 7})])
    client.resume(name)
    eventually(lambda: len(in_table(table)) == 13)
    client.restart(name, only_failed=False)
    produce(drover.bootstrap_servers, topic, (None, '{"id": 10}'))
    eventually(lambda: Counter(row["id"] for row in in_table(table)) == Counter([*range(11), 7, 8, 9]))


def numbers(drover: RunningDrover, topic: str) -> list[int]:
    return [int(message.value() or b"") for message in messages(drover.bootstrap_servers, topic)]


def realtime(drover: RunningDrover, name: str, source: str, target: str) -> dict[str, str]:
    servers = {"spark.option.kafka.bootstrap.servers": drover.bootstrap_servers}
    return {**documented("spark-source", 1, name=name, topic=target, spark_option_subscribe=source), **servers}


def test_real_time_with_stops_and_restarts_has_each_record_once(
    client: ConnectClient, drover: RunningDrover, unique: str
) -> None:
    name, source, target = f"realtime-{unique}", f"here-{unique}", f"there-{unique}"
    create_topic(drover.bootstrap_servers, source, 2)
    create_topic(drover.bootstrap_servers, target, 1)
    with producing(drover.bootstrap_servers, source) as sent:
        client.create(name, realtime(drover, name, source, target))
        eventually(lambda: numbers(drover, target), "The first records")
        client.pause(name)
        eventually(lambda: {task.state for task in client.status(name).tasks} == {"PAUSED"})
        paused = len(numbers(drover, target))
        time.sleep(0.5)
        assert len(numbers(drover, target)) == paused
        client.resume(name)
        eventually(lambda: len(numbers(drover, target)) > paused)
        client.restart(name, only_failed=False)
        restarted = len(sent)
        eventually(lambda: len(numbers(drover, target)) > restarted)
        stop(client, name)
        assert sum(reached(client, name, source)) == len(numbers(drover, target))
        client.resume(name)
    eventually(lambda: len(numbers(drover, target)) >= len(sent))
    stop(client, name)
    arrived = numbers(drover, target)
    assert Counter(arrived) == Counter(sent)
    for partition in range(2):
        assert [number for number in arrived if number % 2 == partition] == list(range(partition, len(sent), 2))

    first, second = reached(client, name, source)
    assert first + second == len(sent)
    client.alter_offsets(name, [PartitionOffset(of_kafka(source, 1), {"offset": second - 10})])
    client.resume(name)
    eventually(lambda: len(numbers(drover, target)) >= len(sent) + 10)
    stop(client, name)
    assert Counter(numbers(drover, target)) == Counter([*sent, *range(1, len(sent), 2)[-10:]])


def of_kafka(topic: str, partition: int) -> dict[str, object]:
    return {"format": "kafka", "source": topic, "topic": topic, "partition": partition}


def reached(client: ConnectClient, name: str, topic: str) -> list[int]:
    """Of both partitions, the next offset."""
    found = {item.partition["partition"]: item for item in client.offsets(name) if item.partition}
    assert [found[number].partition for number in range(2)] == [of_kafka(topic, number) for number in range(2)]
    return [int(str((found[number].offset or {})["offset"])) for number in range(2)]


def test_real_time_that_is_killed_leaves_no_gap(client: ConnectClient, drover: RunningDrover, unique: str) -> None:
    name, source, target = f"killed-{unique}", f"here-{unique}", f"there-{unique}"
    create_topic(drover.bootstrap_servers, source, 2)
    create_topic(drover.bootstrap_servers, target, 1)
    with producing(drover.bootstrap_servers, source) as sent:
        client.create(name, realtime(drover, name, source, target))
        eventually(lambda: len(numbers(drover, target)) > 500)
        kill_worker(drover)
        killed = len(sent)
        eventually(lambda: max(numbers(drover, target)) > killed + 200, "Records from after the kill")
    eventually(lambda: set(numbers(drover, target)) == set(sent))


def test_more_partitions_than_there_are_slots(client: ConnectClient, drover: RunningDrover, unique: str) -> None:
    name, source, target = f"greedy-{unique}", f"here-{unique}", f"there-{unique}"
    create_topic(drover.bootstrap_servers, source, 17)
    produce(drover.bootstrap_servers, source, *((str(number), "x") for number in range(200)))
    client.create(name, realtime(drover, name, source, target))
    eventually(lambda: [task.state for task in client.status(name).tasks] == ["FAILED"])
    (task,) = client.status(name).tasks
    told = r"trigger=realtime needs a slot for each partition that is read: 17 here, and \d+ of this worker's 16 are free"
    assert re.search(told, task.trace or "")


def test_sources_of_other_formats_through_a_kill_and_with_offsets_by_hand(
    client: ConnectClient, drover: RunningDrover, unique: str, tmp_path: Path
) -> None:
    """Files of Parquet, which a sink keeps as a Delta table, which is read as a stream again; Spark's clock; a Python data
    source. None has a gap after a kill, and each goes on from where its offset is put."""
    incoming, table, rate = tmp_path / "incoming", tmp_path / "table", 20
    options = {
        "parquet": {"spark.schema": "id BIGINT", "spark.option.path": str(incoming), "spark.option.maxFilesPerTrigger": "1"},
        "delta": {"spark.option.path": str(table), "spark.option.maxFilesPerTrigger": "1"},
        "counting:CounterSource": {"spark.option.end": "20"},
        "rate": {"spark.option.rowsPerSecond": str(rate), "spark.option.numPartitions": "1"},
    }
    names = {format: f"{format.partition(':')[0]}-{unique}" for format in options}
    shown = {key: value for key, value in documented("spark-source").items() if key.startswith(("connector.", "value.c"))}

    def start(format: str) -> None:
        name = names[format]
        create_topic(drover.bootstrap_servers, name, 1)
        config = {"name": name, "topic": name, "spark.format": format, "trigger.interval.ms": "500"}
        client.create(name, {**shown, **config, **options[format]})

    def arrived(format: str) -> list[int]:
        return [int(str(row["value" if format == "rate" else "id"])) for row in in_topic(drover, names[format])]

    def put_parquet(number: int) -> None:
        new = tmp_path / "new.parquet"
        pyarrow.parquet.write_table(pyarrow.table({"id": range(number * 10, (number + 1) * 10)}), new)
        incoming.mkdir(exist_ok=True)
        new.rename(incoming / f"{number}.parquet")

    for number in range(3):
        put_parquet(number)
    for format in options.keys() - {"delta"}:
        start(format)
    sink = f"sink-{unique}"
    client.create(sink, documented("spark-sink", name=sink, topics=names["parquet"], spark_option_path=str(table)))
    eventually(lambda: in_table(table), "The first rows of the table")
    start("delta")
    eventually(lambda: all(map(arrived, options)), "The first records of all")
    kill_worker(drover)
    put_parquet(3)
    until = max(arrived("rate"))
    for format, ids in (("parquet", range(40)), ("delta", range(40)), ("counting:CounterSource", range(20))):
        eventually(lambda format=format, ids=ids: set(arrived(format)) == set(ids), format)  # type: ignore[misc]
    eventually(lambda: max(arrived("rate")) > until)
    for name in (*names.values(), sink):
        stop(client, name)
    before = {format: arrived(format) for format in options}
    assert set(before["rate"]) == set(range(max(before["rate"]) + 1))

    def put_back(format: str, offset: Callable[[Any], object]) -> Any:
        """Of a source with one source partition: what Spark's own offset was."""
        (at,) = client.offsets(names[format])
        whole = at.offset or {}
        was = json.loads(str(whole["offset"]))
        client.alter_offsets(names[format], [PartitionOffset(at.partition, {**whole, "offset": json.dumps(offset(was))})])
        return was

    version = put_back("delta", lambda was: {**was, "reservoirVersion": was["reservoirVersion"] - 1})["reservoirVersion"]
    put_back("counting:CounterSource", lambda was: {"next": was["next"] - 5})
    second = put_back("rate", lambda was: was - 2)
    file = {"format": "parquet", "source": str(incoming), "file": (incoming / "3.parquet").as_uri()}
    client.alter_offsets(names["parquet"], [PartitionOffset(file, None)])
    again = {
        "delta": [int(str(row["id"])) for row in in_table(table, since=version - 1)],
        "counting:CounterSource": list(range(15, 20)),
        "parquet": list(range(30, 40)),
    }
    for name in names.values():
        client.resume(name)
    for format, more in again.items():
        wanted = Counter(before[format]) + Counter(more)
        eventually(lambda format=format, wanted=wanted: Counter(arrived(format)) == wanted, format)  # type: ignore[misc]
    ticks = eventually(lambda: found if len(found := arrived("rate")[len(before["rate"]) :]) > 2 * rate else [])
    assert ticks == list(range((second - 2) * rate, (second - 2) * rate + len(ticks)))


@pytest.mark.parametrize(
    ("plugin", "change", "field"),
    [
        ("spark-source", {"spark.format": "jsn"}, "spark.format"),
        ("spark-source", {"spark.schema": "id INTT"}, "spark.schema"),
        ("spark-source", {"trigger": "realtime"}, "trigger"),
        ("spark-source", {"spark.format": "kafka", "trigger": "realtime", "errors.tolerance": "all"}, "trigger"),
        ("spark-sink", {"spark.format": "dleta"}, "spark.format"),
        ("spark-sink", {"spark.schema": "id"}, "spark.schema"),
        ("spark-sink", {"spark.option.path": ""}, "spark.option.path"),
    ],
)
def test_a_wrong_config_is_told_by_its_field(
    drover: RunningDrover, client: ConnectClient, plugin: str, change: dict[str, str], field: str
) -> None:
    config = {**documented(plugin), **change}
    url = f"{drover.url}/connector-plugins/{config['connector.class']}/config/validate"
    found = httpx.put(url, json=config, timeout=60).json()
    assert {item["value"]["name"] for item in found["configs"] if item["value"]["errors"]} == {field}
    created = httpx.post(f"{drover.url}/connectors", json={"name": config["name"], "config": config}, timeout=60)
    assert created.status_code == 400
    assert config["name"] not in client.connectors()
