"""The lives of connectors, and what annotations ask for."""

import json
from pathlib import Path
from typing import Any

import pytest
from django.test import Client
from prometheus_client.parser import text_string_to_metric_families

from connect_client import ConnectClient, ConnectNotFound, ConnectRefused
from dashboard.models import Cluster, Resource
from dashboard.resources import apply, documents
from tests.dashboard.resources.checklist.conftest import SINK, SOURCE, Source, becomes, passes, status
from tests.dashboard.resources.conftest import WHO, annotate, put, ready
from tests.proxy import Proxy
from tests.topics import produce
from tests.waiting import eventually, patiently

NO_LABEL = "Resource lacks label 'strimzi.io/cluster': No connect cluster in which to create this connector."
NO_CLUSTER = "KafkaConnect resource 'real' identified by label 'strimzi.io/cluster' does not exist in namespace default."


def test_a_life(source: Source, connect: ConnectClient, proxy: Proxy, name: str, tmp_path: Path) -> None:
    source()
    found = becomes(name, "RUNNING", "RUNNING")
    assert (ready(found), found["tasksMax"]) == (["Ready"], 1)
    expected = {
        "connector.class": "FileStreamSource",
        "file": str(tmp_path / "in.txt"),
        "tasks.max": "1",
        "topic": name,
        "name": name,
    }
    assert connect.config(name) == expected
    eventually(lambda: status(name)["topics"] == [name], what="its topic is known")

    passes()
    assert proxy.taken() == ["POST /connectors"], "and nothing else"
    assert [set(one.body) for one in proxy.asked if one.method == "POST"] == [{"name", "config"}]

    source(config={"batch.size": 7})
    becomes(name, "RUNNING", "RUNNING")
    eventually(lambda: connect.config(name) == {**expected, "batch.size": "7"})

    # Kafka Connect tells the new config a moment after it has taken it.
    patiently(lambda: connect.put_config(name, {**expected, "batch.size": "8"}))
    drift: Any = eventually(lambda: status(name).get("drift"))
    assert drift[0]["keys"] == ["batch.size"]
    eventually(lambda: status(name) and connect.config(name)["batch.size"] == "7", what="it is put back")
    assert proxy.taken() == ["POST /connectors", f"PUT /connectors/{name}/config", f"PUT /connectors/{name}/config"]


def test_states(source: Source, proxy: Proxy, name: str) -> None:
    source()
    becomes(name, "RUNNING", "RUNNING")
    states = {"paused": ("PAUSED", "PAUSED"), "stopped": ("STOPPED",), "running": ("RUNNING", "RUNNING")}
    for state in ("paused", "running", "stopped", "running", "paused", "stopped"):
        source(state=state)
        assert ready(becomes(name, *states[state])) == ["Ready"]
    source()
    assert ready(becomes(name, "RUNNING", "RUNNING")) == ["Ready"], "also where it was taken away"
    wanted = [f"PUT /connectors/{name}/{verb}" for verb in ("pause", "resume", "stop", "resume", "pause", "stop", "resume")]
    assert proxy.taken() == ["POST /connectors", *wanted], "each asked for once"


def test_nothing_is_written_while_it_is_paused_or_stopped(
    connect: ConnectClient, cluster: Cluster, kafka: str, name: str, tmp_path: Path
) -> None:
    copy = tmp_path / "out.txt"

    def sink(**state: str) -> None:
        put(name, cluster="real", spec={"class": SINK, "config": {"topics": name, "file": str(copy)}, **state})

    produce(kafka, name, (None, "one"))
    sink()
    becomes(name, "RUNNING", "RUNNING")
    eventually(lambda: copy.read_text() == "one\n", "the first record is written")
    for state, tasks, record in (("paused", ("PAUSED",), "two"), ("stopped", (), "three")):
        sink(state=state)
        becomes(name, state.upper(), *tasks)
        before = copy.read_text()
        produce(kafka, name, (None, record))
        passes()
        assert copy.read_text() == before
        sink()
        becomes(name, "RUNNING", "RUNNING")
        wanted = f"{before}{record}\n"
        eventually(lambda wanted=wanted: copy.read_text() == wanted, "what came meanwhile is written")  # type: ignore[misc]


