"""What fails, what is told of it, and how it is restarted by itself."""

from pathlib import Path
from typing import Any

import pytest

from connect_client import ConnectClient
from dashboard.models import Activity, AutoRestart, Cluster, ConnectorSnapshot, Resource, RestartPolicy
from dashboard.resources import gauges
from dashboard.resources.conditions import moment
from dashboard.restarting.record import WHO as BY_ITSELF
from tests.dashboard.resources.checklist.conftest import MINUTE, SINK, Look, Source, becomes, status, until
from tests.dashboard.resources.conftest import annotate, put, ready
from tests.proxy import Proxy
from tests.topics import create_topic, delete_records, produce
from tests.waiting import eventually

TASK_FAILED = "NotReady Throwable The following tasks have failed: 0, see connectorStatus for more details."
CONNECTOR_FAILED = "NotReady Throwable Connector has failed, see connectorStatus for more details."
JSON = "org.apache.kafka.connect.json.JsonConverter"


@pytest.fixture
def sink(cluster: Cluster, name: str, tmp_path: Path) -> Source:
    """One whose task fails for as long as the folder of its file is missing."""

    def sink(**spec: Any) -> Resource:
        config = {"topics": name, "file": str(tmp_path / "missing" / "out.txt")}
        return put(name, cluster="real", spec={"class": SINK, "tasksMax": 1, "config": config, **spec})

    return sink


def count(name: str) -> int:
    row = AutoRestart.objects.filter(connector=name).first()
    return row.count if row else 0


def test_a_task_that_has_failed(sink: Source, name: str) -> None:
    sink()
    found = becomes(name, "RUNNING", "FAILED")
    assert ready(found) == [TASK_FAILED]
    assert found["connectorStatus"]["tasks"][0]["trace"]


def test_a_connector_that_has_failed_is_stopped_and_never_paused(failing: Source, proxy: Proxy, name: str) -> None:
    failing()
    found = becomes(name, "FAILED")
    assert ready(found) == [CONNECTOR_FAILED]
    assert found["connectorStatus"]["connector"]["trace"]
    failing(state="paused")
    told = f"NotReady NoStackTraceThrowable Connector {name} cannot be paused since it is in failed state."
    assert ready(status(name)) == [told]
    failing(state="stopped")
    assert ready(becomes(name, "STOPPED")) == ["Ready"]
    assert proxy.taken() == ["POST /connectors", f"PUT /connectors/{name}/stop"]
    assert proxy.sent("*/pause") == []


def test_each_restart_waits_for_its_minute_and_then_it_is_given_up_until_somebody_mends_it(
    sink: Source, look: Look, proxy: Proxy, name: str, tmp_path: Path
) -> None:
    orders = sink(autoRestart={"maxRestarts": 2})
    becomes(name, "RUNNING", "FAILED")
    until(lambda: count(name) == 1, look, "it is restarted at once")
    first = AutoRestart.objects.get().last_restart_at
    assert first is not None
    assert status(name)["autoRestart"] == {"count": 1, "connectorName": name, "lastRestartTimestamp": moment(first)}
    until(lambda: count(name) == 2, look, "and once more")
    second = AutoRestart.objects.get().last_restart_at
    assert second is not None
    assert second - first >= 2 * MINUTE
    until(lambda: AutoRestart.objects.exclude(gave_up_at=None).exists(), look, "it is given up")
    told = status(name)["autoRestart"]
    assert (told["count"], told["lastRestartTimestamp"]) == (2, moment(second))
    assert told["lastRestartTimestamp"] < told["gaveUpTimestamp"]
    both = [f"POST /connectors/{name}/restart?includeTasks=true&onlyFailed=true"] * 2
    assert proxy.taken("*/restart") == both

    (tmp_path / "missing").mkdir()
    annotate(orders, restart="includeTasks,onlyFailed")
    assert ready(becomes(name, "RUNNING", "RUNNING")) == ["Ready"]
    assert not orders.annotations.exists()
    assert "gaveUpTimestamp" not in status(name).get("autoRestart", {})


