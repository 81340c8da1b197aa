"""Resources brought about on clusters in memory: Strimzi's checklist, as far as no Kubernetes is needed."""

from collections.abc import Callable
from typing import Any

import pytest

from dashboard.live.messages import RESOURCES
from dashboard.models import Activity, Cluster, ConfigVersion, Resource, ResourceAnnotation
from dashboard.resources import apply, decide
from dashboard.resources.claims import wake_changed
from tests.dashboard.conftest import Notebook
from tests.dashboard.moves.conftest import Clock
from tests.dashboard.resources.conftest import WHO, Reconcile, annotate, put, ready
from tests.dashboard.resources.paper import MIRRORS, SPEC, Paper

SOURCE, CHECKPOINT = "a->b.MirrorSourceConnector", "a->b.MirrorCheckpointConnector"
NO_LABEL = "Resource lacks label 'strimzi.io/cluster': No connect cluster in which to create this connector."


def mirrors(**more: Any) -> Resource:
    return put("mm2", "kafkamirrormaker2", spec={**MIRRORS, **more})


def test_it_is_created_once_and_left_alone(eu: Paper, reconcile: Reconcile) -> None:
    orders = put()
    status = reconcile(orders)
    assert eu.took() == ["POST /connectors"]
    assert "initial_state" not in eu.bodies[0]
    assert eu.bodies[0]["config"] == {**SPEC["config"], "connector.class": SPEC["class"], "name": "orders", "tasks.max": "1"}
    assert ready(status) == ["Ready"]
    assert (status["observedGeneration"], status["tasksMax"], status["topics"]) == (1, 1, ["lines"])
    assert status["connectorStatus"]["connector"] == {"state": "RUNNING", "worker_id": "w1:8083"}
    before = eu.asked.copy()
    assert reconcile(orders) == status
    assert eu.took() == []
    assert len(eu.asked) - len(before) == 3, "a config, a status, its topics"
    assert ConfigVersion.objects.get().by == "kafkaconnector/orders"
    noted = Activity.objects.get(verb="create")
    assert (noted.by, noted.via, noted.cluster, noted.connector) == ("kafkaconnector/orders", "automation", "eu", "orders")
    assert "geheim" not in str(noted.after) + str(status) + Resource.objects.get().body


@pytest.mark.parametrize("state", ["paused", "stopped"])
def test_it_is_created_in_the_state_that_is_wanted(state: str, eu: Paper, reconcile: Reconcile) -> None:
    assert ready(reconcile(put(state=state))) == ["Ready"]
    assert eu.took() == ["POST /connectors"]
    assert eu.bodies[0]["initial_state"] == state.upper()


def test_a_cluster_that_knows_no_initial_state(eu: Paper, reconcile: Reconcile, follow: Callable[[], None]) -> None:
    eu.version = "3.5.0"
    follow()
    reconcile(put(state="stopped"))
    assert eu.took() == ["POST /connectors", "PUT /connectors/orders/stop"]
    assert "initial_state" not in eu.bodies[0]


@pytest.mark.parametrize(("state", "verb"), [("paused", "pause"), ("stopped", "stop")])
def test_states_are_asked_for_once(state: str, verb: str, eu: Paper, reconcile: Reconcile) -> None:
    eu.slow = 3
    orders = put()
    reconcile(orders)
    eu.took()
    put(state=state)
    status = reconcile(orders)
    assert eu.took() == [f"PUT /connectors/orders/{verb}"]
    assert (ready(status), status["connectorStatus"]["connector"]["state"]) == (["Ready"], state.upper())
    put()
    assert reconcile(orders)["connectorStatus"]["connector"]["state"] == "RUNNING"
    assert eu.took() == ["PUT /connectors/orders/resume"]


def test_a_config_that_has_changed_is_put(eu: Paper, reconcile: Reconcile) -> None:
    orders = put()
    reconcile(orders)
    put(config={"topic": "other"}, version="1.2")
    status = reconcile(orders)
    assert eu.took() == ["POST /connectors", "PUT /connectors/orders/config"]
    assert eu.bodies[1] == {
        "topic": "other",
        "connector.class": SPEC["class"],
        "name": "orders",
        "tasks.max": "1",
        "connector.plugin.version": "1.2",
    }
    assert status["observedGeneration"] == 2


