"""`/connectors` and what lies under one connector (facts §3, §4)."""

import threading
from contextlib import suppress

import pytest
from django.http import HttpResponse

from connect_api.paths import segment
from tests.api.conftest import Api
from tests.api.expect import expect_empty, expect_error, expect_json, invalid
from tests.fakes import WORKER, until
from workers.herder.values import TaskId
from workers.storage.log import LogError

T0 = TaskId("a", 0)
CONFIG = '{"connector.class":"fake.Source","tasks.max":"9","name":"a"}'
RUNNING = f'"state":"RUNNING","worker_id":"{WORKER}","version":"9.9"'
STATUS = f'{{"name":"a","connector":{{{RUNNING}}},"tasks":[{{"id":0,{RUNNING}}}],"type":"source"}}'
INFO = f'{{"name":"a","config":{CONFIG},"tasks":[{{"connector":"a","task":0}}],"type":"source"}}'


# --- POST /connectors -------------------------------------------------------------------------------------------------


def test_create(api: Api) -> None:
    body = b'{"name":" a ","config":{"connector.class":"fake.Source","tasks.max":9}}'
    response = api.request("POST", "/connectors", body, Host="connect.example:8083")
    # In the order of the request, the name behind it; tasks there are none yet.
    expect_json(response, 201, f'{{"name":"a","config":{CONFIG},"tasks":[],"type":"source"}}')
    assert response["Location"] == "http://connect.example:8083/connectors/a"


@pytest.mark.parametrize(
    ("initial", "state"), [("RUNNING", "RUNNING"), ("paused", "PAUSED"), ("STOPPED", "STOPPED"), (None, "RUNNING")]
)
def test_create_in_a_state(api: Api, initial: str | None, state: str) -> None:
    response = api.create(initial_state=initial)
    assert b"state" not in response.content
    assert api.herding.state() == state


def test_what_was_created_shows_at_once(api: Api) -> None:
    """In this very process; the herder may not even have begun to start it."""
    gate = threading.Event()
    api.herding.plugins.on["start", "a"] = lambda: gate.wait(5)
    api.request("POST", "/connectors", {"name": "a", "config": {"connector.class": "fake.Source"}})
    assert api.get("/connectors/a").status_code == 200
    expect_error(api.get("/connectors/a/status"), 404, "No status found for connector a")
    gate.set()


def test_a_name_is_taken_once(api: Api) -> None:
    api.create()
    again = {"name": "a", "config": {"connector.class": "fake.Source"}}
    expect_error(api.request("POST", "/connectors", again), 409, "Connector a already exists")


@pytest.mark.parametrize(
    ("body", "status", "message"),
    [
        ({"name": "a", "config": {}}, 400, "Connector config contains no connector type"),
        (
            {"name": "a", "config": {"connector.class": "fake.Source", "x": None}},
            400,
            invalid("Null value can not be supplied as the configuration value."),
        ),
        (
            {"name": "a", "config": {"connector.class": "fake.Source", "invalid": 'Missing "topic"'}},
            400,
            'Connector configuration is invalid and contains the following 1 error(s):\nMissing "topic"\n'
            "You can also find the above list of errors at the endpoint `/connector-plugins/{connectorType}/config/validate`",
        ),
        (
            {"name": "a", "config": {"name": "b"}},
            400,
            "Connector name configuration (b) doesn't match connector name in the URL (a)",
        ),
        ({"name": "a"}, 400, "The request has no 'config'"),
        (
            {"name": "a", "config": {}, "initial_state": "X"},
            400,
            "Cannot construct instance of `InitialState`, problem: No enum constant InitialState.X: "
            "it may be RUNNING, PAUSED or STOPPED",
        ),
    ],
)
def test_what_is_refused_changes_nothing(api: Api, body: object, status: int, message: str) -> None:
    expect_error(api.request("POST", "/connectors", body), status, message)
    assert (api.herding.config_keys(), api.get("/connectors").content) == ([], b"[]")


def test_what_kafka_did_not_take_is_not_there(api: Api) -> None:
    api.herding.writer.errors = [LogError("no leader")]
    body = {"name": "a", "config": {"connector.class": "fake.Source"}}
    expect_error(api.request("POST", "/connectors", body), 500, "Error writing connector configuration to Kafka")
    expect_error(api.get("/connectors/a"), 404, "Connector a not found")