def test_the_number_of_tasks(connect: ConnectClient, cluster: Cluster, proxy: Proxy, name: str, tmp_path: Path) -> None:
    for tasks in (1, 3, 2):
        config = {"topics": name, "file": str(tmp_path / "out.txt")}
        put(name, cluster="real", spec={"class": SINK, "tasksMax": tasks, "config": config})
        found = becomes(name, "RUNNING", *["RUNNING"] * tasks)
        assert (ready(found), found["tasksMax"], connect.config(name)["tasks.max"]) == (["Ready"], tasks, str(tasks))
    assert proxy.taken() == ["POST /connectors", *[f"PUT /connectors/{name}/config"] * 2]


def test_the_same_in_another_order_is_no_change(source: Source, proxy: Proxy, name: str) -> None:
    orders = source(config={"batch.size": "7"})
    becomes(name, "RUNNING", "RUNNING")
    spec = documents.body_of(orders)
    put(name, cluster="real", spec={**spec, "config": dict(reversed(spec["config"].items()))})
    for _ in range(2):
        assert ready(status(name)) == ["Ready"]
    assert proxy.taken() == ["POST /connectors"]


def test_while_its_reconciliation_is_paused(source: Source, connect: ConnectClient, proxy: Proxy, name: str) -> None:
    orders = source()
    before = becomes(name, "RUNNING", "RUNNING")
    annotate(orders, pause_reconciliation="true")
    source(state="stopped")
    paused = status(name)
    assert ready(paused) == ["ReconciliationPaused"]
    assert set(paused) == {"conditions", "observedGeneration"}
    assert paused["observedGeneration"] == before["observedGeneration"]
    assert connect.status(name).connector.state == "RUNNING"
    annotate(orders, pause_reconciliation="false")
    stopped = becomes(name, "STOPPED")
    assert (ready(stopped), stopped["observedGeneration"]) == (["Ready"], before["observedGeneration"] + 1)
    assert proxy.taken() == ["POST /connectors", f"PUT /connectors/{name}/stop"]


def test_another_cluster(source: Source, connect: ConnectClient, proxy: Proxy, elsewhere: Proxy, name: str) -> None:
    orders = source()
    becomes(name, "RUNNING", "RUNNING")
    put(name, cluster="elsewhere", spec=documents.body_of(orders))
    assert ready(becomes(name, "RUNNING", "RUNNING")) == ["Ready"]
    assert elsewhere.taken() == ["POST /connectors"]
    eventually(lambda: name not in connect.connectors(), what="it is gone")
    assert proxy.taken() == ["POST /connectors", f"DELETE /connectors/{name}"]


@pytest.mark.parametrize("state", ["paused", "stopped"])
def test_created_in_a_state(state: str, source: Source, proxy: Proxy, name: str) -> None:
    source(state=state)
    eventually(lambda: status(name)["connectorStatus"]["connector"]["state"] == state.upper())
    passes()
    assert proxy.taken() == ["POST /connectors"]
    assert [one.body["initial_state"] for one in proxy.asked if one.method == "POST"] == [state.upper()]


@pytest.mark.parametrize(
    ("annotation", "target"),
    [
        ({"restart": "true"}, "restart?includeTasks=false&onlyFailed=false"),
        ({"restart": "includeTasks"}, "restart?includeTasks=true&onlyFailed=false"),
        ({"restart": "onlyFailed"}, "restart?includeTasks=false&onlyFailed=true"),
        ({"restart": " onlyFailed , includeTasks "}, "restart?includeTasks=true&onlyFailed=true"),
        ({"restart_task": "0"}, "tasks/0/restart"),
    ],
)
def test_restarts(annotation: dict[str, str], target: str, source: Source, proxy: Proxy, name: str) -> None:
    orders = source()
    becomes(name, "RUNNING", "RUNNING")
    annotate(orders, **annotation)
    found = becomes(name, "RUNNING", "RUNNING")
    assert ready(found) == ["Ready"]
    assert not orders.annotations.exists()
    assert proxy.taken() == ["POST /connectors", f"POST /connectors/{name}/{target}"]


