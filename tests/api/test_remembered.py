"""Which answers are given again, and when they are made anew; by the server, over connections that are kept."""

from collections.abc import Iterator

import httpx
import pytest
from django.core.wsgi import get_wsgi_application

from connect_api import remembered
from connect_api.herder import use
from tests.api.conftest import Api
from web.server import Door, bound, serving


@pytest.fixture
def client(api: Api) -> Iterator[httpx.Client]:
    with (
        bound("127.0.0.1", 0) as listener,
        serving(get_wsgi_application(), [Door(listener)], longest_body=10_000, made_of=remembered.made_of),
        httpx.Client(base_url=f"http://127.0.0.1:{listener.getsockname()[1]}") as client,
    ):
        yield client


@pytest.mark.parametrize(
    "target",
    [
        *("/connectors", "/connectors?expand=status", "/connectors/", "/connectors/a", "/connectors/a/status"),
        *("/connectors/a/config", "/connectors/a/tasks", "/connectors/a%2Fb/status", "/connectors/%C5%99"),
    ],
)
def test_what_is_remembered(api: Api, target: str) -> None:
    assert remembered.made_of(target.encode()) is not None


@pytest.mark.parametrize(
    "target",
    [
        *("/", "/health", "/metrics", "/connectorsx", "/connector-plugins", "//connectors", "connectors", "*", "/ui/"),
        *("/connectors/a/offsets", "/connectors/a/topics", "/connectors/a/tasks/0/status", "/connectors/a/"),
        *("/connectors/a;v=1", "/connectors/a/status?x", "/connectors/%FF", "http://x/connectors"),
    ],
)
def test_what_is_not(api: Api, target: str) -> None:
    assert remembered.made_of(target.encode()) is None


def test_nothing_is_without_a_herder(api: Api) -> None:
    use(None)
    assert remembered.made_of(b"/connectors") is None


def test_every_change_is_seen_at_once(api: Api, client: httpx.Client) -> None:
    api.create("a")
    for _ in range(3):
        assert client.get("/connectors/a/status").json()["connector"]["state"] == "RUNNING"
        assert list(client.get("/connectors?expand=info").json()) == ["a"]
        assert client.get("/connectors/a/config").json()["tasks.max"] == "9"
        assert len(client.get("/connectors/a/tasks").json()) > 0
    assert client.put("/connectors/a/config", json={"connector.class": "fake.Source", "tasks.max": "1"}).status_code == 200
    api.herding.settle()
    for _ in range(3):
        assert client.get("/connectors/a/config").json()["tasks.max"] == "1"
    assert client.put("/connectors/a/stop").status_code == 204
    api.herding.settle()
    for _ in range(3):
        assert client.get("/connectors/a/status").json()["connector"]["state"] == "STOPPED"
        assert client.get("/connectors/a/tasks").json() == []
        assert client.get("/connectors/a").json()["tasks"] == []
    assert client.delete("/connectors/a").status_code == 204
    for _ in range(2):
        assert client.get("/connectors/a").status_code == 404
        assert client.get("/connectors").json() == []


def test_who_would_wait_is_not_answered_from_before(api: Api, client: httpx.Client) -> None:
    etag = client.get("/connectors").headers["ETag"]
    waiting = {"If-None-Match": etag, "Prefer": "wait=1"}
    for _ in range(2):
        response = client.get("/connectors", headers=waiting)
        assert (response.status_code, response.elapsed.total_seconds() >= 1) == (304, True)
