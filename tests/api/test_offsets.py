"""`/connectors/{c}/offsets` (KIP-875; facts §8), and offsets where connectors are created and deleted."""

import threading
from collections.abc import Callable

import orjson
import pytest
from django.http import HttpResponse

from tests.api.conftest import Api
from tests.api.expect import expect_empty, expect_error, expect_json
from tests.fakes import until
from workers.herder.ports import GroupError, GroupInUse
from workers.herder.values import Partition, PartitionOffset, TaskId
from workers.storage.log import LogError

OFFSETS = "/connectors/a/offsets"
POSITIONS = "/api/v1/connectors/a/positions"
SINK = {"connector.class": "fake.Sink"}
ALTERED = '{"message":"The offsets for this connector have been altered successfully"}'
RESET = '{"message":"The offsets for this connector have been reset successfully"}'
EXTERNAL = (
    "The Connect framework-managed offsets for this connector have been {0} successfully. However, if this connector manages "
    "offsets externally, they will need to be manually {0} in the system that the connector uses."
)
NOT_STOPPED = (
    "Connectors must be in the STOPPED state before their offsets can be modified. This can be done for the specified connector "
    "by issuing a 'PUT' request to the '/connectors/a/stop' endpoint"
)
IN_USE = (
    "Failed to {0} consumer group offsets for connector a either because its tasks haven't stopped completely yet or the "
    "connector was resumed before the request to {0} its offsets could be successfully completed. If the connector is in a "
    "stopped state, this operation can be safely retried. If it doesn't eventually succeed, the Connect cluster may need to be "
    "restarted to get rid of the zombie sink tasks."
)
CONFLICT = "Cannot complete request because of a conflicting operation (e.g. worker rebalance)"

T0, T1 = Partition("t", 0), Partition("t", 1)
AT_X = {"partition": {"file": "x"}, "offset": {"position": 7}}
AT_T0 = {"partition": {"kafka_topic": "t", "kafka_partition": 0}, "offset": {"kafka_offset": 7}}


def stopped(api: Api, **config: str) -> None:
    api.create(initial_state="STOPPED", **config)


def patch(api: Api, *offsets: object, path: str = OFFSETS) -> HttpResponse:
    return api.request("PATCH", path, {"offsets": offsets})


def commit(api: Api, file: str, position: int) -> None:
    """As a task would."""
    api.herding.offsets.commit("a", {"file": file}, {"position": position}, 0)


# --- GET --------------------------------------------------------------------------------------------------------------


def test_a_sources_offsets_as_stored(api: Api) -> None:
    api.create()
    expect_json(api.get(OFFSETS), 200, '{"offsets":[]}')
    commit(api, "x", 1)
    commit(api, "y", 2)
    expect_json(
        api.get(f"{OFFSETS}/"),
        200,
        '{"offsets":[{"partition":{"file":"x"},"offset":{"position":1}},{"partition":{"file":"y"},"offset":{"position":2}}]}',
    )


@pytest.mark.parametrize(("config", "group"), [({}, "connect-a"), ({"consumer.override.group.id": "mine"}, "mine")])
def test_a_sinks_offsets_are_its_groups(api: Api, config: dict[str, str], group: str) -> None:
    api.create(**SINK, **config)
    expect_json(api.get(OFFSETS), 200, '{"offsets":[]}')
    api.herding.cluster.groups.committed[group] = {T0: 5}
    body = '{"offsets":[{"partition":{"kafka_partition":0,"kafka_topic":"t"},"offset":{"kafka_offset":5}}]}'
    expect_json(api.get(OFFSETS), 200, body)


def test_a_sink_of_another_cluster_has_its_group_there(api: Api) -> None:
    stopped(api, **SINK, **{"consumer.override.bootstrap.servers": "elsewhere:9092"})
    expect_json(patch(api, AT_T0), 200, ALTERED)
    assert (api.herding.cluster.groups.committed, api.json(OFFSETS)["offsets"][0]["offset"]) == ({}, {"kafka_offset": 7})
    assert api.herding.cluster.foreign_groups["elsewhere:9092"].committed == {"connect-a": {T0: 7}}
    expect_json(api.request("DELETE", OFFSETS), 200, RESET)
    assert api.herding.cluster.foreign_groups["elsewhere:9092"].committed == {}