def test_what_asks_for_no_restart(source: Source, proxy: Proxy, name: str) -> None:
    orders = source()
    becomes(name, "RUNNING", "RUNNING")
    for value in ("true,onlyFailed", "true,invalidArg,onlyFailed", "includeTasks,invalidArg", "   b  "):
        annotate(orders, restart=value)
        assert ready(status(name)) == ["Ready", "Warning RestartConnector Invalid annotation format"]
    for value in ("false", "   "):
        annotate(orders, restart=value)
        assert ready(status(name)) == ["Ready"]
    assert orders.annotations.get().value == "   "
    assert proxy.sent("*/restart") == []


def test_a_task_that_is_not_there(source: Source, name: str) -> None:
    orders = source()
    becomes(name, "RUNNING", "RUNNING")
    annotate(orders, restart_task="7")
    told = ready(status(name))
    assert told[0] == "Ready"
    assert told[1].startswith(f"Warning RestartConnectorTask Failed to restart connector task {name}:7. POST /connectors/{name}")
    assert orders.annotations.count() == 1


MAPS: dict[str, Any] = {
    "listOffsets": {"toConfigMap": {"name": "at"}},
    "alterOffsets": {"fromConfigMap": {"name": "at"}},
}


def config_map() -> dict[str, Any]:
    return documents.document(Resource.objects.get(kind="configmap", name="at"), {})


def test_offsets(source: Source, connect: ConnectClient, proxy: Proxy, name: str) -> None:
    orders = source(**MAPS)
    becomes(name, "RUNNING", "RUNNING")
    eventually(lambda: connect.offsets(name), what="it has read the file")
    put("at", "configmap", cluster="real", data={"other": "x"})

    source(state="stopped", **MAPS)
    becomes(name, "STOPPED")
    annotate(orders, connector_offsets="list")
    assert ready(status(name)) == ["Ready"]
    found = config_map()
    owner = {"apiVersion": "kafka.strimzi.io/v1", "kind": "KafkaConnector", "name": name}
    assert (found["data"]["other"], found["metadata"]["ownerReferences"]) == ("x", [owner])
    told = json.loads(found["data"]["offsets.json"])
    assert [one["offset"] for one in told["offsets"]] == [{"position": 8}]

    told["offsets"][0]["offset"] = {"position": 4}
    put("at", "configmap", cluster="real", data={"offsets.json": json.dumps(told)})
    annotate(orders, connector_offsets="alter")
    assert ready(status(name)) == ["Ready"]
    assert [one.offset for one in connect.offsets(name)] == [{"position": 4}]
    assert [one.body for one in proxy.asked if one.method == "PATCH"] == [told]

    annotate(orders, connector_offsets="reset")
    assert ready(status(name)) == ["Ready"]
    assert connect.offsets(name) == []
    assert not orders.annotations.exists()


def test_a_config_map_of_two(source: Source, cluster: Cluster, name: str) -> None:
    """The first one makes it. What else is in it stays, and whose it is besides."""
    orders = source(state="stopped", **MAPS)
    beside = put(f"{name}-beside", cluster="real", spec=documents.body_of(orders))
    for one in (orders, beside):
        becomes(one.name, "STOPPED")
    annotate(orders, connector_offsets="list")
    assert ready(status(name)) == ["Ready"]
    made = config_map()
    assert set(made["data"]) == {"offsets.json"}
    assert [one["name"] for one in made["metadata"]["ownerReferences"]] == [name]
    put("at", "configmap", cluster="real", data={"other": "x"})
    annotate(beside, connector_offsets="list")
    assert ready(status(beside.name)) == ["Ready"]
    found = config_map()
    assert set(found["data"]) == {"other", "offsets.json"}
    assert [one["name"] for one in found["metadata"]["ownerReferences"]] == [name, beside.name]