# --- names ------------------------------------------------------------------------------------------------------------

NAMES = [
    "sp ace",
    "ünïcødé",
    "名前",
    "😀",
    "a+b",
    "a.b_c-1",
    "semi;colon",
    "a&b=c",
    "per%cent",
    "q?x#y",
    " lead",
    "config",
    "tasks",
    "a/b",
    "/",
    "a/status",
    "a//b/",
    "%2F",
    "%",
    "\\",
    "{x}",
    ".",
    "..",
    "../..",
    ".hidden",
]


@pytest.mark.parametrize("name", [name for name in NAMES if name == name.strip()])
def test_any_name_can_be_created_read_restarted_and_deleted(api: Api, name: str) -> None:
    path = f"/connectors/{segment(name)}"
    response = api.create(name)
    assert response["Location"] == f"http://testserver{path}"
    assert api.json("/connectors") == [name]
    assert api.json(path)["name"] == name
    assert api.json(f"{path}/status")["name"] == name
    assert api.json(f"{path}/topics") == {name: {"topics": []}}
    assert api.json(f"{path}/tasks")[0]["id"] == {"connector": name, "task": 0}
    assert api.json(f"{path}/tasks/0/status")["state"] == "RUNNING"
    assert api.request("PUT", f"{path}/config", {**api.json(f"{path}/config"), "k": "v"}).status_code == 200
    expect_empty(api.request("POST", f"{path}/restart"), 204)
    expect_empty(api.request("POST", f"{path}/tasks/0/restart"), 204)
    expect_empty(api.request("DELETE", path), 204)
    expect_error(api.get(path), 404, f"Connector {name} not found")


def test_a_name_of_one_space(api: Api) -> None:
    expect_error(api.get("/connectors/%20/status"), 404, "No status found for connector  ")


# --- GET /connectors --------------------------------------------------------------------------------------------------


def test_the_list_is_of_names(api: Api) -> None:
    expect_json(api.get("/connectors"), 200, "[]")
    api.create("b")
    api.create("a")
    assert set(api.json("/connectors")) == {"a", "b"}


@pytest.mark.parametrize(
    ("query", "body"),
    [
        ("expand=info", f'{{"a":{{"info":{INFO}}}}}'),
        ("expand=status", f'{{"a":{{"status":{STATUS}}}}}'),
        ("expand=foo", '{"a":{}}'),
        ("expand", '{"a":{}}'),
        # Not split.
        ("expand=info,status", '{"a":{}}'),
        ("other=info", '["a"]'),
    ],
)
def test_expand(api: Api, query: str, body: str) -> None:
    api.create()
    expect_json(api.get(f"/connectors?{query}"), 200, body)


@pytest.mark.parametrize("query", ["expand=info&expand=status", "expand=status&expand=info&expand=foo"])
def test_expand_both(api: Api, query: str) -> None:
    api.create()
    found = api.json(f"/connectors?{query}")
    assert found == {"a": {"info": api.json("/connectors/a"), "status": api.json("/connectors/a/status")}}


def test_a_connector_without_a_status_yet_is_listed_without(api: Api) -> None:
    gate = threading.Event()
    api.herding.plugins.on["start", "a"] = lambda: gate.wait(5)
    api.request("POST", "/connectors", {"name": "a", "config": {"connector.class": "fake.Source"}})
    expect_json(api.get("/connectors?expand=status"), 200, '{"a":{}}')
    gate.set()


# --- following the list -----------------------------------------------------------------------------------------------


def etag_of(response: HttpResponse) -> str:
    etag: str = response["ETag"]
    assert etag[0] == etag[-1] == '"'
    return etag


def test_the_list_is_304_while_nothing_has_changed(api: Api) -> None:
    api.create()
    etag = etag_of(api.get("/connectors?expand=status"))
    response = api.get("/connectors?expand=status", **{"If-None-Match": etag})
    expect_empty(response, 304)
    assert etag_of(response) == etag


