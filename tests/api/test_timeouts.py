"""What waits for the herder and what does not (facts §1.7, KIP-1017)."""

import threading
from collections.abc import Iterator

import orjson
import pytest

from tests.api.conftest import Api, DirectRequests

BUSY = "generating task configs for connector a"


@pytest.fixture
def blocked(api: Api) -> Iterator[Api]:
    """The herder's thread is at something that does not come to its end."""
    api.create()
    gate = threading.Event()
    entered = threading.Event()

    def hang() -> None:
        with api.herding.herder.stages.during(BUSY):
            entered.set()
            gate.wait(30)

    held = api.herding.ask(hang)
    assert entered.wait(10)
    requests = api.remote._requests
    assert isinstance(requests, DirectRequests)
    requests.timeout = 0.2
    yield api
    gate.set()
    held.result(10)


@pytest.mark.parametrize(
    "path",
    [
        "/",
        "/connectors",
        "/connectors?expand=info&expand=status",
        "/connectors/a",
        "/connectors/a/config",
        "/connectors/a/status",
        "/connectors/a/tasks",
        "/connectors/a/tasks/0/status",
        "/connectors/a/topics",
        "/connectors/a/offsets",
        "/connector-plugins",
        "/admin/loggers",
        "/admin/loggers/root",
        "/api/v1/workers",
        "/api/v1/connectors/a/positions",
    ],
)
def test_reads_do_not_wait_for_the_herder(blocked: Api, path: str) -> None:
    assert blocked.get(path).status_code == 200


@pytest.mark.parametrize(
    ("method", "path", "body"),
    [
        ("POST", "/connectors", {"name": "b", "config": {"connector.class": "fake.Source"}}),
        ("PUT", "/connectors/a/config", {"connector.class": "fake.Source"}),
        ("DELETE", "/connectors/a", None),
        ("PUT", "/connectors/a/pause", None),
        ("PUT", "/connectors/a/resume", None),
        ("PUT", "/connectors/a/stop", None),
        ("POST", "/connectors/a/restart", None),
        ("POST", "/connectors/a/restart?includeTasks=true", None),
        ("POST", "/connectors/a/tasks/0/restart", None),
        ("PUT", "/connectors/a/topics/reset", None),
        ("PUT", "/admin/loggers/x?scope=cluster", {"level": "INFO"}),
    ],
)
def test_writes_that_time_out_are_told_what_it_is_at_and_change_nothing(
    blocked: Api, method: str, path: str, body: object
) -> None:
    before = blocked.herding.config_keys()
    response = blocked.request(method, path, body)
    error = orjson.loads(response.content)
    assert (response.status_code, error["error_code"]) == (500, 500)
    assert error["message"].startswith(f"Request timed out. The worker is currently {BUSY}, which began at 2")
    assert error["message"].endswith("Z.")
    assert blocked.herding.config_keys() == before
