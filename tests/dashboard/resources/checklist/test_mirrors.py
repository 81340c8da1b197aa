"""A KafkaMirrorMaker2."""

import json
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from connect_client import ConnectClient
from dashboard.models import Activity, AutoRestart, Cluster, Resource
from dashboard.resources import documents
from tests.dashboard.resources.checklist.conftest import Look, clear, passes, until
from tests.dashboard.resources.conftest import annotate, put, ready
from tests.proxy import Proxy
from tests.topics import create_topic, produce
from tests.waiting import eventually

PARTNERS = ("strimzi.io/connector-offsets", "strimzi.io/mirrormaker-connector")


def config_map() -> dict[str, str]:
    found: dict[str, str] = documents.body_of(Resource.objects.get(kind="configmap", name="at"))
    return found


@pytest.fixture
def mirrors(connect: ConnectClient, cluster: Cluster, kafka: str, unique: str) -> Iterator[Callable[..., Resource]]:
    """From a Kafka to itself, where the copies have names of their own. The topic has three partitions."""
    topic = f"lines-{unique}"
    create_topic(kafka, topic, 3)

    def mirrors(bootstrap_servers: str = kafka, checkpoints: bool = False, **source: Any) -> Resource:
        once = {"replication.factor": 1, "offset-syncs.topic.replication.factor": 1, "sync.topic.acls.enabled": "false"}
        clusters = [{"alias": f"a{unique}", "bootstrapServers": bootstrap_servers}, {"alias": "b", "bootstrapServers": kafka}]
        mirror: dict[str, Any] = {
            "sourceCluster": f"a{unique}",
            "targetCluster": "b",
            "topicsPattern": topic,
            "sourceConnector": {"tasksMax": 3, "config": once, **source},
        }
        if checkpoints:
            mirror["checkpointConnector"] = {"config": {"checkpoints.topic.replication.factor": 1}, **source}
        return put("mm2", "kafkamirrormaker2", cluster="real", spec={"clusters": clusters, "mirrors": [mirror]})

    yield mirrors
    clear(connect, f"a{unique}->b.")


def copies(*wanted: str, of: int = 1) -> dict[str, Any]:
    """The status of the mirror, once each of its connectors, which are so many, and their tasks are as they are wanted."""

    def told() -> dict[str, Any] | None:
        passes()
        found: dict[str, Any] = Resource.objects.get(name="mm2").status
        states = [(one["connector"]["state"], *[task["state"] for task in one["tasks"]]) for one in found.get("connectors", ())]
        return found if states == [wanted] * of else None

    found = eventually(told, f"the mirror is {wanted}")
    assert found
    return found


def test_a_mirror_maker(mirrors: Callable[..., Resource], connect: ConnectClient, proxy: Proxy, kafka: str, unique: str) -> None:
    connector = f"a{unique}->b.MirrorSourceConnector"
    offsets = {"listOffsets": {"toConfigMap": {"name": "at"}}}
    mm2 = mirrors(**offsets)
    running = ["RUNNING"] * 4
    assert ready(copies(*running)) == ["Ready"]
    annotate(mm2, restart_connector_task=f"{connector}:2")
    assert ready(copies(*running)) == ["Ready"]
    (restart,) = Activity.objects.filter(verb="restart")
    assert (restart.connector, restart.task, restart.outcome) == (connector, 2, "done")
    forms = {
        "": "includeTasks=false&onlyFailed=false",
        ":includeTasks": "includeTasks=true&onlyFailed=false",
        ":onlyFailed": "includeTasks=false&onlyFailed=true",
        ":onlyFailed,includeTasks": "includeTasks=true&onlyFailed=true",
    }
    for form in forms:
        annotate(mm2, restart_connector=f"{connector}{form}")
        assert ready(copies(*running)) == ["Ready"]
    annotate(mm2, restart_connector_task=f"{connector}:7")
    assert ready(copies(*running))[1].startswith(f"Warning RestartConnectorTask Failed to restart connector task {connector}:7.")
    annotate(mm2, restart_connector_task=None)
    told = f"POST /connectors/a{unique}-%3Eb.MirrorSourceConnector"
    assert proxy.taken("*/restart") == [f"{told}/tasks/2/restart", *[f"{told}/restart?{query}" for query in forms.values()]]

    produce(kafka, f"lines-{unique}", (None, "one"), partition=1)
    eventually(lambda: connect.offsets(connector), "it has copied it")
    annotate(mm2, connector_offsets="list", mirrormaker_connector=connector)
    assert ready(copies(*running)) == ["Ready"]
    told = json.loads(config_map()[f"a{unique}--b.MirrorSourceConnector.json"])
    assert [one["offset"] for one in told["offsets"]] == [{"offset": 0}]

    mirrors(state="paused", **offsets)
    assert ready(copies(*["PAUSED"] * 4)) == ["Ready"]
    mirrors(state="stopped", **offsets)
    assert ready(copies("STOPPED")) == ["Ready"]
    annotate(mm2, connector_offsets="reset", mirrormaker_connector=connector)
    assert ready(copies("STOPPED")) == ["Ready"]
    assert connect.offsets(connector) == []
    assert not mm2.annotations.exists()