def test_the_same_document_in_another_order_wakes_nobody(eu: Paper, reconcile: Reconcile) -> None:
    orders = put()
    reconcile(orders)
    before = Resource.objects.get().due_at
    put(config=dict(reversed(list(SPEC["config"].items()))))
    after = Resource.objects.get()
    assert (after.due_at, after.generation) == (before, 1)


def test_a_server_with_keys_of_its_own(eu: Paper, reconcile: Reconcile) -> None:
    eu.adds = {"added.by.server": "1"}
    orders = put()
    reconcile(orders)
    reconcile(orders)
    assert eu.took() == ["POST /connectors"]
    put(tasksMax=2)
    reconcile(orders)
    reconcile(orders)
    assert eu.took() == ["PUT /connectors/orders/config"]


def test_drift_is_healed_and_shown(eu: Paper, reconcile: Reconcile, follow: Callable[[], None], clock: Clock) -> None:
    orders = put()
    reconcile(orders)
    follow()
    wake_changed(clock())
    reconcile(orders)
    assert wake_changed(clock()) == 0, "nothing new was seen"
    eu.took()
    eu.connectors["orders"].config["topic"] = "by hand"
    eu.connectors["orders"].config["extra"] = "1"
    eu.connectors["orders"].state = eu.connectors["orders"].wanted = "PAUSED"
    follow()
    assert wake_changed(clock()) == 1
    assert Resource.objects.get().due_at == clock()
    status = reconcile(orders)
    assert eu.took() == ["PUT /connectors/orders/config", "PUT /connectors/orders/resume"]
    (drift,) = status["drift"]
    assert (drift["connector"], drift["keys"]) == ("orders", ["extra", "topic"])
    versions = [(one.by, one.note) for one in ConfigVersion.objects.order_by("number")]
    assert versions == [("kafkaconnector/orders", ""), ("", ""), ("kafkaconnector/orders", "Put back: it was changed by hand")]


def test_one_that_was_deleted_by_hand_is_made_again(
    eu: Paper, reconcile: Reconcile, follow: Callable[[], None], clock: Clock
) -> None:
    orders = put()
    reconcile(orders)
    follow()
    wake_changed(clock())
    del eu.connectors["orders"]
    follow()
    assert wake_changed(clock()) == 1
    assert ready(reconcile(orders)) == ["Ready"]
    assert eu.took() == ["POST /connectors", "POST /connectors"]


def test_connectors_without_a_resource_are_left_alone(eu: Paper, reconcile: Reconcile) -> None:
    eu.put("by-hand")
    orders = put()
    reconcile(orders)
    apply.delete(orders, WHO)
    reconcile(orders)
    assert eu.took() == ["POST /connectors", "DELETE /connectors/orders"]
    assert list(eu.connectors) == ["by-hand"]


def test_one_that_is_there_already_is_taken_over(eu: Paper, reconcile: Reconcile) -> None:
    eu.put("orders", "RUNNING", None, **{"tasks.max": "1", "file": "/in"})
    assert ready(reconcile(put())) == ["Ready"]
    assert eu.took() == []


# --- what is wrong ----------------------------------------------------------------------------------------------------


def test_no_label(reconcile: Reconcile) -> None:
    assert ready(reconcile(put(labels={}))) == [f"NotReady InvalidResourceException {NO_LABEL}"]


def test_no_such_cluster(eu: Paper, reconcile: Reconcile) -> None:
    """And one that it was in before keeps it: a slip of the pen deletes nothing."""
    orders = put()
    reconcile(orders)
    put(cluster="eo")
    told = "KafkaConnect resource 'eo' identified by label 'strimzi.io/cluster' does not exist in namespace default."
    assert ready(reconcile(orders)) == [f"NotReady NoSuchResourceException {told}"]
    assert list(eu.connectors) == ["orders"]


@pytest.mark.parametrize("late", [False, True])
def test_the_cluster_and_the_document_in_any_order(late: bool, eu: Paper, reconcile: Reconcile) -> None:
    row = Cluster.objects.get(name="eu")
    if late:
        row.delete()
    orders = put()
    reconcile(orders)
    if late:
        row.save(force_insert=True)
        reconcile(orders)
    assert eu.took() == ["POST /connectors"]
    row.delete()
    assert ready(reconcile(orders))[0].startswith("NotReady NoSuchResourceException")
    row.save(force_insert=True)
    assert ready(reconcile(orders)) == ["Ready"]
    assert eu.took() == []
    apply.delete(orders, WHO)
    assert reconcile(orders) == {}
    assert eu.took() == ["DELETE /connectors/orders"]


