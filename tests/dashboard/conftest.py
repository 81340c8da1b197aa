"""What the control room's tests share: a real Apache Kafka Connect, a cluster that is a dictionary, and somebody signed in."""

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import httpx
import pytest
from django.contrib.auth.models import User
from django.test import Client

from connect_client import ConnectClient
from connect_client.retry import RetryPolicy
from dashboard.follow.follower import Follower
from dashboard.follow.pace import Pace
from dashboard.live.messages import CHANNEL
from dashboard.live.publisher import Publisher
from dashboard.models import Cluster
from tests.peer import connect_worker

PACE = Pace(poll=1.0, rest=0.05, retry_first=0.5, retry_longest=15.0)


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
    version: str = "4.3.0"
    down: Exception | None = None
    asked: list[str] = field(default_factory=list)
    group: dict[str, Any] | None = None
    #: By connector, `{partition as text: offset}`; and how far its partitions reach, which only a Drover tells.
    offsets: dict[str, dict[str, Any]] = field(default_factory=dict)
    positions: dict[str, list[dict[str, Any]]] = field(default_factory=dict)
    #: What requests are answered with instead, by method and the path's last part: `{"PATCH offsets": (400, "No.")}`.
    refusals: dict[str, tuple[int, str]] = field(default_factory=dict)
    #: `{name: {"level", "last_modified"}}`, and whether the cluster knows `scope=cluster`.
    loggers: dict[str, dict[str, Any]] = field(default_factory=dict)
    cluster_scope: bool = True
    #: What has been sent with the last request that had a body.
    body: Any = None

    def put(
        self,
        name: str,
        connector: str,
        *tasks: str,
        trace: str = "Outer: o\nCaused by: java.io.IOException: disk full",
        type: str = "sink",
    ) -> None:
        def instance(state: str) -> dict[str, str]:
            return {"state": state, "worker_id": "w1:8083"} | ({"trace": trace} if state == "FAILED" else {})

        info = {"name": name, "config": {"name": name, "connector.class": "FileStreamSink", "db.password": "geheim"}, "tasks": []}
        told = [{"id": number, **instance(state)} for number, state in enumerate(tasks)]
        self.entries[name] = {
            "info": {**info, "type": type},
            "status": {"name": name, "connector": instance(connector), "tasks": told, "type": type},
        }

    def answer(self, request: httpx.Request) -> httpx.Response:
        if self.down:
            raise self.down
        path = request.url.raw_path.decode()
        self.asked.append(f"{request.method} {path}")
        if path == "/api/v1/workers":
            return self._workers(request)
        refusal = self.refusals.get(f"{request.method} {request.url.path.rpartition('/')[2]}")
        if refusal:
            return httpx.Response(refusal[0], json={"error_code": refusal[0], "message": refusal[1]})
        if request.url.path.endswith(("/offsets", "/positions")):
            return self._offsets(request)
        if request.url.path.startswith("/admin/loggers"):
            return self._loggers(request)
        if request.method == "GET":
            return httpx.Response(200, json={"version": self.version} if path == "/" else self.entries)
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

    def stand(self, name: str, offsets: dict[tuple[str, int], int], ends: dict[tuple[str, int], int] | None = None) -> None:
        """A sink's partitions; with `ends` their cluster is a Drover. They begin at 10, and any moment is at 50."""

        def kafka(partition: tuple[str, int]) -> dict[str, Any]:
            return {"kafka_partition": partition[1], "kafka_topic": partition[0]}

        self.offsets[name] = {json.dumps(kafka(at)): {"kafka_offset": offset} for at, offset in offsets.items()}
        self.positions.pop(name, None)
        if ends is not None:
            self.positions[name] = [
                {
                    "partition": kafka(at),
                    "offset": {"kafka_offset": offsets[at]} if at in offsets else None,
                    "beginning": 10,
                    "end": end,
                    "at": None,
                }
                for at, end in ends.items()
            ]

    def _offsets(self, request: httpx.Request) -> httpx.Response:
        name = request.url.path.split("/")[-2]
        if request.url.path.startswith("/api/"):
            if name not in self.positions:
                return httpx.Response(404, json={"error_code": 404, "message": "HTTP 404 Not Found"})
            at = 50 if "time" in request.url.params else None
            return httpx.Response(200, json={"positions": [{**position, "at": at} for position in self.positions[name]]})
        known = self.offsets.setdefault(name, {})
        if request.method == "GET":
            told = [{"partition": json.loads(partition), "offset": offset} for partition, offset in known.items()]
            return httpx.Response(200, json={"offsets": told})
        if request.method == "DELETE":
            known.clear()
            return httpx.Response(200, json={"message": "The offsets have been reset."})
        self.body = json.loads(request.content)
        for item in self.body["offsets"]:
            known[json.dumps(item["partition"])] = item["offset"]
        self.offsets[name] = {partition: offset for partition, offset in known.items() if offset is not None}
        return httpx.Response(200, json={"message": "The offsets have been altered."})

    def _loggers(self, request: httpx.Request) -> httpx.Response:
        if request.method == "GET":
            return httpx.Response(200, json=self.loggers)
        name, self.body = request.url.path.removeprefix("/admin/loggers/"), json.loads(request.content)
        self.loggers[name] = {"level": self.body["level"], "last_modified": 1_790_000_000_000}
        whole = self.cluster_scope and request.url.params.get("scope") == "cluster"
        return httpx.Response(204) if whole else httpx.Response(200, json=[name])

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


class Notebook(Publisher):
    """Keeps what would have been published."""

    def __init__(self) -> None:
        self.messages: list[bytes] = []

    def publish(self, message: bytes, channel: str = CHANNEL) -> None:
        self.messages.append(message)


@pytest.fixture
def paper(monkeypatch: pytest.MonkeyPatch) -> PaperCluster:
    """Every cluster of the database is reached as this one."""
    paper = PaperCluster()
    monkeypatch.setattr("dashboard.clusters._client", lambda _access: paper.client())
    return paper


@pytest.fixture
def cluster(db: None) -> Cluster:
    return Cluster.objects.create(name="eu", urls=["http://paper"])


@pytest.fixture
def notebook() -> Notebook:
    return Notebook()


@pytest.fixture
def follower(cluster: Cluster, paper: PaperCluster, notebook: Notebook) -> Follower:
    return Follower(cluster, paper.client(), notebook, PACE)


@pytest.fixture
def room(db: None) -> Client:
    """A browser that somebody has signed in with who may do everything."""
    client = Client()
    client.force_login(User.objects.create_superuser("operator"))
    return client