@pytest.mark.parametrize("change", ["status", "config", "delete"])
def test_every_change_gives_a_new_etag(api: Api, change: str) -> None:
    api.create()
    etag = etag_of(api.get("/connectors"))
    if change == "status":
        api.herding.runner.fail(T0, OSError("gone"))
    elif change == "config":
        api.request("PUT", "/connectors/a/config", {"connector.class": "fake.Source"})
    else:
        api.request("DELETE", "/connectors/a")
    response = api.get("/connectors", **{"If-None-Match": etag})
    assert response.status_code == 200
    assert etag_of(response) != etag


def test_an_etag_of_another_process_is_not_current(api: Api) -> None:
    _, _, counts = etag_of(api.get("/connectors")).strip('"').partition("-")
    assert api.get("/connectors", **{"If-None-Match": f'"00000000-{counts}"'}).status_code == 200


def waiting(api: Api, etag: str, prefer: str) -> tuple[threading.Thread, list[HttpResponse]]:
    """A request that waits for a change; returns once it does."""
    answers: list[HttpResponse] = []
    headers = {"If-None-Match": etag, "Prefer": prefer}
    thread = threading.Thread(target=lambda: answers.append(api.get("/connectors?expand=status", **headers)), daemon=True)
    thread.start()
    until(lambda: api.remote._changed._waiters, "It waits")  # type: ignore[attr-defined]
    return thread, answers


def test_a_client_may_wait_for_a_change(api: Api) -> None:
    api.create()
    etag = etag_of(api.get("/connectors"))
    thread, answers = waiting(api, etag, "wait=30")
    assert answers == []
    api.herding.runner.fail(T0, OSError("gone"))
    thread.join(5)
    assert answers[0].status_code == 200
    assert b'"state":"FAILED"' in answers[0].content
    assert (answers[0]["Preference-Applied"], etag_of(answers[0]) != etag) == ("wait=30", True)


@pytest.mark.parametrize(
    ("known", "prefer", "applied"),
    [
        (False, None, None),
        (False, "wait=0", "wait=0"),
        (False, "wait=9999", "wait=30"),
        (False, "respond-async", None),
        (True, None, None),
        (True, "wait=0", "wait=0"),
        (True, "respond-async", None),
    ],
)
def test_who_does_not_wait_or_does_not_know_the_newest_is_answered_at_once(
    api: Api, known: bool, prefer: str | None, applied: str | None
) -> None:
    etag = etag_of(api.get("/connectors")) if known else '"old"'
    headers = {"If-None-Match": etag, **({} if prefer is None else {"Prefer": prefer})}
    response = api.get("/connectors", **headers)
    assert response.status_code == (304 if known else 200)
    assert response.get("Preference-Applied") == applied


def test_when_the_time_is_over_it_is_304(api: Api) -> None:
    etag = etag_of(api.get("/connectors"))
    response = api.get("/connectors", **{"If-None-Match": etag, "Prefer": "wait=1"})
    expect_empty(response, 304)
    assert response["Preference-Applied"] == "wait=1"


# --- one connector ----------------------------------------------------------------------------------------------------


def test_reads(api: Api) -> None:
    api.create()
    expect_json(api.get("/connectors/a"), 200, INFO)
    expect_json(api.get("/connectors/a/config"), 200, CONFIG)
    expect_json(api.get("/connectors/a/status"), 200, STATUS)


@pytest.mark.parametrize(
    ("method", "path", "message"),
    [
        ("GET", "", "Connector no not found"),
        ("GET", "/config", "Connector no not found"),
        ("GET", "/tasks", "Connector no not found"),
        ("GET", "/status", "No status found for connector no"),
        ("GET", "/tasks/0/status", "No status found for task no-0"),
        ("DELETE", "", "Connector no not found"),
        ("PUT", "/pause", "Unknown connector no"),
        ("PUT", "/resume", "Unknown connector no"),
        ("PUT", "/stop", "Unknown connector no"),
        ("POST", "/restart", "Unknown connector: no"),
        ("POST", "/restart?includeTasks=true", "Unknown connector: no"),
        ("POST", "/restart?onlyFailed=true", "Unknown connector: no"),
        ("POST", "/tasks/0/restart", "Unknown connector: no"),
    ],
)
def test_an_unknown_connector_in_kafka_connects_many_words(api: Api, method: str, path: str, message: str) -> None:
    expect_error(api.request(method, f"/connectors/no{path}"), 404, message)