def test_another_cluster(eu: Paper, us: Paper, reconcile: Reconcile) -> None:
    orders = put()
    reconcile(orders)
    put(cluster="us")
    assert ready(reconcile(orders)) == ["Ready"]
    assert (list(eu.connectors), list(us.connectors)) == ([], ["orders"])


def test_another_cluster_while_the_old_one_is_dead(eu: Paper, us: Paper, reconcile: Reconcile) -> None:
    orders = put()
    reconcile(orders)
    eu.down = True
    put(cluster="us")
    assert ready(reconcile(orders)) == ["Ready"]
    eu.down = False
    reconcile(orders)
    assert list(eu.connectors) == []


def test_a_refusal_is_told_without_secrets_and_noted_once(eu: Paper, reconcile: Reconcile, clock: Clock) -> None:
    eu.says = [("POST /connectors", 500, "No, geheim is no password")] * 2
    orders = put()
    told = "NotReady ConnectRestException POST /connectors returned 500 (500): No, •••••••• is no password"
    assert ready(reconcile(orders)) == [told]
    due = Resource.objects.get().due_at
    assert due is not None
    assert due - clock() == decide.CYCLE
    assert ready(reconcile(orders)) == [told]
    assert [(one.outcome, "geheim" in one.message) for one in Activity.objects.filter(verb="create")] == [("refused", False)]
    assert ready(reconcile(orders)) == ["Ready"]
    assert list(eu.connectors) == ["orders"]


def test_a_cluster_that_cannot_be_reached(eu: Paper, reconcile: Reconcile, follow: Callable[[], None]) -> None:
    orders = put()
    reconcile(orders)
    eu.down = True
    (told,) = ready(reconcile(orders))
    assert told.startswith("NotReady ConnectTimeoutException http://eu cannot be reached")
    eu.down = False
    assert ready(reconcile(orders)) == ["Ready"]


def test_what_has_failed(eu: Paper, reconcile: Reconcile) -> None:
    orders = put()
    reconcile(orders)
    eu.fail("orders", task=True)
    told = "The following tasks have failed: 0, see connectorStatus for more details."
    status = reconcile(orders)
    assert ready(status) == [f"NotReady Throwable {told}"]
    assert status["connectorStatus"]["connector"]["state"] == "RUNNING"
    eu.fail("orders")
    status = reconcile(orders)
    assert ready(status) == ["NotReady Throwable Connector has failed, see connectorStatus for more details."]
    assert status["connectorStatus"]["connector"]["trace"] == "java.io.IOException: ••••••••"


def test_failed_ones_are_not_paused_but_stopped(eu: Paper, reconcile: Reconcile) -> None:
    orders = put()
    reconcile(orders)
    eu.fail("orders")
    eu.took()
    put(state="paused")
    told = "NotReady NoStackTraceThrowable Connector orders cannot be paused since it is in failed state."
    assert ready(reconcile(orders)) == [told]
    assert eu.took() == []
    put(state="stopped")
    assert ready(reconcile(orders)) == ["Ready"]
    assert eu.took() == ["PUT /connectors/orders/stop"]


def test_one_connector_is_one_resources(eu: Paper, reconcile: Reconcile) -> None:
    reconcile(mirrors())
    eu.took()
    second = put(SOURCE)
    told = f"NotReady InvalidResourceException Connector {SOURCE} of cluster eu belongs to kafkamirrormaker2/mm2."
    assert ready(reconcile(second)) == [told]
    apply.delete(second, WHO)
    assert reconcile(second) == {}
    assert eu.took() == []


def test_warnings(reconcile: Reconcile) -> None:
    found = ready(reconcile(put(config={**SPEC["config"], "tasks.max": 9}, replicas=2)))
    assert found[0] == "Ready"
    assert sorted(one.split()[1] for one in found[1:]) == ["ForbiddenConfigKeys", "UnknownFields"]


# --- pausing and deleting ---------------------------------------------------------------------------------------------


