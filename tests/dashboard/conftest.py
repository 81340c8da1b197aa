"""What the control room's tests share: a real Apache Kafka Connect, a cluster that is a dictionary, and somebody signed in."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import httpx
import pytest
from django.contrib.auth.models import User
from django.test import Client

from connect_client import ConnectClient
from connect_client.retry import RetryPolicy
from dashboard.models import Cluster
from tests.peer import connect_worker


@pytest.fixture(scope="session")
def connect_cluster(kafka: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[ConnectClient]:
    """The REST API of a real Apache Kafka Connect. Give your connectors names of your own: it is shared."""
    with connect_worker(kafka, tmp_path_factory.mktemp("connect"), group="room") as client:
        yield client


@dataclass
class PaperCluster:
    """Answers like a Connect cluster from what a test has put in; `down` is an exception to answer with instead. With a `group`
    it is a Drover, without it does not tell its workers."""

    entries: dict[str, Any] = field(default_factory=dict)
    down: Exception | None = None
    asked: list[str] = field(default_factory=list)
    group: dict[str, Any] | None = None

    def put(
        self, name: str, connector: str, *tasks: str, trace: str = "Outer: o\nCaused by: java.io.IOException: disk full"
    ) -> None:
        def instance(state: str) -> dict[str, str]:
            return {"state": state, "worker_id": "w1:8083"} | ({"trace": trace} if state == "FAILED" else {})

        info = {"name": name, "config": {"name": name, "connector.class": "FileStreamSink", "db.password": "geheim"}, "tasks": []}
        told = [{"id": number, **instance(state)} for number, state in enumerate(tasks)]
        self.entries[name] = {
            "info": {**info, "type": "sink"},
            "status": {"name": name, "connector": instance(connector), "tasks": told, "type": "sink"},
        }

    def answer(self, request: httpx.Request) -> httpx.Response:
        if self.down:
            raise self.down
        path = request.url.raw_path.decode()
        self.asked.append(f"{request.method} {path}")
        if path == "/api/v1/workers":
            return self._workers(request)
        if request.method == "GET":
            return httpx.Response(200, json={"version": "4.3.0"} if path == "/" else self.entries)
        if "/restart?" in path:
            return self._restart(path.split("/")[2])
        return httpx.Response(202)

    def client(self) -> ConnectClient:
        return ConnectClient("http://paper", transport=httpx.MockTransport(self.answer), retry=RetryPolicy(attempts=1))

    def place(self, moving: tuple[tuple[str, int | None], ...] = (), **workers: str) -> None:
        """Each worker with what it runs, in words: `w1="orders orders/0 lake/1"`. The first leads."""

        def told(worker_id: str, words: list[str]) -> dict[str, Any]:
            tasks = [{"connector": word.split("/")[0], "task": int(word.split("/")[1])} for word in words if "/" in word]
            return {
                "worker_id": f"{worker_id}:8083",
                "leader": worker_id == next(iter(workers)),
                "host": worker_id,
                "pid": 7,
                "started": 1_790_000_000_000,
                "connectors": [word for word in words if "/" not in word],
                "tasks": tasks,
            }

        self.group = {
            "epoch": 1,
            "leader": None,
            "workers": [told(worker_id, words.split()) for worker_id, words in workers.items()],
            "moving": [{"connector": connector, "task": task} for connector, task in moving],
        }

    def _workers(self, request: httpx.Request) -> httpx.Response:
        if self.group is None:
            return httpx.Response(404, json={"error_code": 404, "message": "HTTP 404 Not Found"})
        etag = f'"{hash(str(self.group))}"'
        unchanged = request.headers.get("If-None-Match") == etag
        return httpx.Response(304 if unchanged else 200, json=self.group, headers={"ETag": etag})

    def _restart(self, name: str) -> httpx.Response:
        if name not in self.entries:
            return httpx.Response(404, json={"error_code": 404, "message": f"Unknown connector: {name}"})
        status = self.entries[name]["status"]
        failed_ones = [{**task, "state": "RESTARTING"} if task["state"] == "FAILED" else task for task in status["tasks"]]
        return httpx.Response(202, json={**status, "tasks": failed_ones})


@pytest.fixture
def paper(monkeypatch: pytest.MonkeyPatch) -> PaperCluster:
    """Every cluster of the database is reached as this one."""
    paper = PaperCluster()
    monkeypatch.setattr("dashboard.actions.client", lambda _cluster: paper.client())
    return paper


@pytest.fixture
def cluster(db: None) -> Cluster:
    return Cluster.objects.create(name="eu", url="http://paper")


@pytest.fixture
def room(db: None) -> Client:
    """A browser that somebody has signed in with."""
    client = Client()
    client.force_login(User.objects.create_user("operator"))
    return client