def test_unknown_connector(api: Api) -> None:
    for response in (api.get(OFFSETS), patch(api, AT_X), api.request("DELETE", OFFSETS)):
        expect_error(response, 404, "Connector a not found")


def test_what_cannot_be_read(api: Api, monkeypatch: pytest.MonkeyPatch) -> None:
    api.create()
    monkeypatch.setattr(api.herding.offsets, "refresh", failing(LogError("no leader")))
    expect_error(api.get(OFFSETS), 500, "Failed to retrieve offsets for source connector a")


def test_what_cannot_be_read_of_a_group(api: Api) -> None:
    stopped(api, **SINK)
    api.herding.cluster.groups.on["offsets"] = failing(GroupError("no coordinator"))
    expect_error(api.get(OFFSETS), 500, "Failed to retrieve consumer group offsets for sink connector a")
    message = "Failed to list offsets prior to resetting offsets for sink connector a"
    expect_error(api.request("DELETE", OFFSETS), 500, message)


def test_positions_of_a_sink(api: Api) -> None:
    api.create(**SINK, topics="t")
    assert api.json(POSITIONS) == {"positions": []}
    groups = api.herding.cluster.groups
    groups.ends, groups.committed["connect-a"] = {T0: 9, T1: 0}, {T0: 7}
    body = (
        '{{"positions":[{{"partition":{{"kafka_partition":0,"kafka_topic":"t"}},"offset":{{"kafka_offset":7}},"beginning":0,"end":9,'
        '"at":{0}}},{{"partition":{{"kafka_partition":1,"kafka_topic":"t"}},"offset":null,"beginning":0,"end":0,"at":{0}}}]}}'
    )
    expect_json(api.get(f"{POSITIONS}/"), 200, body.format("null"))
    expect_json(api.get(f"{POSITIONS}?time=1790000000000"), 200, body.format(1790000000000))


def test_a_source_has_no_positions(api: Api) -> None:
    api.create()
    commit(api, "x", 1)
    expect_json(api.get(POSITIONS), 200, '{"positions":[]}')


def test_positions_that_cannot_be_told(api: Api) -> None:
    expect_error(api.get(POSITIONS), 404, "Connector a not found")
    api.create(**SINK, topics="t")
    for time in ("", "x", "-1", "1e3", "1" * 16):
        expected = f"Invalid value {time} for time: milliseconds since 1970 were expected"
        expect_error(api.get(f"{POSITIONS}?time={time}"), 400, expected)
    api.herding.cluster.groups.on["offsets"] = failing(GroupError("no coordinator"))
    expect_error(api.get(POSITIONS), 500, "Failed to retrieve the positions of sink connector a")


def failing(error: BaseException) -> Callable[[], None]:
    def fail() -> None:
        raise error

    return fail


# --- PATCH and DELETE -------------------------------------------------------------------------------------------------


def test_a_source_altered_and_reset(api: Api) -> None:
    stopped(api)
    commit(api, "x", 1)
    commit(api, "y", 2)
    expect_json(patch(api, AT_X, {"partition": {"file": "z"}, "offset": {"position": 3}}), 200, ALTERED)
    assert api.json(OFFSETS)["offsets"] == [
        AT_X,
        {"partition": {"file": "y"}, "offset": {"position": 2}},
        {"partition": {"file": "z"}, "offset": {"position": 3}},
    ]
    # One of them alone.
    expect_json(patch(api, {"partition": {"file": "y"}, "offset": None}), 200, ALTERED)
    assert [item["partition"]["file"] for item in api.json(OFFSETS)["offsets"]] == ["x", "z"]
    for _ in range(2):
        expect_json(api.request("DELETE", OFFSETS), 200, RESET)
        assert api.json(OFFSETS) == {"offsets": []}
    nulls = [PartitionOffset({"file": file}, None) for file in "xz"]
    assert api.herding.plugins.offsets[2:] == [nulls, []]