def test_offsets_that_cannot_be_told_or_changed(source: Source, proxy: Proxy, name: str) -> None:
    """Each is one warning, and the connector is as ready as it was."""
    orders = source(**MAPS)
    becomes(name, "RUNNING", "RUNNING")

    def warned(verb: str) -> str:
        annotate(orders, connector_offsets=verb)
        first, warning = ready(status(name))
        assert (first, orders.annotations.count()) == ("Ready", 1)
        reason = f"Warning {verb.capitalize()}Offsets "
        assert warning.startswith(reason)
        return warning.removeprefix(reason)

    for verb, doing in (("alter", "altering"), ("reset", "resetting")):
        assert warned(verb) == f"Encountered error {doing} connector offsets. Connector is not in STOPPED state"
    annotate(orders, connector_offsets=None)
    source(state="stopped")
    becomes(name, "STOPPED")
    for verb, field in (("list", "listOffsets"), ("alter", "alterOffsets")):
        told = f"Failed to {verb} the connector offsets due to missing property {field} in KafkaConnector CR."
        assert warned(verb) == told
    annotate(orders, connector_offsets=None)
    source(state="stopped", **MAPS)
    assert warned("alter") == "ConfigMap default/at does not exist"
    for data, told in (
        ({"other": "x"}, "Data field offsets.json is missing"),
        ({"offsets.json": "{"}, "Failed to parse contents of offsets.json as JSON"),
    ):
        put("at", "configmap", cluster="real", data=data)
        assert warned("alter") == told
    assert proxy.sent("*/offsets") == []

    annotate(orders, connector_offsets="reset")
    # Also where the answer is none of Kafka Connect's.
    for code in (500, 200):
        with proxy.refusing("GET */status", code):
            (nobody_knows,) = ready(status(name))
            assert nobody_knows.startswith("NotReady ConnectRestException ")
            assert (proxy.sent("*/offsets"), orders.annotations.count()) == ([], 1)
    put("at", "configmap", cluster="real", data={"offsets.json": '{"offsets": []}'})
    for verb, method in (("list", "GET"), ("alter", "PATCH"), ("reset", "DELETE")):
        call = f"{method} /connectors/{name}/offsets"
        with proxy.refusing(call, 500, "Boom"):
            assert warned(verb) == f"Failed to {verb} the connector offsets. {call} returned 500 (500): Boom"


def test_a_class_that_is_not_there(source: Source, connect: ConnectClient, name: str) -> None:
    """It is told, and well when it is mended."""
    source("ThisConnectorDoesNotExist")
    (told,) = ready(status(name))
    assert told.startswith("NotReady ConnectRestException POST /connectors returned ")
    text = "Failed to find any class that implements Connector and which name matches ThisConnectorDoesNotExist"
    assert text in told
    assert name not in connect.connectors()
    source()
    assert ready(becomes(name, "RUNNING", "RUNNING")) == ["Ready"]


def test_a_version_goes_into_the_config(source: Source, connect: ConnectClient, name: str) -> None:
    source(config={"connector.plugin.version": "0.1", "tasks.max": "9"})
    found = becomes(name, "RUNNING", "RUNNING")
    assert [one.split()[1] for one in ready(found)[1:]] == ["ForbiddenConfigKeys"]
    assert connect.config(name)["tasks.max"] == "1"
    assert "connector.plugin.version" not in connect.config(name)
    (version,) = {one.version for one in connect.plugins() if one.class_name == SOURCE}
    source(version=version)
    assert ready(becomes(name, "RUNNING", "RUNNING")) == ["Ready"]
    assert connect.config(name)["connector.plugin.version"] == version


