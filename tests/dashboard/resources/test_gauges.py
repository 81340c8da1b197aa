"""Numbers of resources as Prometheus reads them."""

from collections.abc import Callable

import pytest
from django.contrib.auth.models import User
from django.test import Client
from prometheus_client.parser import text_string_to_metric_families

from dashboard.models import Cluster, Grant, Resource
from dashboard.resources import documents, gauges
from dashboard.rights.roles import Role
from tests.dashboard.resources.conftest import annotate, put
from tests.dashboard.resources.paper import MIRRORS

Read = Callable[[Client], dict[tuple[str, str], list[int]]]


@pytest.fixture
def read() -> Read:
    """By kind and cluster: how many there are, are paused, are not ready, and restarts."""

    def read(client: Client) -> dict[tuple[str, str], list[int]]:
        answer = client.get("/api/v1/resources/metrics")
        assert answer.headers["Content-Type"] == gauges.CONTENT_TYPE
        families = list(text_string_to_metric_families(answer.content.decode()))
        assert [(one.name, one.type) for one in families] == [(gauge.name, "gauge") for gauge in gauges.GAUGES]
        found: dict[tuple[str, str], list[int]] = {}
        for sample in (sample for one in families for sample in one.samples):
            found.setdefault((sample.labels["kind"], sample.labels["cluster"]), []).append(int(sample.value))
        return found

    return read


def is_told(resource: Resource, **status: object) -> None:
    Resource.objects.filter(pk=resource.pk).update(status=status)


def test_what_is_counted(room: Client, read: Read) -> None:
    kinds = ("KafkaConnector", "KafkaMirrorMaker2")
    none = {(kind, cluster): [0, 0, 0, 0] for kind in kinds for cluster in ("eu", "us")}
    assert read(room) == none
    orders, lake = put(), put("lake")
    put("at", "configmap", data={"a": "b"})
    mirrors = put("mm2", "kafkamirrormaker2", cluster="us", spec=MIRRORS)
    nowhere = put("lost", cluster='no\\"where\n')
    annotate(orders, pause_reconciliation="true")
    is_told(orders, conditions=[{"type": "ReconciliationPaused"}])
    is_told(lake, conditions=[{"type": "NotReady"}, {"type": "Warning"}], autoRestart={"count": 3})
    is_told(mirrors, conditions=[{"type": "Ready"}], autoRestartStatuses=[{"count": 1}, {"count": 4}])
    is_told(nowhere, conditions=[{"type": "NotReady"}])
    assert read(room) == none | {
        ("KafkaConnector", "eu"): [2, 1, 1, 3],
        ("KafkaMirrorMaker2", "us"): [1, 0, 0, 5],
        ("KafkaConnector", 'no\\"where\n'): [1, 0, 1, 0],
    }


def test_the_proposals_own_spelling(room: Client, read: Read) -> None:
    is_told(put("mm2", "kafkamirrormaker2", spec=MIRRORS), autoRestartConnectorsAndTasks=[{"count": 2}])
    assert read(room)[documents.KINDS["kafkamirrormaker2"], "eu"] == [1, 0, 0, 2]


def test_what_may_not_be_seen_is_not_counted(read: Read) -> None:
    put("orders-1")
    put("lake")
    put("orders-2", cluster="us")
    somebody = User.objects.create(username="somebody")
    Grant.objects.create(user=somebody, role=Role.VIEWER, cluster=Cluster.objects.get(name="eu"), pattern="orders-*")
    client = Client()
    client.force_login(somebody)
    assert read(client) == {("KafkaConnector", "eu"): [1, 0, 0, 0], ("KafkaMirrorMaker2", "eu"): [0, 0, 0, 0]}
