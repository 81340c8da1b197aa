"""A round of the sampler: what it asks, what it writes down, and what it survives."""

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

import httpx
import pytest
from django.test import Client

from connect_client import ConnectClient
from connect_client.retry import RetryPolicy
from dashboard.follow.recorder import Recorder
from dashboard.follow.upkeep import Upkeep
from dashboard.models import Cluster, Readings, Sampling, StateChange
from dashboard.sampling import sampler as module
from dashboard.sampling.lags import Lags
from dashboard.sampling.sampler import ClusterSampler, Sampler, grow_old
from dashboard.sampling.series import COARSE
from tests.dashboard.conftest import PaperCluster

NOW = datetime(2026, 11, 21, 12, 58, tzinfo=UTC)
MINUTE = timedelta(minutes=1)


class Drover:
    """Tells metrics, or an error in place of them; `asked` counts."""

    def __init__(self) -> None:
        self.records, self.lag, self.status, self.asked = 0, 0, 200, 0

    def answer(self, request: httpx.Request) -> httpx.Response:
        self.asked += 1
        assert request.url.path == "/metrics"
        labels = '{connector="orders",task="0",worker="w1:8083"}'
        read = f"kafka_connect_sink_task_metrics_sink_record_read_total{labels} {self.records}"
        text = f"{read}\ndrover_sink_task_record_lag{labels} {self.lag}\n"
        return httpx.Response(self.status, text=text if self.status == 200 else "no")

    def client(self) -> ConnectClient:
        return ConnectClient("http://paper", transport=httpx.MockTransport(self.answer), retry=RetryPolicy(attempts=1))


class Kafka:
    """Tells lags of groups."""

    def __init__(self, lags: dict[str, int], error: str = "") -> None:
        self.lags, self.error = lags, error
        self.groups: dict[str, str] = {}

    def of(self, groups: Mapping[str, str]) -> Lags:
        self.groups = dict(groups)
        return Lags({name: self.lags[group] for name, group in groups.items() if group in self.lags}, self.error)


@pytest.fixture
def drover(monkeypatch: pytest.MonkeyPatch) -> Drover:
    drover = Drover()
    monkeypatch.setattr(module, "connect", lambda _access, timeout: drover.client())
    clock = iter(range(0, 100_000, 60))
    whole = ClusterSampler
    monkeypatch.setattr(module, "ClusterSampler", lambda client, servers: whole(client, servers, lambda: float(next(clock))))
    return drover


def points(connector: str = "orders") -> list[list[Any]]:
    return [point for row in Readings.objects.filter(connector=connector).order_by("hour") for point in row.points]


def test_rounds_are_written_down_by_the_hour(cluster: Cluster, drover: Drover) -> None:
    sampler = Sampler()
    for minute in range(4):
        drover.records, drover.lag = 600 * minute, minute
        sampler.step(NOW + minute * MINUTE)
    assert points() == [[3480, None, None, 0], [3540, 10.0, 0.0, 1], [0, 10.0, 0.0, 2], [60, 10.0, 0.0, 3]]
    assert Readings.objects.count() == 2
    sampling = Sampling.objects.get()
    assert (sampling.at, sampling.tells_metrics, sampling.metrics_error) == (NOW + 3 * MINUTE, True, "")
    assert drover.asked == 4


def test_after_a_restart_an_hour_goes_on(cluster: Cluster, drover: Drover) -> None:
    Sampler().step(NOW)
    Sampler().step(NOW + MINUTE)
    assert [point[0] for point in points()] == [3480, 3540]


@pytest.mark.parametrize(("status", "tells", "error"), [(404, False, ""), (500, None, "HTTP 500")])
def test_a_cluster_without_metrics(cluster: Cluster, drover: Drover, status: int, tells: bool | None, error: str) -> None:
    drover.status = status
    Sampler().step(NOW)
    sampling = Sampling.objects.get()
    assert sampling.tells_metrics is tells
    assert error in sampling.metrics_error
    assert points() == []


def test_lag_of_any_cluster_comes_from_kafka(drover: Drover) -> None:
    drover.status = 404
    kafka = Kafka({"connect-orders": 7})
    sampler = ClusterSampler(drover.client(), "k:9092", lambda: 0.0, lambda _servers: kafka)  # type: ignore[arg-type,return-value]
    told = sampler.ask({"orders": "connect-orders", "idle": "connect-idle"})
    assert (told.lags, told.flows, told.points(5)) == ({"orders": 7}, {}, {"orders": [5, None, None, 7]})


