"""The REST API of a worker that is alone: the same URLs and views; what was answered has been carried out (facts §17.1)."""

from collections.abc import Iterator
from typing import cast

import orjson
import pytest
from django.http import HttpResponse
from django.test import Client, override_settings

from connect_api import board
from connect_api import herder as holder
from standalone import settings as standalone_settings
from tests.api.expect import expect_empty, expect_error, expect_json, invalid
from tests.fakes import WORKER
from tests.standalone import Alone
from workers import COMMIT, VERSION
from workers.herder.values import TaskId
from workers.metrics.own_board import OwnBoard
from workers.metrics.worker_recorder import WorkerRecorder

CONFIG = '{"connector.class":"fake.Source","name":"a"}'
INFO = f'{{"name":"a","config":{CONFIG},"tasks":[{{"connector":"a","task":0}}],"type":"source"}}'
RUNNING = f'"state":"RUNNING","worker_id":"{WORKER}","version":"9.9"'
RESTARTING = RUNNING.replace("RUNNING", "RESTARTING")
FAILED_START = "Failed to transition connector a to state STARTED"


class Api:
    def __init__(self, alone: Alone) -> None:
        self.alone = alone
        self._client = Client()

    def request(self, method: str, path: str, body: object = None) -> HttpResponse:
        data = b"" if body is None else orjson.dumps(body)
        return cast(HttpResponse, self._client.generic(method, path, data, content_type="application/json"))

    def get(self, path: str) -> HttpResponse:
        return self.request("GET", path)

    def browse(self, path: str) -> HttpResponse:
        return cast(HttpResponse, self._client.get(path, headers={"Accept": "text/html,*/*;q=0.8"}))

    def create(self, **more: str) -> HttpResponse:
        return self.request("POST", "/connectors", {"name": "a", "config": {"connector.class": "fake.Source", **more}})


@pytest.fixture
def api() -> Iterator[Api]:
    with Alone().started() as alone:
        holder.use(alone.herder)
        yield Api(alone)
        holder.use(None)


def boom() -> None:
    raise RuntimeError("boom")


def test_a_connectors_life(api: Api) -> None:
    created = api.create()
    expect_json(created, 201, INFO)
    assert created["Location"] == "http://testserver/connectors/a"
    expect_json(api.get("/connectors/a"), 200, INFO)
    status = f'{{"name":"a","connector":{{{RUNNING}}},"tasks":[{{"id":0,{RUNNING}}}],"type":"source"}}'
    expect_json(api.get("/connectors/a/status"), 200, status)
    expect_json(api.get("/connectors?expand=info&expand=status"), 200, f'{{"a":{{"status":{status},"info":{INFO}}}}}')
    expect_empty(api.request("PUT", "/connectors/a/pause"), 202)
    assert b"RUNNING" not in api.get("/connectors/a/status").content
    expect_empty(api.request("PUT", "/connectors/a/resume"), 202)
    expect_json(api.get("/connectors/a/status"), 200, status)
    expect_empty(api.request("PUT", "/connectors/a/stop"), 204)
    expect_json(api.get("/connectors/a/tasks"), 200, "[]")
    expect_empty(api.request("DELETE", "/connectors/a"), 204)
    expect_error(api.get("/connectors/a/status"), 404, "No status found for connector a")
    expect_json(api.get("/connectors"), 200, "[]")


def test_put_shows_the_new_tasks(api: Api) -> None:
    assert api.request("PUT", "/connectors/a/config", {"connector.class": "fake.Source"}).status_code == 201
    config = {"connector.class": "fake.Source", "tasks": "2", "tasks.max": "2"}
    response = api.request("PUT", "/connectors/a/config", config)
    assert response.status_code == 200
    assert [task["task"] for task in orjson.loads(response.content)["tasks"]] == [0, 1]


def test_a_connector_that_cannot_start_exists(api: Api) -> None:
    api.alone.plugins.on["start", "a"] = boom
    expect_error(api.create(), 500, FAILED_START)
    assert orjson.loads(api.get("/connectors/a/status").content)["connector"]["state"] == "FAILED"
    expect_error(api.create(), 409, "Connector a already exists")
    expect_error(api.request("POST", "/connectors/a/restart"), 500, FAILED_START)


@pytest.mark.parametrize(
    ("query", "planned", "starts"),
    [
        (
            "includeTasks=true",
            f'{{"name":"a","connector":{{{RESTARTING}}},"tasks":[{{"id":0,{RESTARTING}}}],"type":"source"}}',
            2,
        ),
        ("onlyFailed=true", f'{{"name":"a","connector":{{{RUNNING}}},"tasks":[{{"id":0,{RUNNING}}}],"type":"source"}}', 1),
    ],
)
def test_a_restart_is_answered_with_its_plan_and_over(api: Api, query: str, planned: str, starts: int) -> None:
    api.create()
    expect_json(api.request("POST", f"/connectors/a/restart?{query}"), 202, planned)
    assert (api.alone.plugins.count("start"), api.alone.runner.count("start", TaskId("a", 0))) == (starts, starts)
    assert b"RESTARTING" not in api.get("/connectors/a/status").content