def test_nothing_is_done_while_reconciliation_is_paused(eu: Paper, reconcile: Reconcile) -> None:
    orders = put()
    reconcile(orders)
    annotate(orders, pause_reconciliation="true")
    put(tasksMax=3)
    status = reconcile(orders)
    assert ready(status) == ["ReconciliationPaused"]
    assert (status["observedGeneration"], "connectorStatus" in status) == (1, False)
    annotate(orders, restart="true")
    reconcile(orders)
    assert eu.took() == ["POST /connectors"]
    annotate(orders, pause_reconciliation="false")
    status = reconcile(orders)
    assert (ready(status), status["observedGeneration"]) == (["Ready"], 2)
    assert eu.took() == ["PUT /connectors/orders/config", "POST /connectors/orders/restart?includeTasks=false&onlyFailed=false"]


def test_a_deletion_waits_for_its_cluster(eu: Paper, reconcile: Reconcile) -> None:
    orders = put()
    reconcile(orders)
    eu.took()
    eu.down = True
    apply.delete(orders, WHO)
    assert ready(reconcile(orders, passes=1))[0].startswith("NotReady Deleting")
    with pytest.raises(apply.Deleting):
        put()
    eu.down = False
    assert reconcile(orders) == {}
    assert eu.took() == ["DELETE /connectors/orders"]
    assert not Resource.objects.exists()


def test_a_deletion_of_what_is_gone(eu: Paper, reconcile: Reconcile) -> None:
    orders = put()
    reconcile(orders)
    del eu.connectors["orders"]
    apply.delete(orders, WHO)
    assert reconcile(orders) == {}


def test_open_pages_are_told(eu: Paper, reconcile: Reconcile, monkeypatch: pytest.MonkeyPatch) -> None:
    notebook = Notebook()
    monkeypatch.setattr("dashboard.resources.run.publisher", lambda: notebook)

    def told() -> bool:
        found, notebook.messages = notebook.messages, []
        return RESOURCES in found

    orders = put()
    reconcile(orders)
    assert told()
    reconcile(orders)
    assert not told(), "nothing has come of it"
    annotate(orders, restart="true")
    assert ready(reconcile(orders)) == ["Ready"]
    assert told(), "its status is the same, and the annotation is gone"
    apply.delete(orders, WHO)
    reconcile(orders)
    assert told()


# --- annotations ------------------------------------------------------------------------------------------------------


def annotations() -> dict[str, str]:
    return {row.key.removeprefix("strimzi.io/"): row.value for row in ResourceAnnotation.objects.all()}


@pytest.mark.parametrize(
    ("value", "query"),
    [
        ("true", "includeTasks=false&onlyFailed=false"),
        ("includeTasks", "includeTasks=true&onlyFailed=false"),
        ("onlyFailed", "includeTasks=false&onlyFailed=true"),
        ("includeTasks,onlyFailed", "includeTasks=true&onlyFailed=true"),
    ],
)
def test_a_restart(value: str, query: str, eu: Paper, reconcile: Reconcile) -> None:
    orders = put()
    reconcile(orders)
    eu.took()
    annotate(orders, restart=value)
    assert ready(reconcile(orders)) == ["Ready"]
    assert eu.took() == [f"POST /connectors/orders/restart?{query}"]
    assert annotations() == {}
    reconcile(orders)
    assert eu.took() == []
    annotate(orders, restart=value)
    reconcile(orders)
    assert eu.took() == [f"POST /connectors/orders/restart?{query}"], "set anew it is another one"


def test_a_restart_that_is_refused_is_kept_and_tried_once_a_cycle(eu: Paper, reconcile: Reconcile, clock: Clock) -> None:
    orders = put()
    reconcile(orders)
    eu.took()
    eu.says = [("POST /connectors/orders/restart", 500, "Not now")] * 2
    annotate(orders, restart="true")
    cause = "POST /connectors/orders/restart returned 500 (500): Not now"
    warned = ["Ready", f"Warning RestartConnector Failed to restart connector orders. {cause}"]
    assert ready(reconcile(orders)) == warned
    assert ready(reconcile(orders)) == warned
    assert len(eu.took()) == 1
    clock.rest(decide.CYCLE.total_seconds())
    assert ready(reconcile(orders)) == warned
    assert (len(eu.took()), annotations()) == (1, {"restart": "true"})
    assert Activity.objects.filter(verb="restart").count() == 1
    clock.rest(decide.CYCLE.total_seconds())
    assert ready(reconcile(orders)) == ["Ready"]
    assert (len(eu.took()), annotations()) == (1, {})