def test_a_failure_shows_its_trace_last(api: Api) -> None:
    api.create()
    api.herding.runner.fail(T0, OSError("gone"))
    failed = f'"state":"FAILED","worker_id":"{WORKER}","version":"9.9","trace":"OSError: gone\\n"'
    expect_json(api.get("/connectors/a/tasks/0/status"), 200, f'{{"id":0,{failed}}}')
    expect_json(
        api.get("/connectors/a/status"),
        200,
        f'{{"name":"a","connector":{{{RUNNING}}},"tasks":[{{"id":0,{failed}}}],"type":"source"}}',
    )


def test_tasks_come_in_the_order_of_their_numbers(api: Api) -> None:
    api.create(tasks="9")
    for number in (3, 1):
        api.herding.runner.fail(TaskId("a", number), OSError("gone"))
    listed = api.json("/connectors/a/status")["tasks"]
    assert [task["id"] for task in listed] == list(range(9))


# --- PUT config -------------------------------------------------------------------------------------------------------


def test_put_creates(api: Api) -> None:
    response = api.request("PUT", "/connectors/sp%20ace/config", {"connector.class": "fake.Sink"})
    expect_json(
        response, 201, '{"name":"sp ace","config":{"connector.class":"fake.Sink","name":"sp ace"},"tasks":[],"type":"sink"}'
    )
    assert response["Location"] == "http://testserver/connectors/sp%20ace"


def test_put_updates_and_shows_the_old_tasks(api: Api) -> None:
    api.create()
    response = api.request("PUT", "/connectors/a/config", {"connector.class": "fake.Source", "tasks": "3", "name": "a"})
    config = '{"connector.class":"fake.Source","tasks":"3","name":"a"}'
    expect_json(response, 200, f'{{"name":"a","config":{config},"tasks":[{{"connector":"a","task":0}}],"type":"source"}}')
    assert "Location" not in response
    expect_json(api.get("/connectors/a/config"), 200, config)


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ({"name": "b"}, "Connector name configuration (b) doesn't match connector name in the URL (a)"),
        ({}, "Connector config contains no connector type"),
        ({"connector.class": "fake.Source", "x": None}, invalid("Null value can not be supplied as the configuration value.")),
        (
            {"connector.class": "fake.Source", "x": [1]},
            "Cannot deserialize value of type `java.lang.String` from Array value (through reference chain: ['x'])",
        ),
        ([], "Cannot deserialize value of type `java.util.LinkedHashMap`: a JSON object of strings was expected"),
    ],
)
def test_put_refuses_and_changes_nothing(api: Api, body: object, message: str) -> None:
    api.create()
    before = api.herding.config_keys()
    expect_error(api.request("PUT", "/connectors/a/config", body), 400, message)
    assert api.herding.config_keys() == before
    expect_json(api.get("/connectors/a/config"), 200, CONFIG)


# --- PATCH /connectors/{c}/config (KIP-477) ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("patch", "config"),
    [
        ({}, CONFIG),
        ({"tasks.max": 3, "x": True}, '{"connector.class":"fake.Source","tasks.max":"3","name":"a","x":"true"}'),
        ({"tasks.max": None, "not.there": None}, '{"connector.class":"fake.Source","name":"a"}'),
        # What it is called already.
        ({"name": "a"}, CONFIG),
    ],
)
def test_patch_changes_what_it_names_and_starts_the_connector_anew(api: Api, patch: dict[str, object], config: str) -> None:
    api.create()
    before = api.herding.config_keys().count("connector-a")
    response = api.request("PATCH", "/connectors/a/config", patch)
    expect_json(response, 200, f'{{"name":"a","config":{config},"tasks":[{{"connector":"a","task":0}}],"type":"source"}}')
    assert "Location" not in response
    expect_json(api.get("/connectors/a/config"), 200, config)
    assert api.herding.config_keys().count("connector-a") == before + 1


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ({"name": "b"}, "Connector name configuration (b) doesn't match connector name in the URL (a)"),
        ({"name": " a "}, "Connector name configuration ( a ) doesn't match connector name in the URL (a)"),
        ({"connector.class": None}, "Connector config contains no connector type"),
        ({"invalid": "no such sea"}, invalid("no such sea")),
        ([], "Cannot deserialize value of type `java.util.LinkedHashMap`: a JSON object of strings was expected"),
        (b"null", "Cannot deserialize value of type `java.util.LinkedHashMap`: a JSON object of strings was expected"),
    ],
)
def test_patch_refuses_and_changes_nothing(api: Api, body: object, message: str) -> None:
    api.create()
    before = api.herding.config_keys()
    expect_error(api.request("PATCH", "/connectors/a/config", body), 400, message)
    assert api.herding.config_keys() == before
    expect_json(api.get("/connectors/a/config"), 200, CONFIG)