def test_a_mirror_maker_that_cannot_start(mirrors: Callable[..., Resource], look: Look, proxy: Proxy, unique: str) -> None:
    mirrors("nobody.invalid:9092", autoRestart={"maxRestarts": 1})
    found = copies("FAILED")
    assert ready(found) == ["NotReady Throwable One or more connectors are in FAILED state"]
    until(lambda: AutoRestart.objects.exclude(gave_up_at=None).exists(), look, "it is restarted, in vain")
    (counted,) = copies("FAILED")["autoRestartStatuses"]
    assert (counted["connectorName"], counted["count"]) == (f"a{unique}->b.MirrorSourceConnector", 1)
    mirrors("nobody.invalid:9092", state="paused")
    assert ready(copies("FAILED"))[0].startswith("NotReady")
    assert proxy.sent("*/pause") == [], "what has failed is not paused"
    mirrors(state="running", autoRestart={"maxRestarts": 1})
    assert ready(copies(*["RUNNING"] * 4)) == ["Ready"]
    until(lambda: not AutoRestart.objects.exists(), look, "its count goes back to 0")
    assert "autoRestartStatuses" not in copies(*["RUNNING"] * 4)


@pytest.mark.parametrize(
    ("kind", "where", "offset"),
    [
        ("MirrorSourceConnector", {"cluster": "a", "partition": 0, "topic": "t"}, 5),
        ("MirrorCheckpointConnector", {"group": "g", "partition": 0, "topic": "t"}, 0),
    ],
    ids=["source", "checkpoint"],
)
def test_offsets_of_one_of_two(
    kind: str,
    where: dict[str, Any],
    offset: int,
    mirrors: Callable[..., Resource],
    connect: ConnectClient,
    proxy: Proxy,
    unique: str,
) -> None:
    maps = {"listOffsets": {"toConfigMap": {"name": "at"}}, "alterOffsets": {"fromConfigMap": {"name": "at"}}}
    mm2 = mirrors(checkpoints=True, state="stopped", **maps)
    copies("STOPPED", of=2)
    values = ("list", f"a{unique}->b.{kind}")
    for given, missing in ((0, 1), (1, 0)):
        annotate(mm2, **{PARTNERS[given].partition("/")[2]: values[given]})
        told = f"Warning ManageOffsets Annotation {PARTNERS[given]} is missing annotation {PARTNERS[missing]}"
        assert ready(copies("STOPPED", of=2)) == ["Ready", told]
        annotate(mm2, **{PARTNERS[given].partition("/")[2]: None})
    assert proxy.looks("*/offsets") == 0

    def carries_out(verb: str) -> None:
        annotate(mm2, connector_offsets=verb, mirrormaker_connector=values[1])
        assert ready(copies("STOPPED", of=2)) == ["Ready"]
        assert not mm2.annotations.exists()

    carries_out("list")
    key = f"a{unique}--b.{kind}.json"
    assert {key: json.loads(text) for key, text in config_map().items()} == {key: {"offsets": []}}
    altered = {"offsets": [{"partition": where, "offset": {"offset": offset}}]}
    put("at", "configmap", cluster="real", data={key: json.dumps(altered)})
    carries_out("alter")
    assert [(one.partition, one.offset) for one in connect.offsets(values[1])] == [(where, {"offset": offset})]
    carries_out("reset")
    assert connect.offsets(values[1]) == []
    path = f"/connectors/a{unique}-%3Eb.{kind}/offsets"
    assert proxy.taken("*/offsets") == [f"PATCH {path}", f"DELETE {path}"], "and nothing of the other one's"


def test_what_asks_for_no_restart(mirrors: Callable[..., Resource], proxy: Proxy, unique: str) -> None:
    mm2 = mirrors(state="stopped")
    copies("STOPPED")
    for value in ("{}:includeTasks,other", "{}:true", " {}", "b", "{}2"):
        annotate(mm2, restart_connector=value.format(f"a{unique}->b.MirrorSourceConnector"))
        first, warning = ready(copies("STOPPED"))
        assert (first, warning.split()[:2]) == ("Ready", ["Warning", "RestartConnector"])
    assert proxy.sent("*/restart") == []
