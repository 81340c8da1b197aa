"""`/metrics`, with the real snapshot and a board that is no Redis."""

from collections.abc import Callable, Sequence

import orjson
import pytest
from prometheus_client.parser import text_string_to_metric_families

from connect_api.views import metrics
from dashboard.sampling import exposition
from tests.api.conftest import Api
from tests.fakes import WORKER, until
from workers.herder.values import TaskId
from workers.metrics.board import Board
from workers.metrics.worker_recorder import WorkerRecorder

Value = Callable[..., float | None]


class FakeBoard:
    def __init__(self) -> None:
        self.sent: dict[str, bytes] = {}

    def read(self, workers: Sequence[str]) -> list[bytes | None]:
        return [self.sent.get(worker) for worker in workers]


@pytest.fixture
def board(monkeypatch: pytest.MonkeyPatch) -> FakeBoard:
    made = FakeBoard()
    monkeypatch.setattr(metrics, "board", lambda: made)
    return made


@pytest.fixture
def value(api: Api, board: FakeBoard) -> Value:
    def read(name: str, **labels: str) -> float | None:
        response = api.get("/metrics")
        assert (response.status_code, response["Content-Type"]) == (200, "text/plain; version=0.0.4; charset=utf-8")
        families = text_string_to_metric_families(response.content.decode())
        found = [s.value for family in families for s in family.samples if s.name == name and s.labels == labels]
        assert len(found) <= 1
        return found[0] if found else None

    return read


def test_a_failed_task_shows(api: Api, value: Value) -> None:
    api.create('odd "name"', tasks="2")
    api.herding.runner.fail(TaskId('odd "name"', 1), ValueError("no"))

    def status(task: str, status: str) -> float | None:
        return value("kafka_connect_connector_task_metrics_status", connector='odd "name"', task=task, status=status)

    until(lambda: status("1", "failed") == 1)
    assert (status("1", "running"), status("0", "running"), status("0", "failed")) == (0, 1, 0)
    assert value("kafka_connect_connector_metrics_status", connector='odd "name"', status="running") == 1
    assert value("kafka_connect_connect_worker_metrics_connector_failed_task_count", connector='odd "name"') == 1
    assert value("kafka_connect_connect_worker_metrics_connector_total_task_count", connector='odd "name"') == 2


def test_a_member_that_says_nothing_is_down_and_statuses_are_there_all_the_same(api: Api, value: Value) -> None:
    api.create("a")
    assert value("drover_worker_up", worker=WORKER) == 0
    assert value("kafka_connect_connector_metrics_status", connector="a", status="running") == 1


def test_a_member_that_speaks(api: Api, board: FakeBoard, value: Value) -> None:
    recorder = WorkerRecorder()
    recorder.begun(recorder.task(TaskId("a", 0), "source"))
    board.sent = {WORKER: orjson.dumps(recorder.figures()), "left-long-ago:1": b"never looked at"}
    assert value("drover_worker_up", worker=WORKER) == 1
    assert value("drover_task_batches_total", worker=WORKER, connector="a", task="0") == 0
    assert value("drover_worker_up", worker="left-long-ago:1") is None


def test_the_control_room_reads_what_is_told(api: Api, board: FakeBoard) -> None:
    recorder = WorkerRecorder()
    source, sink = recorder.task(TaskId('odd "name"', 0), "source"), recorder.task(TaskId("sink", 1), "sink")
    for task in (source, sink):
        recorder.begun(task)
    source.fetched(40)
    source.wrote(30)
    sink.saw({("t", 0): 100, ("t", 1): 50}, {("t", 0): 90, ("t", 1): 45})
    board.sent = {WORKER: orjson.dumps(recorder.figures())}
    told = exposition.read(api.get("/metrics").content.decode())
    assert told.lags == {"sink": 15}
    assert told.counters == {
        exposition.Counter('odd "name"', "0", WORKER, outward=False): 40,
        exposition.Counter('odd "name"', "0", WORKER, outward=True): 30,
        exposition.Counter("sink", "1", WORKER, outward=False): 0,
        exposition.Counter("sink", "1", WORKER, outward=True): 0,
    }


def test_without_redis_the_statuses_are_served(api: Api, value: Value, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(metrics, "board", lambda: Board("redis://127.0.0.1:1/0", "group"))
    api.create("a")
    assert value("kafka_connect_connector_metrics_status", connector="a", status="running") == 1
    assert value("drover_worker_up", worker=WORKER) == 0


def test_a_trailing_slash_and_other_methods(api: Api, board: FakeBoard) -> None:
    assert api.get("/metrics/").status_code == 200
    assert api.request("POST", "/metrics").status_code == 405


def test_the_herder_counts_starts_restarts_and_rebalances(api: Api) -> None:
    """The real host and herder, asked directly: what they tell the recorder they were given."""

    def fail() -> None:
        raise ValueError("no")

    api.create("a", tasks="3")
    api.herding.runner.on["start", TaskId("b", 0)] = fail
    api.create("b", tasks="1")
    api.request("POST", "/connectors/a/restart?includeTasks=true")
    api.herding.settle()
    recorder = api.herding.recorder

    def seen(name: str) -> float:
        return float(recorder.figures()["worker"][name])

    prefix = "kafka_connect_connect_worker"
    until(lambda: seen(f"{prefix}_rebalance_metrics_rebalancing") == 0)
    assert seen(f"{prefix}_metrics_connector_startup_success_total") == 3
    starts = [seen(f"{prefix}_metrics_task_startup_{what}_total") for what in ("attempts", "success", "failure")]
    assert starts == [7, 6, 1]
    assert (seen("drover_worker_connector_restarts_total"), seen("drover_worker_task_restarts_total")) == (1, 3)
    assert (seen(f"{prefix}_metrics_connector_count"), seen(f"{prefix}_metrics_task_count")) == (2, 4)
    assert seen(f"{prefix}_rebalance_metrics_epoch") == api.herding.assignments.epoch
    assert seen(f"{prefix}_rebalance_metrics_completed_rebalances_total") >= 1
    assert recorder.rebalances.leader == WORKER