def test_a_sink_altered_and_reset(api: Api) -> None:
    stopped(api, **SINK)
    committed = api.herding.cluster.groups.committed
    committed["connect-a"] = {T0: 1, T1: 2}
    expect_json(patch(api, AT_T0), 200, ALTERED)
    assert committed == {"connect-a": {T0: 7, T1: 2}}
    expect_json(patch(api, {**AT_T0, "offset": None}), 200, ALTERED)
    assert committed == {"connect-a": {T1: 2}}
    for _ in range(2):
        expect_json(api.request("DELETE", OFFSETS), 200, RESET)
        assert committed == {}


def test_what_was_read_may_be_written(api: Api) -> None:
    """KIP-875: the two formats are one."""
    stopped(api, **SINK)
    api.herding.cluster.groups.committed["connect-a"] = {T0: 5, T1: 6}
    shown = api.json(OFFSETS)
    expect_json(api.request("PATCH", OFFSETS, shown), 200, ALTERED)
    assert api.json(OFFSETS) == shown


@pytest.mark.parametrize("state", ["RUNNING", "PAUSED"])
@pytest.mark.parametrize("config", [{}, SINK])
def test_only_of_a_stopped_connector(api: Api, state: str, config: dict[str, str]) -> None:
    api.create(initial_state=state, **config)
    expect_error(patch(api, AT_T0), 400, NOT_STOPPED)
    expect_error(api.request("DELETE", OFFSETS), 400, NOT_STOPPED)
    assert api.herding.plugins.offsets == []


def test_right_after_a_stop_its_tasks_are_waited_for(api: Api) -> None:
    api.create()
    gate, answers = threading.Event(), list[HttpResponse]()
    api.herding.runner.on["stop", TaskId("a", 0)] = lambda: gate.wait(5)
    expect_empty(api.request("PUT", "/connectors/a/stop"), 204)
    asking = threading.Thread(target=lambda: answers.append(patch(api, AT_X)))
    asking.start()
    asking.join(0.3)
    assert (answers, api.herding.plugins.offsets) == ([], [])
    gate.set()
    asking.join(5)
    expect_json(answers[0], 200, ALTERED)


@pytest.mark.parametrize("body", [{}, {"offsets": None}, {"offsets": []}, b"null"])
def test_an_empty_alteration_is_refused_whoever_it_is_for(api: Api, body: object) -> None:
    message = "Partitions / offsets need to be provided for an alter offsets request"
    expect_error(api.request("PATCH", OFFSETS, body), 400, message)


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ([], "Cannot deserialize value of type `ConnectorOffsets`: a JSON object was expected"),
        (
            {"key": []},
            'Unrecognized field "key" (class ConnectorOffsets), not marked as ignorable (one known property: "offsets")',
        ),
        (
            {"offsets": {}},
            "Cannot deserialize value of type `java.util.ArrayList`: a JSON array of offsets was expected",
        ),
        ({"offsets": [123]}, "Cannot construct instance of ConnectorOffset: a JSON object was expected"),
        (
            {"offsets": [{"key": "val"}]},
            'Unrecognized field "key" (class ConnectorOffset), not marked as ignorable '
            '(2 known properties: "partition", "offset")',
        ),
        (
            {"offsets": [{"partition": []}]},
            "Cannot deserialize value of type `java.util.LinkedHashMap`: a JSON object was expected "
            "(through reference chain: ['partition'])",
        ),
        (
            {"offsets": [{"partition": {}, "offset": "x"}]},
            "Cannot deserialize value of type `java.util.LinkedHashMap`: a JSON object was expected "
            "(through reference chain: ['offset'])",
        ),
    ],
)
def test_a_body_of_another_shape(api: Api, body: object, message: str) -> None:
    stopped(api)
    expect_error(api.request("PATCH", OFFSETS, body), 400, message)


