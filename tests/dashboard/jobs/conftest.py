"""A fleet on paper whose restarts are carried out, and the run of a job over it."""

import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

import httpx
import pytest

from connect_client import ConnectClient
from connect_client.retry import RetryPolicy
from dashboard.activity import Who
from dashboard.follow.recorder import Recorder
from dashboard.jobs import claims, targets
from dashboard.jobs.begin import begin
from dashboard.jobs.preview import preview
from dashboard.jobs.run import Run
from dashboard.jobs.verbs import JobVerb, Options
from dashboard.models import Cluster, ConnectorSnapshot, Job, JobItem
from dashboard.rights.roles import ADMIN_OF_ALL
from tests.dashboard.conftest import PaperCluster
from tests.dashboard.jobs.words import status_json

WHO = Who("ann")
FAILED = Options()


@dataclass
class Clock:
    """Goes by itself, and can be put forward."""

    ahead: timedelta = timedelta()

    def __call__(self) -> datetime:
        return datetime.now(UTC) + self.ahead

    def forward(self, seconds: float) -> None:
        self.ahead += timedelta(seconds=seconds)


@dataclass
class Fleet:
    """Clusters on paper by name; what they are asked for is carried out at once, except by connectors that are `stubborn`."""

    clock: Clock
    papers: dict[str, PaperCluster] = field(default_factory=dict)
    stubborn: set[str] = field(default_factory=set)
    #: By connector, what it is answered with instead, the first first; an exception is raised.
    answers: dict[str, list[int | Exception]] = field(default_factory=dict)
    #: Requests under way at this moment, by cluster, and the most that there ever were.
    now: dict[str, int] = field(default_factory=dict)
    most: dict[str, int] = field(default_factory=dict)
    #: While it is not set, no cluster answers.
    answering: threading.Event = field(default_factory=threading.Event)
    lock: threading.Lock = field(default_factory=threading.Lock)

    def add(self, cluster: str, **connectors: str) -> Cluster:
        row = Cluster.objects.create(name=cluster, urls=[f"http://{cluster}"])
        self.papers[cluster] = paper = PaperCluster()
        for name, words in connectors.items():
            self.set(cluster, name, words)
        Recorder(row).listing(paper.entries, datetime.now(UTC) - timedelta(minutes=1))
        return row

    def set(self, cluster: str, name: str, words: str, **more: str) -> None:
        entries = self.papers[cluster].entries
        info = {"name": name, "config": {"name": name, "connector.class": "Sink", "db.password": "geheim"}, "tasks": []}
        entries[name] = {"info": {**info, "type": "sink"}, "status": status_json(words, name=name, **more)}

    def words(self, cluster: str, name: str) -> str:
        status = self.papers[cluster].entries[name]["status"]
        return " ".join([status["connector"]["state"], *[task["state"] for task in status["tasks"]]])

    def look(self) -> None:
        """The followers look, and the clusters are what they see."""
        for name, paper in self.papers.items():
            recorder = Recorder(Cluster.objects.get(name=name))
            if paper.down:
                recorder.unreachable("no answer", self.clock())
            else:
                recorder.listing(paper.entries, self.clock())
                recorder.reached("4.3.0", self.clock())

    def client(self, url: str) -> ConnectClient:
        name = url.removeprefix("http://")
        return ConnectClient(
            url, transport=httpx.MockTransport(lambda request: self.answer(name, request)), retry=RetryPolicy(attempts=1)
        )

    def answer(self, cluster: str, request: httpx.Request) -> httpx.Response:
        with self.lock:
            self.now[cluster] = self.now.get(cluster, 0) + 1
            self.most[cluster] = max(self.most.get(cluster, 0), self.now[cluster])
        try:
            assert self.answering.wait(20)
            return self._answer(cluster, request)
        finally:
            with self.lock:
                self.now[cluster] -= 1

    def _answer(self, cluster: str, request: httpx.Request) -> httpx.Response:
        paper = self.papers[cluster]
        response = paper.answer(request)
        _, _, name, *rest = request.url.path.split("/")
        if self.answers.get(name):
            told = self.answers[name].pop(0)
            if isinstance(told, Exception):
                raise told
            return httpx.Response(told, json={"error_code": told, "message": f"HTTP {told}"})
        with self.lock:
            self._carry_out(cluster, name, request.method, rest)
        return response

    def _carry_out(self, cluster: str, name: str, method: str, rest: list[str]) -> None:
        if name in self.stubborn or name not in self.papers[cluster].entries:
            return
        own, *tasks = self.words(cluster, name).split()
        match method, rest:
            case "DELETE", []:
                del self.papers[cluster].entries[name]
                return
            case "POST", ["restart"]:
                own, *tasks = ["RUNNING" if state == "FAILED" else state for state in (own, *tasks)]
            case "POST", ["tasks", number, "restart"]:
                tasks[int(number)] = "RUNNING"
            case "PUT", ["stop"]:
                own, tasks = "STOPPED", []
            case "PUT", ["pause"]:
                own, *tasks = ["PAUSED"] * (1 + len(tasks))
            case "PUT", ["resume"]:
                own, *tasks = ["RUNNING"] * (1 + len(tasks))
        self.set(cluster, name, " ".join((own, *tasks)))

    @property
    def asked(self) -> list[str]:
        return sorted(line for paper in self.papers.values() for line in paper.asked)


@pytest.fixture
def fleet(monkeypatch: pytest.MonkeyPatch, db: None, clock: Clock) -> Fleet:
    fleet = Fleet(clock)
    fleet.answering.set()
    monkeypatch.setattr("dashboard.clusters._client", lambda access: fleet.client(access.urls[0]))
    return fleet


@pytest.fixture
def clock() -> Clock:
    return Clock()


def job_of(verb: JobVerb = JobVerb.RESTART, options: Options = FAILED, **more: Any) -> Job:
    """Over everything that there is."""
    ids = list(ConnectorSnapshot.objects.values_list("pk", flat=True))
    found = preview(verb, options, targets.by_ids(ids, ADMIN_OF_ALL, datetime.now(UTC)), ADMIN_OF_ALL)
    return begin(found, WHO, **more)


def run_of(job: Job, clock: Callable[[], datetime], by: str = "first") -> Run:
    assert claims.claim(job.pk, by, clock())
    return Run(job.pk, by, clock)


def items(job: Job) -> dict[str, tuple[str, str]]:
    """By connector, how it stands and why."""
    return {item.connector: (item.state, item.cause) for item in JobItem.objects.filter(job=job)}