def test_a_deletion(source: Source, connect: ConnectClient, name: str) -> None:
    orders = source()
    becomes(name, "RUNNING", "RUNNING")
    apply.delete(orders, WHO)
    passes()
    assert not Resource.objects.exists()
    # Its status goes a moment after it.
    eventually(lambda: name not in connect.connectors(), what="it is gone")


def test_connectors_without_a_document_are_left_alone(
    source: Source, connect: ConnectClient, proxy: Proxy, room: Client, name: str
) -> None:
    """In a cluster that takes documents, as each does."""
    told = room.get("/api/v1/resources/kafkaconnect/real").json()
    assert told["metadata"]["annotations"] == {"strimzi.io/use-connector-resources": "true"}
    orders = source()
    becomes(name, "RUNNING", "RUNNING")
    by_hand = f"{name}-by-hand"
    patiently(lambda: connect.create(by_hand, {**connect.config(name), "name": by_hand}))
    passes()
    apply.delete(orders, WHO)
    is_deleted()
    eventually(lambda: set(connect.connectors()) & {name, by_hand} == {by_hand}, what="the other one is still there")
    assert proxy.taken() == ["POST /connectors", f"DELETE /connectors/{name}"]


def is_deleted() -> None:
    """The document. A cluster that rebalances has to be asked again."""

    def so() -> bool:
        passes()
        return not Resource.objects.exists()

    eventually(so, "it is deleted")


@pytest.mark.parametrize(
    "steps",
    [
        "cluster document no-document no-cluster",
        "document cluster no-document no-cluster",
        "cluster document no-cluster no-document",
        "document cluster no-cluster no-document",
    ],
)
def test_they_come_and_go_in_any_order(
    steps: str, source: Source, connect: ConnectClient, cluster: Cluster, proxy: Proxy, name: str
) -> None:
    """Made once, deleted once. A cluster that is not known any more keeps its connectors."""
    cluster.delete()
    for step in steps.split():
        match step:
            case "cluster":
                cluster.save(force_insert=True)
            case "document":
                orders = source()
            case "no-cluster":
                cluster.delete()
            case "no-document":
                apply.delete(orders, WHO)
                is_deleted()
        passes()
        if Resource.objects.exists() and Cluster.objects.filter(name="real").exists():
            assert ready(becomes(name, "RUNNING", "RUNNING")) == ["Ready"]
            passes()
    if steps.endswith("no-cluster"):
        eventually(lambda: name not in connect.connectors(), what="it is gone")
        assert proxy.taken() == ["POST /connectors", f"DELETE /connectors/{name}"]
    else:
        assert name in connect.connectors()
        assert proxy.taken() == ["POST /connectors"]


def test_without_a_label_and_without_a_cluster(
    source: Source, connect: ConnectClient, cluster: Cluster, proxy: Proxy, name: str
) -> None:
    """Both are told, and what was deleted before its cluster came is never made."""
    cluster.delete()
    orders = put(name, labels={}, spec={"class": SOURCE})
    assert ready(status(name)) == [f"NotReady InvalidResourceException {NO_LABEL}"]
    source()
    (nobody,) = ready(status(name))
    assert nobody == f"NotReady NoSuchResourceException {NO_CLUSTER}"
    cluster.save(force_insert=True)
    assert ready(becomes(name, "RUNNING", "RUNNING")) == ["Ready"]
    cluster.delete()
    assert ready(status(name)) == [nobody]
    cluster.save(force_insert=True)
    assert ready(status(name)) == ["Ready"]
    apply.delete(orders, WHO)
    passes()
    assert not Resource.objects.exists()
    assert proxy.taken() == ["POST /connectors", f"DELETE /connectors/{name}"]

    cluster.delete()
    source(state="stopped")
    passes()
    apply.delete(Resource.objects.get(), WHO)
    passes()
    cluster.save(force_insert=True)
    passes()
    assert not Resource.objects.exists()
    assert len(proxy.taken()) == 2, "what was deleted before its cluster came is never made"