def test_numbers_are_numbers(api: Api) -> None:
    stopped(api)
    body = b'{"offsets":[{"partition":{"n":1},"offset":{"a":9007199254740993,"b":1.5,"c":true,"d":null,"e":"1"}}]}'
    expect_json(api.request("PATCH", OFFSETS, body), 200, ALTERED)
    expect_json(api.get(OFFSETS), 200, body.decode())


def test_bad_offsets_are_refused_before_anything_is_written(api: Api) -> None:
    stopped(api, **SINK)
    bad = {"partition": {"kafka_topic": "t"}, "offset": None}
    message = "The partition for a sink connector offset must contain the keys 'kafka_topic' and 'kafka_partition'"
    expect_error(patch(api, AT_T0, bad), 400, message)
    assert (api.herding.cluster.groups.committed, api.herding.plugins.offsets) == ({}, [])


def test_a_source_with_an_offsets_topic_of_its_own(api: Api) -> None:
    """KIP-618's: read there first, changed in both."""
    commit(api, "x", 1)
    stopped(api, **{"offsets.storage.topic": "mine"})
    assert api.json(OFFSETS)["offsets"][0]["offset"] == {"position": 1}
    expect_json(patch(api, AT_X), 200, ALTERED)
    topics = [api.herding.cluster.offset_topics["mine"], api.herding.cluster.offset_topic]
    assert [topic.records[-1].value for topic in topics] == [b'{"position":7}'] * 2
    expect_json(api.request("DELETE", OFFSETS), 200, RESET)
    assert [topic.records[-1].value for topic in topics] == [None] * 2
    assert api.json(OFFSETS) == {"offsets": []}


# --- the plug-in's word -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["source", "sink"])
@pytest.mark.parametrize(
    ("outcome", "status", "message"),
    [
        (lambda: False, 200, None),
        (
            failing(NotImplementedError()),
            500,
            "Failed to modify offsets for connector a because it doesn't support external modification of offsets",
        ),
        (failing(RuntimeError("boom")), 500, "Failed to modify offsets for {} connector a"),
        (failing(SystemExit(1)), 500, "Failed to modify offsets for {} connector a"),
    ],
)
def test_the_plug_in_is_asked_first(api: Api, kind: str, outcome: Callable[[], object], status: int, message: str | None) -> None:
    stopped(api, **(SINK if kind == "sink" else {}))
    commit(api, "x", 1)
    api.herding.cluster.groups.committed["connect-a"] = {T0: 1}
    before = api.json(OFFSETS)
    api.herding.plugins.on["alter_offsets", "a"] = outcome
    at = AT_T0 if kind == "sink" else AT_X
    for method, verb, response in (("PATCH", "altered", patch(api, at)), ("DELETE", "reset", api.request("DELETE", OFFSETS))):
        if message is None:
            expect_json(response, 200, orjson.dumps({"message": EXTERNAL.format(verb)}).decode())
        else:
            expect_error(response, status, message.format(kind))
            assert api.json(OFFSETS) == before, method


def test_a_plug_in_that_hangs_is_waited_for_as_long_as_the_caller_waits(api: Api) -> None:
    stopped(api)
    gate = threading.Event()
    api.herding.plugins.on["alter_offsets", "a"] = lambda: gate.wait(5)
    api.remote._requests.timeout = 0.3  # type: ignore[attr-defined]
    expect_error(patch(api, AT_X), 500, "Timed out while calling the 'alterOffsets' method for source connector a")
    # Nothing of it comes later, and it keeps nobody from anything.
    gate.set()
    api.herding.plugins.on.clear()
    assert api.json(OFFSETS) == {"offsets": []}
    expect_json(patch(api, AT_X), 200, ALTERED)


