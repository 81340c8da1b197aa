"""`/admin/loggers` (KIP-495, KIP-976). More: tests/conformance/answers/cases/loggers.py."""

import logging
import threading
import uuid
from collections.abc import Iterator

import orjson
import pytest

from connect_api import herder as holder
from tests import levels
from tests.api.conftest import Api
from tests.api.expect import expect_empty, expect_error, expect_json
from tests.api.test_standalone import Api as AloneApi
from tests.fakes import Herding, until
from tests.standalone import Alone
from workers.herder.actions import Done
from workers.herder.errors import HerderError, Unavailable
from workers.herder.requests import TimedOut
from workers.storage.records import logger_record


@pytest.fixture
def name() -> Iterator[str]:
    with levels.kept():
        yield f"example-{uuid.uuid4().hex}"


def put(api: Api, name: str, level: str, query: str = "") -> object:
    return orjson.loads(api.request("PUT", f"/admin/loggers/{name}{query}", {"level": level}).content or b"null")


def test_a_list_of_all_sorted(api: Api, name: str) -> None:
    assert put(api, name, "debug") == [name]
    found = api.json("/admin/loggers")
    assert found["root"] == {"level": "INFO", "last_modified": None}
    assert found[name]["level"] == "DEBUG"
    assert list(found) == sorted(found)


def test_one(api: Api, name: str) -> None:
    expect_json(api.get("/admin/loggers/Root"), 200, '{"level":"INFO","last_modified":null}')
    expect_error(api.get(f"/admin/loggers/{name}"), 404, f"Logger {name} not found.")
    put(api, name, "TRACE")
    found = api.json(f"/admin/loggers/{name}")
    assert (list(found), found["level"]) == (["level", "last_modified"], "TRACE")
    assert found["last_modified"] > 1_700_000_000_000


@pytest.mark.parametrize(
    ("body", "status", "message"),
    [
        ({"level": "HIGH"}, 404, "invalid log level 'HIGH'."),
        ({}, 400, "Desired 'level' parameter was not specified in request."),
        (b"null", 400, "Desired 'level' parameter was not specified in request."),
        (["DEBUG"], 400, "Cannot deserialize value of type `java.util.LinkedHashMap`: a JSON object of strings was expected"),
    ],
)
@pytest.mark.parametrize("scope", ["worker", "cluster"])
def test_what_is_wrong_changes_nothing(api: Api, name: str, body: object, status: int, message: str, scope: str) -> None:
    expect_error(api.request("PUT", f"/admin/loggers/{name}?scope={scope}", body), status, message)
    assert api.get(f"/admin/loggers/{name}").status_code == 404
    assert api.herding.config_keys() == []


def test_for_the_cluster_it_is_a_record(api: Api, name: str) -> None:
    expect_empty(api.request("PUT", f"/admin/loggers/{name}?scope=Cluster", {"level": "debug"}), 204)
    assert api.json(f"/admin/loggers/{name}")["level"] == "DEBUG"
    assert [(record.key, record.value) for record in api.herding.config_topic.records] == [
        (f"logger-cluster-{name}".encode(), b'{"level":"debug"}')
    ]


def test_a_record_of_the_past_is_not_followed(name: str) -> None:
    with Herding().started() as first:
        first.call(lambda: first.herder.actions.set_cluster_level(name, "DEBUG"))
        first.herder.loggers.followed(5)
        logging.getLogger(name).setLevel(logging.ERROR)
        with Herding(cluster=first.cluster, worker_id="w2").started() as second:
            second.herder.loggers.followed(5)
            assert logging.getLogger(name).level == logging.ERROR
            first.configs.log.write([logger_record(name, "INFO")])
            until(lambda: logging.getLogger(name).level == logging.INFO)


def test_they_are_told_while_the_herder_is_busy(api: Api, name: str) -> None:
    gate = threading.Event()
    held = api.herding.ask(lambda: gate.wait(10))
    try:
        assert put(api, name, "DEBUG") == [name]
        assert api.json(f"/admin/loggers/{name}")["level"] == "DEBUG"
    finally:
        gate.set()
        held.result(10)


# --- several processes ------------------------------------------------------------------------------------------------


class Workers:
    """What each worker answers, in place of the one there is."""

    def __init__(self, api: Api, **answers: object) -> None:
        self.asked: list[tuple[str | None, str]] = []
        self.answers = {api.herding.worker_id: answers["answer"]}

    def ask(self, action: str, arguments: object, timeout: float | None = None, *, worker_id: str | None = None) -> Done:
        self.asked.append((worker_id, action))
        answer = self.answers[str(worker_id)]
        if isinstance(answer, HerderError):
            raise answer
        return Done(answer)


def test_a_workers_loggers_are_asked_of_it_and_are_one_list_with_ones_own(api: Api, monkeypatch: pytest.MonkeyPatch) -> None:
    workers = Workers(api, answer={"org.apache.spark": ["WARN", None], "root": ["ERROR", 7]})
    monkeypatch.setattr(api.remote, "_requests", workers)
    assert api.json("/admin/loggers/org.apache.spark") == {"level": "WARN", "last_modified": None}
    assert api.json("/admin/loggers/root") == {"level": "ERROR", "last_modified": 7}
    assert set(workers.asked) == {(api.herding.worker_id, "loggers")}


def test_what_changed_in_any_process_is_told(api: Api, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(api.remote, "_requests", Workers(api, answer=[f"{name}.in.spark"]))
    assert put(api, name, "DEBUG") == [name, f"{name}.in.spark"]


def test_a_worker_that_does_not_tell_is_left_out(api: Api, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(api.remote, "_requests", Workers(api, answer=TimedOut("Request timed out")))
    assert api.json("/admin/loggers/root")["level"] == "INFO"


@pytest.mark.parametrize(
    ("answer", "status", "message"),
    [
        (TimedOut("Request timed out"), 500, "Worker {} did not set the level: Request timed out"),
        (Unavailable("Redis is gone"), 503, "Redis is gone"),
    ],
)
def test_a_worker_that_cannot_be_reached_fails_the_change(
    api: Api, name: str, monkeypatch: pytest.MonkeyPatch, answer: HerderError, status: int, message: str
) -> None:
    monkeypatch.setattr(api.remote, "_requests", Workers(api, answer=answer))
    response = api.request("PUT", f"/admin/loggers/{name}", {"level": "DEBUG"})
    expect_error(response, status, message.format(api.herding.worker_id))
    assert not logging.getLogger(name).isEnabledFor(logging.DEBUG)


# --- standalone -------------------------------------------------------------------------------------------------------


@pytest.fixture
def alone() -> Iterator[AloneApi]:
    with Alone().started() as alone:
        holder.use(alone.herder)
        yield AloneApi(alone)
        holder.use(None)


def test_a_worker_that_is_alone(alone: AloneApi, name: str) -> None:
    expect_json(alone.request("PUT", f"/admin/loggers/{name}", {"level": "DEBUG"}), 200, f'["{name}"]')
    expect_json(alone.request("PUT", f"/admin/loggers/{name}", {"level": "DEBUG"}), 200, "[]")
    expect_empty(alone.request("PUT", f"/admin/loggers/{name}?scope=cluster", {"level": "ERROR"}), 204)
    assert orjson.loads(alone.get(f"/admin/loggers/{name}").content)["level"] == "ERROR"
    assert name in orjson.loads(alone.get("/admin/loggers").content)