def test_a_restart_waits_for_its_cluster(eu: Paper, reconcile: Reconcile) -> None:
    orders = put()
    reconcile(orders)
    eu.took()
    eu.down = True
    annotate(orders, restart="true")
    reconcile(orders)
    assert annotations() == {"restart": "true"}
    eu.down = False
    reconcile(orders)
    assert (eu.took(), annotations()) == (["POST /connectors/orders/restart?includeTasks=false&onlyFailed=false"], {})


def test_a_task_is_restarted(eu: Paper, reconcile: Reconcile) -> None:
    orders = put()
    reconcile(orders)
    eu.fail("orders", task=True)
    eu.took()
    annotate(orders, restart_task="0")
    assert ready(reconcile(orders)) == ["Ready"]
    assert (eu.took(), annotations()) == (["POST /connectors/orders/tasks/0/restart"], {})
    eu.says = [("POST /connectors/orders/tasks/7/restart", 404, "Unknown task: orders-7")]
    annotate(orders, restart_task="7")
    cause = "POST /connectors/orders/tasks/7/restart returned 404 (404): Unknown task: orders-7"
    told = f"Warning RestartConnectorTask Failed to restart connector task orders:7. {cause}"
    assert ready(reconcile(orders)) == ["Ready", told]
    assert annotations() == {"restart-task": "7"}


def test_what_is_not_understood_is_kept_and_nothing_is_asked(eu: Paper, reconcile: Reconcile) -> None:
    orders = put(annotations={"strimzi.io/restart": "true,includeTasks", "strimzi.io/restart-task": "x"})
    found = ready(reconcile(orders))
    assert found[:2] == ["Ready", "Warning RestartConnector Invalid annotation format"]
    assert found[2].startswith("Warning RestartConnectorTask")
    assert (eu.took(), len(annotations())) == (["POST /connectors"], 2)


def test_a_mirror_maker(eu: Paper, reconcile: Reconcile) -> None:
    mm2 = mirrors()
    status = reconcile(mm2)
    assert ready(status) == ["Ready"]
    assert [one["name"] for one in status["connectors"]] == [CHECKPOINT, SOURCE]
    assert eu.took() == ["POST /connectors", "POST /connectors"]
    annotate(mm2, restart_connector_task=f"{SOURCE}:2", restart_connector=f"{CHECKPOINT}:includeTasks,onlyFailed")
    reconcile(mm2)
    assert eu.took() == [
        "POST /connectors/a-%3Eb.MirrorSourceConnector/tasks/2/restart",
        "POST /connectors/a-%3Eb.MirrorCheckpointConnector/restart?includeTasks=true&onlyFailed=true",
    ]
    assert annotations() == {}
    only_source = [{key: value for key, value in MIRRORS["mirrors"][0].items() if key != "checkpointConnector"}]
    mirrors(mirrors=only_source)
    reconcile(mm2)
    assert eu.took() == ["DELETE /connectors/a-%3Eb.MirrorCheckpointConnector"]


def test_a_mirror_maker_of_which_something_has_failed(eu: Paper, reconcile: Reconcile) -> None:
    mm2 = mirrors()
    reconcile(mm2)
    eu.fail(SOURCE, task=True)
    told = "The following tasks have failed: 0, see connectorStatus for more details."
    assert ready(reconcile(mm2)) == [f"NotReady Throwable {SOURCE}: {told}"]
    eu.fail(SOURCE)
    assert ready(reconcile(mm2)) == ["NotReady Throwable One or more connectors are in FAILED state"]


def test_one_connector_of_a_mirror_maker_does_not_hold_up_the_other(eu: Paper, reconcile: Reconcile) -> None:
    eu.says = [("POST /connectors", 400, "No")]
    (told,) = ready(reconcile(mirrors()))
    assert told == f"NotReady ConnectRestException {SOURCE}: POST /connectors returned 400 (400): No"
    assert list(eu.connectors) == [CHECKPOINT]