# --- Kafka's word -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("error", "altering", "resetting"),
    [
        (GroupInUse(), IN_USE.format("alter"), IN_USE.format("reset")),
        (
            GroupError(),
            "Failed to alter consumer group offsets for connector a",
            "Failed to reset consumer group offsets for sink connector a",
        ),
    ],
)
def test_what_kafka_refuses_of_a_group(api: Api, error: GroupError, altering: str, resetting: str) -> None:
    stopped(api, **SINK)
    api.herding.cluster.groups.on |= {"alter": failing(error), "delete": failing(error)}
    expect_error(patch(api, AT_T0), 500, altering)
    expect_error(api.request("DELETE", OFFSETS), 500, resetting)


def test_what_kafka_does_not_take(api: Api) -> None:
    stopped(api)
    api.herding.writer.errors = [LogError("no leader")]
    expect_error(patch(api, AT_X), 500, "Failed to modify offsets for source connector a")
    assert api.json(OFFSETS) == {"offsets": []}


# --- nobody else meanwhile --------------------------------------------------------------------------------------------


def test_while_offsets_are_changed_the_connector_is_not(api: Api) -> None:
    stopped(api)
    gate, entered = threading.Event(), threading.Event()

    def hold() -> None:
        entered.set()
        gate.wait(5)

    api.herding.plugins.on["alter_offsets", "a"] = hold
    answers: list[HttpResponse] = []
    asking = threading.Thread(target=lambda: answers.append(patch(api, AT_X)))
    asking.start()
    assert entered.wait(5)
    for method, path, body in (
        ("PUT", "/connectors/a/resume", None),
        ("PUT", "/connectors/a/config", {"connector.class": "fake.Source"}),
        ("DELETE", "/connectors/a", None),
        ("DELETE", OFFSETS, None),
        ("PATCH", OFFSETS, {"offsets": [AT_X]}),
    ):
        expect_error(api.request(method, path, body), 409, CONFLICT)
    gate.set()
    asking.join(5)
    expect_json(answers[0], 200, ALTERED)
    expect_empty(api.request("PUT", "/connectors/a/resume"), 202)
    until(lambda: api.herding.runner.running, "The task runs")


# --- created with offsets ---------------------------------------------------------------------------------------------


def create(api: Api, *offsets: object, state: str = "RUNNING", **config: str) -> HttpResponse:
    wanted = {"connector.class": "fake.Source", **config}
    body = {"name": "a", "config": wanted, "initial_state": state, "offsets": offsets}
    response = api.request("POST", "/connectors", body)
    api.herding.settle()
    return response


@pytest.mark.parametrize("state", ["RUNNING", "STOPPED"])
def test_a_source_created_at_its_offsets(api: Api, state: str) -> None:
    """They come with the connector, and before any task of it."""
    seen: list[object] = []
    api.herding.plugins.on["start", "a"] = lambda: seen.append(api.herding.offsets.offset("a", {"file": "x"}))
    response = create(api, AT_X, state=state)
    assert (response.status_code, api.json(OFFSETS)) == (201, {"offsets": [AT_X]})
    assert seen == ([{"position": 7}] if state == "RUNNING" else [])
    assert api.herding.plugins.offsets == [[PartitionOffset({"file": "x"}, {"position": 7})]]
    if state == "RUNNING":
        epoch = api.herding.runner.specs[TaskId("a", 0)].epoch
        api.herding.offsets.commit("a", {"file": "x"}, {"position": 8}, epoch)
        assert api.herding.offsets.offset("a", {"file": "x"}) == {"position": 8}, "its own task's word counts"


def test_a_sink_created_at_its_offsets(api: Api) -> None:
    assert create(api, AT_T0, **SINK).status_code == 201
    assert api.herding.cluster.groups.committed == {"connect-a": {T0: 7}}