def test_patch_of_an_unknown_connector(api: Api) -> None:
    expect_error(api.request("PATCH", "/connectors/no/config", {"a": "b"}), 404, "Connector no not found")


def test_patches_of_different_keys_at_once_are_all_there_at_the_end(api: Api) -> None:
    """Each was validated on a thread of its own while the others were."""
    api.create()
    together = threading.Barrier(4, timeout=10)
    first = threading.local()

    def validate_together() -> None:
        if not hasattr(first, "met"):
            first.met = True
            with suppress(threading.BrokenBarrierError):
                together.wait(1)

    api.herding.plugins.on["validate", "a"] = validate_together
    threads = [
        threading.Thread(target=api.remote.patch_connector_config, args=("a", {f"key{number}": str(number)}))
        for number in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(20)
    config = api.json("/connectors/a/config")
    assert {key: value for key, value in config.items() if key.startswith("key")} == {f"key{n}": str(n) for n in range(4)}


# --- delete, pause, resume, stop --------------------------------------------------------------------------------------


def test_delete(api: Api) -> None:
    api.create()
    expect_empty(api.request("DELETE", "/connectors/a"), 204)
    expect_json(api.get("/connectors"), 200, "[]")
    expect_error(api.get("/connectors/a"), 404, "Connector a not found")
    api.herding.settle()
    expect_error(api.get("/connectors/a/status"), 404, "No status found for connector a")
    expect_error(api.request("DELETE", "/connectors/a"), 404, "Connector a not found")


@pytest.mark.parametrize(
    ("verb", "status", "state"), [("pause", 202, "PAUSED"), ("stop", 204, "STOPPED"), ("resume", 202, "RUNNING")]
)
def test_target_states(api: Api, verb: str, status: int, state: str) -> None:
    api.create()
    for _ in range(2):
        expect_empty(api.request("PUT", f"/connectors/a/{verb}"), status)
        api.herding.settle()
        assert api.json("/connectors/a/status")["connector"]["state"] == state


def test_a_stopped_connector_has_no_tasks_and_gets_them_back(api: Api) -> None:
    api.create()
    api.request("PUT", "/connectors/a/stop")
    api.herding.settle()
    expect_json(api.get("/connectors/a/tasks"), 200, "[]")
    assert api.json("/connectors/a")["tasks"] == []
    assert api.json("/connectors/a/status")["tasks"] == []
    api.request("PUT", "/connectors/a/resume")
    api.herding.settle()
    expect_json(api.get("/connectors/a/status"), 200, STATUS)


# --- restart ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("query", ["", "?includeTasks=false&onlyFailed=false", "?includeTasks=yes", "?onlyFailed=1"])
def test_the_plain_restart_is_over_when_it_is_answered(api: Api, query: str) -> None:
    api.create()
    expect_empty(api.request("POST", f"/connectors/a/restart{query}"), 204)
    assert (api.herding.plugins.count("start"), api.herding.runner.count("start", T0)) == (2, 1)
    assert "restart-connector-a" not in api.herding.config_keys()


@pytest.mark.parametrize(
    ("query", "connector", "task"),
    [
        ("includeTasks=true", "RESTARTING", "RESTARTING"),
        ("includeTasks=TRUE&onlyFailed=false", "RESTARTING", "RESTARTING"),
        ("onlyFailed=true", "RUNNING", "FAILED"),
        ("includeTasks=true&onlyFailed=true", "RUNNING", "RESTARTING"),
    ],
)
def test_every_other_restart_is_answered_with_its_plan(api: Api, query: str, connector: str, task: str) -> None:
    api.create()
    api.herding.runner.fail(T0, OSError("gone"))
    response = api.request("POST", f"/connectors/a/restart?{query}")
    # Worker, version and the old trace stay.
    expect_json(
        response,
        202,
        f'{{"name":"a","connector":{{"state":"{connector}","worker_id":"{WORKER}","version":"9.9"}},'
        f'"tasks":[{{"id":0,"state":"{task}","worker_id":"{WORKER}","version":"9.9","trace":"OSError: gone\\n"}}],'
        '"type":"source"}',
    )
    assert api.herding.config_keys().count("restart-connector-a") == 1
    api.herding.settle()
    assert api.herding.state(T0) == ("FAILED" if task == "FAILED" else "RUNNING")


def test_a_plain_restart_that_fails_says_so(api: Api) -> None:
    def boom() -> None:
        raise RuntimeError("boom")

    api.create()
    api.herding.plugins.on["start", "a"] = boom
    expect_error(api.request("POST", "/connectors/a/restart"), 500, "Failed to start connector: a")


# --- tasks ------------------------------------------------------------------------------------------------------------


def test_task_configs(api: Api) -> None:
    api.create(tasks="2", color="red")
    expect_json(
        api.get("/connectors/a/tasks"),
        200,
        '[{"id":{"connector":"a","task":0},"config":{"n":"0","color":"red"}},'
        '{"id":{"connector":"a","task":1},"config":{"n":"1","color":"red"}}]',
    )


@pytest.mark.parametrize("number", ["0", "00", "000"])
def test_task_status(api: Api, number: str) -> None:
    api.create()
    expect_json(api.get(f"/connectors/a/tasks/{number}/status"), 200, f'{{"id":0,{RUNNING}}}')


@pytest.mark.parametrize(
    ("number", "task"), [("7", 7), ("+7", 7), ("-1", -1), ("2147483647", 2147483647), ("-2147483648", -2147483648)]
)
def test_a_task_that_is_not_there(api: Api, number: str, task: int) -> None:
    api.create()
    expect_error(api.get(f"/connectors/a/tasks/{number}/status"), 404, f"No status found for task a-{task}")
    expect_error(api.request("POST", f"/connectors/a/tasks/{number}/restart"), 404, f"Unknown task: a-{task}")


@pytest.mark.parametrize("number", ["x", "1.0", "-", "1x", "٣", "2147483648", "-2147483649", "1" * 99, "1" * 5000])
def test_what_is_no_task_number(api: Api, number: str) -> None:
    api.create()
    expect_error(api.get(f"/connectors/a/tasks/{number}/status"), 404, "HTTP 404 Not Found")
    expect_error(api.request("POST", f"/connectors/a/tasks/{number}/restart"), 404, "HTTP 404 Not Found")
    expect_error(api.get(f"/connectors/a/tasks/{number}/restart"), 405, "HTTP 405 Method Not Allowed")


def test_task_restart(api: Api) -> None:
    api.create()
    api.herding.runner.fail(T0, OSError("gone"))
    expect_empty(api.request("POST", "/connectors/a/tasks/0/restart"), 204)
    expect_json(api.get("/connectors/a/tasks/0/status"), 200, f'{{"id":0,{RUNNING}}}')


def test_a_task_of_a_stopped_connector_cannot_be_restarted(api: Api) -> None:
    api.create()
    api.request("PUT", "/connectors/a/stop")
    api.herding.settle()
    expect_error(
        api.request("POST", "/connectors/a/tasks/0/restart"),
        409,
        "Cannot complete request momentarily due to no known leader URL, likely because a rebalance was underway.",
    )


def test_a_task_whose_start_fails(api: Api) -> None:
    def boom() -> None:
        raise RuntimeError("boom")

    api.create()
    api.herding.runner.on["start", T0] = boom
    expect_error(api.request("POST", "/connectors/a/tasks/0/restart"), 500, "Failed to start task: a-0")
    assert b"RuntimeError: boom" in api.get("/connectors/a/tasks/0/status").content