def test_the_other_restarts(api: Api) -> None:
    api.create()
    expect_empty(api.request("POST", "/connectors/a/restart"), 204)
    expect_empty(api.request("POST", "/connectors/a/tasks/0/restart"), 204)
    api.alone.runner.on["start", TaskId("a", 0)] = boom
    expect_error(api.request("POST", "/connectors/a/tasks/0/restart"), 500, "Failed to start task: a-0")


@pytest.mark.parametrize(
    ("method", "path", "status", "message"),
    [
        ("GET", "", 404, "Connector no not found"),
        ("DELETE", "", 404, "Connector no not found"),
        ("PUT", "/pause", 404, "Unknown connector no"),
        ("PUT", "/stop", 500, "No connector `no` configured"),
        ("POST", "/restart", 404, "Unknown connector: no"),
        ("POST", "/restart?includeTasks=true", 404, "Unknown connector: no"),
        (
            "POST",
            "/tasks/0/restart",
            500,
            "Failed to start task no-0 since it is not a recognizable type (source or sink)",
        ),
    ],
)
def test_an_unknown_connector(api: Api, method: str, path: str, status: int, message: str) -> None:
    expect_error(api.request(method, f"/connectors/no{path}"), status, message)


def test_a_patch_is_over_when_it_is_answered(api: Api) -> None:
    api.create(x="1")
    config = '{"connector.class":"fake.Source","name":"a","tasks":"2","tasks.max":"2"}'
    tasks = '[{"connector":"a","task":0},{"connector":"a","task":1}]'
    info = f'{{"name":"a","config":{config},"tasks":{tasks},"type":"source"}}'
    expect_json(api.request("PATCH", "/connectors/a/config", {"x": None, "tasks": "2", "tasks.max": 2}), 200, info)
    expect_json(api.get("/connectors/a"), 200, info)


def test_a_validation(api: Api) -> None:
    value = '{"name":"invalid","value":null,"recommended_values":[],"errors":["bad topic"],"visible":true}'
    expect_json(
        api.request(
            "PUT", "/connector-plugins/fake.Source/config/validate", {"connector.class": "fake.Source", "invalid": "bad topic"}
        ),
        200,
        f'{{"name":"fake.Source","error_count":1,"groups":[],"configs":[{{"definition":null,"value":{value}}}]}}',
    )
    expect_error(api.get("/connector-plugins/no/config"), 404, "Unknown plugin no.")


def test_a_null_in_a_config(api: Api) -> None:
    body = {"name": "a", "config": {"connector.class": None}}
    expect_error(
        api.request("POST", "/connectors", body), 400, invalid("Null value can not be supplied as the configuration value.")
    )


def test_what_tells_of_the_worker(api: Api) -> None:
    expect_json(api.get("/"), 200, f'{{"version":"{VERSION}","commit":"{COMMIT}","kafka_cluster_id":"cluster-1"}}')
    message = "Worker has completed startup and is ready to handle requests."
    expect_json(api.get("/health"), 200, f'{{"status":"healthy","message":"{message}"}}')
    api.create()
    group = orjson.loads(api.get("/api/v1/workers").content)
    assert group["leader"] == WORKER
    assert len(orjson.loads(api.get("/connector-plugins").content)) == 2


@pytest.fixture
def process(api: Api) -> Iterator[Api]:
    """As in a standalone worker's own process."""
    board.use(OwnBoard(WorkerRecorder(), WORKER))
    with override_settings(ROOT_URLCONF=standalone_settings.ROOT_URLCONF, MIDDLEWARE=standalone_settings.MIDDLEWARE):
        yield api
    board.use(None)


def test_there_is_no_control_room(process: Api) -> None:
    """Browsers, who take anything in the end, get what everybody gets."""
    root = process.browse("/")
    expect_json(root, 200, f'{{"version":"{VERSION}","commit":"{COMMIT}","kafka_cluster_id":"cluster-1"}}')
    for path in ("/ui/", "/nope"):
        expect_error(process.browse(path), 404, "HTTP 404 Not Found")


def test_metrics(process: Api) -> None:
    process.create()
    figures = process.get("/metrics").content.decode()
    assert 'drover_worker_up{worker="' + WORKER + '"} 1' in figures
    assert 'kafka_connect_connector_metrics_status{connector="a",status="running"} 1' in figures


def test_before_it_is_ready_it_is_starting() -> None:
    alone = Alone()
    holder.use(alone.herder)
    try:
        health = Api(alone).get("/health")
        assert health.status_code == 503
        message = orjson.loads(health.content)["message"]
        assert message.startswith("Worker is still starting up. The worker is currently awaiting startup, which began at 2")
        expect_json(Api(alone).get("/connectors"), 200, "[]")
    finally:
        holder.use(None)