def test_with_offsets_that_are_refused_nothing_is_created(api: Api) -> None:
    bad: object = {"partition": {"file": {}}, "offset": None}
    expect_error(create(api, bad), 500, "Offsets may only contain primitive types as values, but field file contains MAP")
    api.herding.plugins.on["alter_offsets", "a"] = failing(RuntimeError("boom"))
    expect_error(create(api, AT_X), 500, "Failed to modify offsets for source connector a")
    api.herding.cluster.groups.on["alter"] = failing(GroupInUse())
    del api.herding.plugins.on["alter_offsets", "a"]
    expect_error(create(api, AT_T0, **SINK), 500, IN_USE.format("alter"))
    api.herding.writer.errors = [LogError("no leader")]
    expect_error(create(api, AT_X), 500, "Error writing connector configuration to Kafka")
    assert (api.herding.config_keys(), api.herding.offsets.offsets("a")) == ([], [])


def test_a_name_that_is_taken_keeps_its_offsets(api: Api) -> None:
    stopped(api)
    expect_error(create(api, AT_X), 409, "Connector a already exists")
    assert (api.json(OFFSETS), api.herding.plugins.offsets) == ({"offsets": []}, [])


def test_no_offsets_are_no_offsets(api: Api) -> None:
    assert create(api).status_code == 201
    assert api.herding.plugins.offsets == []


# --- deleted with offsets ---------------------------------------------------------------------------------------------

WITH_OFFSETS = "/connectors/a?includeOffsets=true"


@pytest.mark.parametrize("state", ["RUNNING", "STOPPED"])
def test_a_source_deleted_with_its_offsets(api: Api, state: str) -> None:
    """Its tasks have stopped before."""
    api.create(initial_state=state)
    commit(api, "x", 1)
    running: list[object] = []
    api.herding.plugins.on["alter_offsets", "a"] = lambda: running.append(dict(api.herding.runner.running))
    expect_empty(api.request("DELETE", WITH_OFFSETS), 204)
    api.herding.settle()
    assert running == [{}]
    assert (api.json("/connectors"), api.herding.offsets.offsets("a")) == ([], [])


def test_a_sink_deleted_with_its_group(api: Api) -> None:
    api.create(**SINK)
    api.herding.cluster.groups.committed |= {"connect-a": {T0: 1}, "connect-b": {T0: 1}}
    expect_empty(api.request("DELETE", WITH_OFFSETS), 204)
    assert (api.json("/connectors"), api.herding.cluster.groups.committed) == ([], {"connect-b": {T0: 1}})


@pytest.mark.parametrize("query", ["", "?includeOffsets=false", "?includeOffsets=1", "?includeOffsets"])
def test_without_being_asked_for_they_stay(api: Api, query: str) -> None:
    api.create()
    commit(api, "x", 1)
    expect_empty(api.request("DELETE", f"/connectors/a{query}"), 204)
    assert api.herding.offsets.offset("a", {"file": "x"}) == {"position": 1}


def test_one_whose_offsets_cannot_be_reset_is_stopped_and_still_there(api: Api) -> None:
    api.create()
    commit(api, "x", 1)
    api.herding.plugins.on["alter_offsets", "a"] = failing(NotImplementedError())
    message = "Failed to modify offsets for connector a because it doesn't support external modification of offsets"
    expect_error(api.request("DELETE", WITH_OFFSETS), 500, message)
    api.herding.settle()
    assert (api.herding.state(), api.json(OFFSETS)["offsets"][0]["offset"]) == ("STOPPED", {"position": 1})
    del api.herding.plugins.on["alter_offsets", "a"]
    expect_empty(api.request("DELETE", WITH_OFFSETS), 204)


def test_one_that_is_not_there(api: Api) -> None:
    expect_error(api.request("DELETE", WITH_OFFSETS), 404, "Connector a not found")


# --- methods ----------------------------------------------------------------------------------------------------------


def test_methods(api: Api) -> None:
    api.create()
    expect_error(api.request("PUT", OFFSETS, {}), 405, "HTTP 405 Method Not Allowed")
    expect_error(api.request("PATCH", OFFSETS, b"{}", content_type="text/plain"), 415, "HTTP 415 Unsupported Media Type")
    assert set(api.request("OPTIONS", OFFSETS)["Allow"].split(",")) == {"HEAD", "DELETE", "GET", "OPTIONS", "PATCH"}