def test_what_is_switched_off_or_well_is_not_restarted(sink: Source, look: Look, proxy: Proxy, name: str, tmp_path: Path) -> None:
    """Also where a policy says that it is."""
    RestartPolicy.objects.create(name="These", pattern=name)
    sink(autoRestart={"enabled": False})
    becomes(name, "RUNNING", "FAILED")
    for _ in range(3):
        look()
    assert "autoRestart" not in status(name)
    (tmp_path / "missing").mkdir()
    annotate(sink(), restart_task="0")
    becomes(name, "RUNNING", "RUNNING")
    for _ in range(3):
        look()
    assert "autoRestart" not in status(name)
    assert proxy.sent("*/restart") == [f"POST /connectors/{name}/tasks/0/restart"]


@pytest.mark.parametrize(
    ("what", "failed", "restarting"),
    [("failing", ["FAILED"], ["RESTARTING"]), ("sink", ["RUNNING", "FAILED"], ["RUNNING", "RESTARTING"])],
    ids=["connector", "task"],
)
def test_it_is_shown_as_restarting_and_counted(
    what: str,
    failed: list[str],
    restarting: list[str],
    look: Look,
    proxy: Proxy,
    name: str,
    request: pytest.FixtureRequest,
) -> None:
    make: Source = request.getfixturevalue(what)
    make(autoRestart={"maxRestarts": 1})
    becomes(name, *failed)
    noted = Activity.objects.filter(by=BY_ITSELF.name, connector=name)
    until(noted.exists, look, "it is restarted and has been answered")
    (answer,) = [one.answer for one in proxy.asked if one.call == f"POST /connectors/{name}/restart" and one.status == 202]
    # Shown until something newer is seen.
    shown = ConnectorSnapshot.objects.get(name=name).restart_answer
    assert shown
    for told in (answer, shown):
        assert [told["connector"]["state"], *[task["state"] for task in told["tasks"]]] == restarting
    assert (status(name)["autoRestart"]["count"], noted.count()) == (1, 1)
    figure = 'drover_room_resources_auto_restarts{kind="KafkaConnector",cluster="real"} 1\n'
    assert figure in gauges.text(Resource.objects.all(), ())


def test_a_sink_that_fails_behind_five_records_is_restarted_once_and_its_count_goes_back(
    connect: ConnectClient, cluster: Cluster, look: Look, proxy: Proxy, kafka: str, name: str, tmp_path: Path
) -> None:
    """The sixth is no JSON; retention takes it away."""
    create_topic(kafka, name, 1)
    copy = tmp_path / "out.txt"
    config = {"topics": name, "file": str(copy), "value.converter": JSON, "value.converter.schemas.enable": False}
    put(name, cluster="real", spec={"class": SINK, "tasksMax": 1, "config": config, "autoRestart": {}})
    becomes(name, "RUNNING", "RUNNING")
    produce(kafka, name, *[(None, str(number)) for number in range(5)])
    # Upstream's note: what is not committed before it fails would be written again with each restart.
    eventually(lambda: [one.offset for one in connect.offsets(name)] == [{"kafka_offset": 5}], "five are committed")
    produce(kafka, name, (None, "{"))
    assert ready(becomes(name, "RUNNING", "FAILED")) == [TASK_FAILED]

    delete_records(kafka, name, before=6)
    until(lambda: count(name) == 1, look, "it is restarted")
    found = becomes(name, "RUNNING", "RUNNING")
    assert (ready(found), found["autoRestart"]["count"]) == (["Ready"], 1)
    produce(kafka, name, (None, "6"))
    eventually(lambda: copy.read_text().split() == ["0", "1", "2", "3", "4", "6"], "it goes on behind it")
    until(lambda: not AutoRestart.objects.exists(), look, "its count goes back to 0")
    assert "autoRestart" not in status(name)
    assert len(proxy.taken("*/restart")) == 1
