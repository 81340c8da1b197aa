"""The REST API in one process: Django's test client, the real URLs and views, the web side's own snapshot, the leader's real
service and herder. Only Redis (a call instead), Kafka (logs in memory) and Spark (a runner that keeps notes) are not there."""

import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, cast

import orjson
import pytest
from django.http import HttpResponse
from django.test import Client

from connect_api import herder as holder
from tests.fakes import Herding, until
from workers.connectors.plugins import InstalledPlugins
from workers.herder import wire
from workers.herder.actions import Done
from workers.herder.ports import Plugins
from workers.herder.remote import RemoteHerder
from workers.herder.requests import Claim
from workers.herder.service import HerderService
from workers.herder.topics import TRACKING, TopicTracking
from workers.storage.assignment_store import AssignmentStore
from workers.storage.config_store import ConfigStore
from workers.storage.memory_log import MemoryLog
from workers.storage.status_store import StatusStore


class DirectRequests:
    """Takes the place of `workers.herder.requests.Requests`: the same JSON, without Redis in between."""

    def __init__(self, herding: Herding) -> None:
        self._service = HerderService(herding.herder, self, str)  # type: ignore[arg-type]
        self._answers: dict[str, bytes] = {}
        self.timeout = 10.0

    def claim(self, request: str) -> Claim:
        return Claim.OURS

    def send(self, request: str, answer: bytes) -> None:
        self._answers[request] = answer

    def ask(self, action: str, arguments: dict[str, Any], timeout: float | None = None, *, worker_id: str | None = None) -> Done:
        request = uuid.uuid4().hex
        self._service.handle(request, action, orjson.loads(orjson.dumps(arguments)), timeout or self.timeout, False)
        return wire.opened(self._answers.pop(request))


class Api:
    """`request` as curl would make it: a body is JSON unless another content type is named; without a body there is none."""

    def __init__(self, herding: Herding, remote: RemoteHerder) -> None:
        self.herding = herding
        self.remote = remote
        self._client = Client()

    def request(
        self, method: str, path: str, body: object = None, *, content_type: str | None = None, **headers: str
    ) -> HttpResponse:
        data = b"" if body is None else body if isinstance(body, bytes) else orjson.dumps(body)
        named = {} if content_type is None or body is not None else {"Content-Type": content_type}
        sent_as = "application/json" if content_type is None else content_type
        response = self._client.generic(method, path, data, content_type=sent_as, headers={**named, **headers}, REQUEST_URI=path)
        return cast(HttpResponse, response)

    def get(self, path: str, **headers: str) -> HttpResponse:
        return self.request("GET", path, **headers)

    def json(self, path: str) -> Any:
        return orjson.loads(self.get(path).content)

    def create(self, name: str = "a", initial_state: str | None = None, **config: str) -> HttpResponse:
        """Connector `name`, with all that follows from its creation done."""
        body = {"name": name, "config": {"connector.class": "fake.Source", "tasks.max": "9", **config}}
        response = self.request(
            "POST", "/connectors", body if initial_state is None else {**body, "initial_state": initial_state}
        )
        assert response.status_code == 201, response.content
        self.herding.settle()
        return response


@pytest.fixture
def herding() -> Iterator[Herding]:
    with Herding().started() as started:
        yield started


@pytest.fixture
def remote(herding: Herding) -> Iterator[RemoteHerder]:
    """The herder as a web process sees it: snapshots of its own of the same topics."""
    made = web_side(herding, herding.plugins)
    made.start()
    until(made._ready.is_set, "The web side has read the topics")
    holder.use(made)
    yield made
    holder.use(None)


def web_side(herding: Herding, plugins: Plugins, tracking: TopicTracking = TRACKING) -> RemoteHerder:
    return RemoteHerder(
        ConfigStore(MemoryLog(herding.config_topic)),
        StatusStore(MemoryLog(herding.status_topic)),
        AssignmentStore(MemoryLog(herding.cluster.assignment_topic)),
        plugins,
        DirectRequests(herding),  # type: ignore[arg-type]
        lambda: "cluster-1",
        tracking,
    )


@contextmanager
def api_of(plugins: InstalledPlugins) -> Iterator[Api]:
    """With real plug-ins. The tasks are still only noted down."""
    with Herding(plugins=plugins).started() as herding:  # type: ignore[arg-type]
        made = web_side(herding, plugins)
        made.start()
        until(made._ready.is_set)
        holder.use(made)
        yield Api(herding, made)
        holder.use(None)


@pytest.fixture
def api(herding: Herding, remote: RemoteHerder) -> Api:
    return Api(herding, remote)