def test_numbers_of_resources(source: Source, cluster: Cluster, room: Client, name: str) -> None:
    """At once, in lists and in figures: they are read when they are asked for."""

    def told(where: str) -> tuple[list[str], list[int]]:
        """The conditions; how many there are, are paused and not ready."""
        found = room.get("/api/v1/resources", {"kind": "kafkaconnector", "cluster": where}).json()["resources"]
        text = room.get("/api/v1/resources/metrics").content.decode()
        samples = [sample for one in text_string_to_metric_families(text) for sample in one.samples]
        here = [int(one.value) for one in samples if one.labels == {"kind": "KafkaConnector", "cluster": where}]
        return [condition["type"] for one in found for condition in one["status"].get("conditions", ())], here[:3]

    assert told("real") == ([], [0, 0, 0])
    orders = source()
    becomes(name, "RUNNING", "RUNNING")
    assert told("real") == (["Ready"], [1, 0, 0])
    annotate(orders, pause_reconciliation="true")
    passes()
    assert told("real") == (["ReconciliationPaused"], [1, 1, 0])
    annotate(orders, pause_reconciliation=None)
    put(name, cluster="elsewhere", spec=documents.body_of(orders))
    passes()
    assert (told("real"), told("elsewhere")) == (([], [0, 0, 0]), (["NotReady"], [1, 0, 1]))
    source()
    assert ready(becomes(name, "RUNNING", "RUNNING")) == ["Ready"]
    assert (told("real"), told("elsewhere")) == ((["Ready"], [1, 0, 0]), ([], []))
    cluster.delete()
    passes()
    assert told("real") == (["NotReady"], [1, 0, 1])
    cluster.save(force_insert=True)
    apply.delete(Resource.objects.get(), WHO)
    is_deleted()
    assert told("real") == ([], [0, 0, 0])


def test_the_life_of_strimzi_s_own_client(connect: ConnectClient, name: str, tmp_path: Path) -> None:
    """What its KafkaConnectApiIT asks a cluster for, and expects of the answers."""
    plugins = {one.class_name: one for one in connect.plugins()}
    assert [(plugins[one].type, bool(plugins[one].version)) for one in (SINK, SOURCE)] == [("sink", True), ("source", True)]
    assert name not in connect.connectors()
    config = {"connector.class": "FileStreamSource", "tasks.max": "1", "file": str(tmp_path / "in.txt"), "topic": name}
    patiently(lambda: connect.put_config(name, config))

    def is_in(*states: str) -> None:
        def so() -> bool:
            found = connect.status(name)
            return (found.connector.state, *[task.state for task in found.tasks]) == states

        eventually(so, what=f"{name} is {states}")

    is_in("RUNNING", "RUNNING")
    found = connect.status(name)
    assert all([found.connector.worker_id, *[task.worker_id for task in found.tasks]])
    assert connect.config(name) == {**config, "name": name}
    with pytest.raises(ConnectNotFound):
        connect.status("never-existed")
    for act, states in (
        (connect.pause, ("PAUSED", "PAUSED")),
        (connect.resume, ("RUNNING", "RUNNING")),
        (connect.stop, ("STOPPED",)),
        (connect.resume, ("RUNNING", "RUNNING")),
    ):
        act(name)
        is_in(*states)
    connect.restart(name, only_failed=True)
    is_in("RUNNING", "RUNNING")
    connect.restart_task(name, 0)
    is_in("RUNNING", "RUNNING")
    for wrong, told in (
        (
            {"connector.class": "ThisConnectorDoesNotExist"},
            "Failed to find any class that implements Connector and which name matches ThisConnectorDoesNotExist",
        ),
        ({"tasks.max": "dog"}, "Invalid value dog for configuration tasks.max: Not a number of type INT"),
    ):
        with pytest.raises(ConnectRefused, match=told):
            connect.put_config(name, {**config, **wrong})
    patiently(lambda: connect.delete(name))
    eventually(lambda: name not in connect.connectors(), what="it is gone")
    with pytest.raises(ConnectNotFound, match="Connector never-existed not found"):
        connect.delete("never-existed")
