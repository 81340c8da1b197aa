"""`/metrics` of a running Drover says what has really been done."""

from pathlib import Path
from urllib.request import urlopen

import orjson
import pytest
from prometheus_client.parser import text_string_to_metric_families

from connect_client import ConnectClient
from tests.integration.conftest import sink, source, write_lines
from tests.running import RunningDrover
from tests.waiting import eventually
from workers.herder.values import TaskId
from workers.metrics.board import Board
from workers.metrics.publisher import Publisher
from workers.metrics.worker_recorder import WorkerRecorder

LINES = 1000


class Scrape:
    """One answer of `/metrics`."""

    def __init__(self, url: str) -> None:
        with urlopen(f"{url}/metrics", timeout=10) as response:
            families = text_string_to_metric_families(response.read().decode())
            self._samples = [sample for family in families for sample in family.samples]

    def value(self, name: str, **labels: str) -> float | None:
        """Of the one sample that has these labels, and perhaps more."""
        found = [s.value for s in self._samples if s.name == name and labels.items() <= s.labels.items()]
        assert len(found) <= 1, (name, labels, found)
        return found[0] if found else None


def test_the_figures_are_what_was_copied(drover: RunningDrover, client: ConnectClient, unique: str, tmp_path: Path) -> None:
    read, written, topic = tmp_path / "in.txt", tmp_path / "out.txt", f"metrics-{unique}"
    write_lines(read, LINES)
    from_file, to_file = f"source {unique}", f"sink-{unique}"
    client.create(from_file, source(from_file, read, topic))
    client.create(to_file, sink(to_file, written, topic))
    eventually(lambda: written.exists() and written.read_bytes() == read.read_bytes(), "The copy")

    def scraped() -> Scrape | None:
        found = Scrape(drover.url)
        arrived = found.value("drover_task_offset_commits_total", connector=to_file, task="0")
        return found if arrived and found.value("drover_sink_task_record_lag", connector=to_file) == 0 else None

    seen = eventually(scraped, "The figures of both tasks")
    assert seen is not None
    for name, connector in [
        ("kafka_connect_source_task_metrics_source_record_poll_total", from_file),
        ("kafka_connect_source_task_metrics_source_record_write_total", from_file),
        ("kafka_connect_sink_task_metrics_sink_record_read_total", to_file),
        ("kafka_connect_sink_task_metrics_sink_record_send_total", to_file),
    ]:
        assert seen.value(name, connector=connector, task="0") == LINES, name
    assert seen.value("kafka_connect_sink_task_metrics_partition_count", connector=to_file) == 1
    assert (seen.value("kafka_connect_source_task_metrics_poll_batch_max_time_ms", connector=from_file) or 0) > 0
    for connector in (from_file, to_file):
        assert seen.value("kafka_connect_connector_task_metrics_status", connector=connector, task="0", status="running") == 1
        assert seen.value("kafka_connect_task_error_metrics_total_record_failures", connector=connector) == 0
    assert seen.value("drover_worker_up") == 1
    assert seen.value("kafka_connect_connect_worker_rebalance_metrics_leader_name") == 1
    assert (seen.value("kafka_connect_connect_worker_metrics_task_startup_success_total") or 0) >= 2


def test_a_failed_task_shows(drover: RunningDrover, client: ConnectClient, unique: str, tmp_path: Path) -> None:
    name, file = f"fails-{unique}", tmp_path / "in.txt"
    write_lines(file, 10)
    client.create(name, source(name, file, f"metrics-{unique}"))
    eventually(lambda: Scrape(drover.url).value("drover_task_offset_commits_total", connector=name, task="0"))
    file.write_bytes(b"")

    def scraped() -> Scrape | None:
        # The worker counts the failure by itself, and says in the status topic that the task has failed.
        found = Scrape(drover.url)
        failed = found.value("kafka_connect_connector_task_metrics_status", connector=name, task="0", status="failed") == 1
        return found if failed and found.value("kafka_connect_task_error_metrics_total_record_failures", connector=name) else None

    seen = eventually(scraped, "The failure in both")
    assert seen is not None
    assert seen.value("kafka_connect_task_error_metrics_total_record_failures", connector=name) == 1
    assert seen.value("kafka_connect_connect_worker_metrics_connector_failed_task_count", connector=name) == 1
    assert seen.value("kafka_connect_task_error_metrics_total_retries", connector=name) == 0


# --- the board, on a real Redis -----------------------------------------------------------------------------------------


@pytest.fixture
def board(redis_url: str, unique: str) -> Board:
    return Board(redis_url, f"group-{unique}")


def test_a_worker_is_heard_while_it_sends_and_gone_when_it_stops(board: Board) -> None:
    recorder = WorkerRecorder()
    recorder.begun(recorder.task(TaskId("a", 0), "source"))
    publisher = Publisher(recorder, board, "w 1", interval=0.05)
    publisher.start()
    sent = eventually(lambda: board.read(["w 1", "w 2"])[0])
    assert sent is not None
    assert orjson.loads(sent)["tasks"][0]["rows"][0][:2] == ["a", 0]
    assert board.read(["w 2"]) == [None]
    publisher.stop()
    assert board.read(["w 1"]) == [None]


def test_what_a_dead_worker_has_sent_expires(board: Board, redis_url: str) -> None:
    assert board.put("w", b"{}")
    keys = board._redis.keys(board._prefix + "*")
    assert isinstance(keys, list)
    assert [0 < int(str(board._redis.ttl(key))) <= 20 for key in keys] == [True]


def test_without_redis_nothing_is_put_and_nobody_is_heard() -> None:
    nowhere = Board("redis://127.0.0.1:1/0", "group")
    assert (nowhere.put("w", b"{}"), nowhere.read(["w"])) == (False, [None])
    nowhere.remove("w")
