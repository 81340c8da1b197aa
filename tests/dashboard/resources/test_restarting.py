"""The block `autoRestart`: what is said of a connector by it, and what is told of restarts."""

from typing import Any

import pytest

from dashboard.models import AutoRestart, Cluster, RestartOverride
from dashboard.resources import apply
from tests.dashboard.moves.conftest import NOW
from tests.dashboard.resources.conftest import WHO, Reconcile, annotate, put
from tests.dashboard.resources.paper import MIRRORS, Paper

SOURCE, CHECKPOINT = "a->b.MirrorSourceConnector", "a->b.MirrorCheckpointConnector"


def said() -> list[tuple[str, bool | None, int | None, str]]:
    columns = ("connector", "enabled", "max_restarts", "source")
    return list(RestartOverride.objects.order_by("connector").values_list(*columns))


def test_what_a_document_says(eu: Paper, reconcile: Reconcile) -> None:
    orders = put(autoRestart={"maxRestarts": 3})
    reconcile(orders)
    assert said() == [("orders", True, 3, "resource")]
    put(autoRestart={"enabled": False})
    reconcile(orders)
    assert said() == [("orders", False, None, "resource")]
    put()
    reconcile(orders)
    assert said() == []


def test_what_somebody_has_said_stays_where_the_document_says_nothing(eu: Paper, reconcile: Reconcile) -> None:
    cluster = Cluster.objects.get(name="eu")
    RestartOverride.objects.create(cluster=cluster, connector="orders", enabled=False)
    orders = put()
    reconcile(orders)
    assert said() == [("orders", False, None, "ui")]
    put(autoRestart={})
    reconcile(orders)
    assert said() == [("orders", True, None, "resource")]
    apply.delete(orders, WHO)
    reconcile(orders)
    assert said() == []


def test_the_proposals_spelling_is_of_all_connectors(eu: Paper, reconcile: Reconcile) -> None:
    mm2 = put("mm2", "kafkamirrormaker2", spec={**MIRRORS, "autoRestartConnectorsAndTasks": {"enabled": False}})
    reconcile(mm2)
    assert said() == [(CHECKPOINT, False, None, "resource"), (SOURCE, False, None, "resource")]


def restarted(connector: str, **more: Any) -> None:
    AutoRestart.objects.create(cluster=Cluster.objects.get(name="eu"), connector=connector, count=2, last_restart_at=NOW, **more)


def test_what_is_told(eu: Paper, reconcile: Reconcile) -> None:
    orders = put()
    assert "autoRestart" not in reconcile(orders)
    restarted("orders")
    restarted("another")
    told = {"count": 2, "connectorName": "orders", "lastRestartTimestamp": "2026-11-22T08:00:00.000Z"}
    assert reconcile(orders)["autoRestart"] == told
    AutoRestart.objects.filter(connector="orders").update(gave_up_at=NOW)
    assert reconcile(orders)["autoRestart"] == {**told, "gaveUpTimestamp": "2026-11-22T08:00:00.000Z"}
    AutoRestart.objects.all().delete()
    assert "autoRestart" not in reconcile(orders)


@pytest.mark.parametrize(("key", "value"), [("restart", "true"), ("restart_task", "0")])
def test_an_annotation_is_a_restart_by_hand(key: str, value: str, eu: Paper, reconcile: Reconcile) -> None:
    orders = put()
    reconcile(orders)
    restarted("orders", gave_up_at=NOW)
    annotate(orders, **{key: value})
    reconcile(orders)
    row = AutoRestart.objects.get()
    assert (row.count, row.gave_up_at) == (0, None)


def test_what_is_told_of_a_mirror_maker(eu: Paper, reconcile: Reconcile) -> None:
    mm2 = put("mm2", "kafkamirrormaker2", spec=MIRRORS)
    restarted(SOURCE)
    restarted(CHECKPOINT)
    names = [one["connectorName"] for one in reconcile(mm2)["autoRestartStatuses"]]
    assert names == [CHECKPOINT, SOURCE]
    mm2.api_version = "strimzi.io/v1alpha1"
    mm2.save(update_fields=("api_version",))
    assert len(reconcile(mm2)["autoRestartConnectorsAndTasks"]) == 2
