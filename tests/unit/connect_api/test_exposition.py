"""The text of `/metrics`, read by Prometheus' own parser."""

import orjson
import pytest
from prometheus_client.parser import text_string_to_metric_families

from connect_api import figures
from connect_api.exposition import Page, labels
from workers.herder.interface import View
from workers.herder.states import State
from workers.herder.values import ConnectorInfo, ConnectorStatus, Status, TaskId
from workers.metrics import catalogue
from workers.metrics.worker_recorder import WorkerRecorder


def of(**named: str) -> frozenset[tuple[str, str]]:
    return frozenset(named.items())


ODD = ["plain", 'quo"te', "back\\slash", "new\nline", "slash/name", "žluťoučký 🐎", "{a=b,c}", "ends with \\", r"\n", ""]


def samples(text: bytes) -> dict[tuple[str, frozenset[tuple[str, str]]], float]:
    found = [sample for family in text_string_to_metric_families(text.decode()) for sample in family.samples]
    named = {(sample.name, frozenset(sample.labels.items())): sample.value for sample in found}
    assert len(named) == len(found), "no sample is there twice"
    return named


@pytest.mark.parametrize("name", ODD)
def test_any_name_comes_back_as_it_was(name: str) -> None:
    page = Page()
    page.add(catalogue.CONNECTOR_STATUS, labels({"connector": name, "status": "running"}), 1)
    expected = ("kafka_connect_connector_metrics_status", of(connector=name, status="running"))
    assert samples(page.text()) == {expected: 1}


def test_a_metric_is_one_block_however_its_samples_came() -> None:
    page = Page()
    up, batches = catalogue.UP, catalogue.SENT["drover_task_batches_total"]
    page.add(up, labels({"worker": "a"}), 1)
    page.add(batches, labels({"worker": "a"}), 2.5)
    page.add(up, labels({"worker": "b"}), 0)
    assert page.text().decode() == (
        f"# HELP drover_worker_up {up.help}\n# TYPE drover_worker_up gauge\n"
        'drover_worker_up{worker="a"} 1\ndrover_worker_up{worker="b"} 0\n'
        f"# HELP drover_task_batches_total {batches.help}\n# TYPE drover_task_batches_total counter\n"
        'drover_task_batches_total{worker="a"} 2.5\n'
    )


def view(connector: State | None, **tasks: State) -> View:
    """Connector `c` with two committed tasks; `tasks` are those with a status: `t0=State.RUNNING`."""
    info = ConnectorInfo("c", {}, [TaskId("c", 0), TaskId("c", 1)], "sink")
    statuses = {int(name[1:]): Status(state, "w") for name, state in tasks.items()}
    status = {} if connector is None else {"c": ConnectorStatus("c", Status(connector, "w"), statuses, "sink")}
    return View("1", {"c": info}, status)


@pytest.mark.parametrize(
    ("seen", "connector", "tasks"),
    [
        (view(None), "unassigned", ["unassigned", "unassigned"]),
        (view(State.RUNNING), "running", ["unassigned", "unassigned"]),
        (view(State.RUNNING, t0=State.RUNNING, t1=State.FAILED), "running", ["running", "failed"]),
        (view(State.PAUSED, t0=State.PAUSED, t1=State.PAUSED), "paused", ["paused", "paused"]),
        (view(State.RESTARTING, t0=State.RESTARTING, t1=State.RUNNING), "restarting", ["restarting", "running"]),
        (view(State.STOPPED, t0=State.STOPPED), "stopped", ["stopped", "unassigned"]),
        # Not committed any more, and still there.
        (view(State.RUNNING, t0=State.RUNNING, t1=State.RUNNING, t2=State.DESTROYED), "running", ["running"] * 2 + ["destroyed"]),
    ],
)
def test_statuses_are_one_hot_and_counted(seen: View, connector: str, tasks: list[str]) -> None:
    found = samples(figures.text(seen, {}))
    hot = {key for key, value in found.items() if value == 1 and key[0].endswith("_status")}
    expected = {("kafka_connect_connector_metrics_status", of(connector="c", status=connector))}
    expected |= {
        (
            "kafka_connect_connector_task_metrics_status",
            frozenset({("connector", "c"), ("task", str(number)), ("status", status)}),
        )
        for number, status in enumerate(tasks)
    }
    assert hot == expected
    of_c = of(connector="c")
    for status in ("running", "paused", "failed", "unassigned", "destroyed", "restarting"):
        count = found[f"kafka_connect_connect_worker_metrics_connector_{status}_task_count", of_c]
        assert count == tasks.count(status), status
    assert found["kafka_connect_connect_worker_metrics_connector_total_task_count", of_c] == len(tasks)


def test_all_seven_statuses_are_always_there() -> None:
    found = samples(figures.text(view(State.RUNNING), {}))
    statuses = {dict(key[1])["status"] for key in found if key[0] == "kafka_connect_connector_metrics_status"}
    assert statuses == {"unassigned", "running", "paused", "stopped", "failed", "restarting", "destroyed"}


def test_what_workers_sent_goes_under_their_names() -> None:
    recorder = WorkerRecorder()
    for connector in ODD:
        task = recorder.task(TaskId(connector, 3), "sink")
        recorder.begun(task)
        task.wrote(7)
    recorder.rebalances.met(12, "w1")
    found = samples(figures.text(View("1", {}, {}), {"w1": orjson.dumps(recorder.figures()), "w2": None}))
    assert (found["drover_worker_up", of(worker="w1")], found["drover_worker_up", of(worker="w2")]) == (1, 0)
    assert found["kafka_connect_connect_worker_rebalance_metrics_epoch", of(worker="w1")] == 12
    assert found["kafka_connect_connect_worker_rebalance_metrics_leader_name", of(worker="w1", leader_name="w1")] == 1
    for connector in ODD:
        key = of(worker="w1", connector=connector, task="3")
        assert found["kafka_connect_sink_task_metrics_sink_record_send_total", key] == 7
        # Not known is not zero.
        assert ("drover_sink_task_record_lag", key) not in found


def test_a_worker_of_another_version_is_read_as_far_as_it_is_understood() -> None:
    table = {"columns": ["of_the_future", "drover_task_batches_total"], "rows": [["c", 0, 5, 6]]}
    sent = {"leader": None, "worker": {"also_new": 1}, "tasks": [table], "more": 1}
    found = samples(figures.text(View("1", {}, {}), {"w": orjson.dumps(sent)}))
    key = of(worker="w", connector="c", task="0")
    assert found == {("drover_worker_up", frozenset({("worker", "w")})): 1, ("drover_task_batches_total", key): 6}