def test_what_tasks_tell_goes_before_kafka(drover: Drover) -> None:
    drover.lag = 3
    kafka = Kafka({"connect-orders": 7, "connect-other": 8}, "Broker: x")
    sampler = ClusterSampler(drover.client(), "k:9092", lambda: 0.0, lambda _servers: kafka)  # type: ignore[arg-type,return-value]
    told = sampler.ask({"orders": "connect-orders", "other": "connect-other"})
    assert (told.lags, told.lag_error) == ({"orders": 3, "other": 8}, "Broker: x")
    assert kafka.groups == {"other": "connect-other"}


def test_whose_groups_are_asked_for(cluster: Cluster, paper: PaperCluster) -> None:
    for name, type in (("orders", "sink"), ("own", "sink"), ("far", "sink"), ("lake", "source")):
        paper.put(name, "RUNNING", type=type)
    paper.entries["own"]["info"]["config"]["consumer.override.group.id"] = "mine"
    paper.entries["far"]["info"]["config"]["consumer.override.bootstrap.servers"] = "far:9092"
    Recorder(cluster).listing(paper.entries, NOW)
    assert module._groups([cluster]) == {cluster.pk: {"orders": "connect-orders", "own": "mine"}}


def test_figures_grow_coarse_and_go(cluster: Cluster) -> None:
    for hours, connector in ((1, "new"), (30, "older"), (24 * 8, "old")):
        hour = NOW.replace(minute=0) - timedelta(hours=hours)
        Readings.objects.create(
            cluster=cluster, connector=connector, hour=hour, points=[[second, 1, 2, 3] for second in range(0, 3600, 60)]
        )
    assert not grow_old(NOW)
    assert {row.connector: (len(row.points), row.step) for row in Readings.objects.all()} == {
        "new": (60, 60),
        "older": (6, COARSE),
    }


def test_upkeep_does_it_all(cluster: Cluster, drover: Drover) -> None:
    StateChange.objects.create(cluster=cluster, connector="orders", at=NOW - timedelta(days=40))
    Upkeep().step(NOW)
    assert len(points()) == 1
    assert not StateChange.objects.exists()


def test_page_and_api(room: Client, cluster: Cluster, paper: PaperCluster, drover: Drover) -> None:
    now = datetime.now(UTC)
    paper.put("orders", "RUNNING", "RUNNING")
    Recorder(cluster).listing(paper.entries, now)
    page = room.get("/ui/clusters/eu/connectors/orders").content.decode()
    assert page.count("the first of them are still to come") == 2
    assert "data-chart" not in page

    sampler = Sampler()
    for minute in (2, 1, 0):
        drover.records, drover.lag = drover.records + 600, 5
        sampler.step(now - minute * MINUTE)
    page = room.get("/ui/clusters/eu/connectors/orders?window=1h").content.decode()
    assert 'data-chart="/api/v1/connectors/eu/orders/metrics?window=1h"' in page
    assert "in 10, at most 10; out 0, at most 0 records/s" in page
    answer = room.get("/api/v1/connectors/eu/orders/metrics?window=1h").json()
    assert (answer["step"], [point[1:] for point in answer["points"]]) == (60, [[None, None, 5], [10, 0, 5], [10, 0, 5]])
    assert answer["missing"] == {}
    assert room.get("/api/v1/connectors/eu/orders/metrics?window=7d").json()["step"] == 600
    assert room.get("/api/v1/connectors/eu/orders/metrics?window=1y").status_code == 400
    assert room.get("/api/v1/connectors/eu/nobody/metrics").status_code == 404


def test_a_cluster_that_is_reached_in_another_way_is_asked_there(cluster: Cluster, monkeypatch: pytest.MonkeyPatch) -> None:
    """And what it was reached by before is closed."""
    asked: list[str] = []
    closed: list[str] = []

    class Client:
        def __init__(self, url: str) -> None:
            self.url = url

        def metrics(self) -> str:
            asked.append(self.url)
            return ""

        def close(self) -> None:
            closed.append(self.url)

    monkeypatch.setattr(module, "connect", lambda access, timeout: Client(access.urls[0]))
    sampler = Sampler()
    for url in ("http://a", "http://a", "http://b"):
        Cluster.objects.update(urls=[url])
        sampler.step(NOW)
    assert (asked, closed) == (["http://a", "http://a", "http://b"], ["http://a"])
    Cluster.objects.all().delete()
    sampler.step(NOW)
    assert closed == ["http://a", "http://b"]
