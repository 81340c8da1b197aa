"""The pages of resources."""

from collections.abc import Callable
from html import unescape
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from connect_client.secrets import HIDDEN
from dashboard.models import Cluster, Grant, Resource, ResourceAnnotation
from dashboard.resources import documents
from dashboard.rights.roles import Role
from tests.dashboard.resources.conftest import Reconcile, annotate, put
from tests.dashboard.resources.paper import MIRRORS, SPEC, Paper

NEW = """\
kind: KafkaConnector
metadata:
  name: orders
  labels: {strimzi.io/cluster: eu}
spec:
  class: Source
  config: {topic: lines, db.password: geheim}
"""


def content(response: Any) -> str:
    return unescape(response.content.decode())


def page(kind: str = "kafkaconnector", name: str = "orders") -> str:
    return reverse("resource", args=(kind, name))


def test_nothing_yet(room: Client) -> None:
    assert "There is no resource." in content(room.get(reverse("resources")))


def test_the_list(room: Client, eu: Paper, reconcile: Reconcile, django_assert_max_num_queries: Any) -> None:
    reconcile(put())
    eu.says = [("POST /connectors", 400, "No")]
    reconcile(put("lake"))
    for number in range(10):
        put(f"c{number}", annotations={"a": "b"})
    put("at", "configmap", data={})
    with django_assert_max_num_queries(10):
        told = content(room.get(reverse("resources")))
    assert "1 not ready" in told
    assert "13 resources" in told
    assert "POST /connectors returned 400 (400): No" in told
    assert 'href="/ui/resources/of/kafkaconnector/orders"' in told


def test_one_is_written_reviewed_and_applied(room: Client) -> None:
    new = reverse("resource-new")
    assert "strimzi.io/cluster: eu" in content(room.get(new))
    reviewed = content(room.post(new, {"document": NEW, "step": "review"}))
    assert "It will be created." in reviewed
    assert "spec.config.topic" in reviewed
    assert not Resource.objects.exists()
    # What is applied is what was reviewed.
    other = {"document": NEW.replace("lines", "other"), "step": "apply", "reviewed": NEW}
    assert "It will be created." in content(room.post(new, other))
    assert not Resource.objects.exists()
    applied = room.post(new, {"document": NEW.replace("\n", "\r\n"), "step": "apply", "reviewed": NEW.replace("\n", "\r\n")})
    assert applied.headers["Location"] == page()
    assert documents.body_of(Resource.objects.get())["config"]["db.password"] == "geheim"


def test_one_is_shown_and_edited(room: Client, reconcile: Reconcile) -> None:
    orders = put()
    reconcile(orders)
    told = content(room.get(page()))
    assert "db.password: " + HIDDEN in told
    assert "geheim" not in told
    assert "connectorStatus:" in told
    from dashboard.resources import found, text

    document = text.editable(found.document(Resource.objects.prefetch_related("annotations").get()))
    typed = text.to_text({**document, "spec": {**document["spec"], "tasksMax": 7}})
    reviewed = content(room.post(page(), {"document": typed, "step": "review"}))
    assert "1 change." in reviewed
    assert "spec.tasksMax" in reviewed
    room.post(page(), {"document": typed, "step": "apply", "reviewed": typed})
    assert documents.body_of(Resource.objects.get()) == {**SPEC, "tasksMax": 7}


@pytest.mark.parametrize(
    ("document", "told"),
    [
        ("a: [", "It is no YAML in line 1"),
        (NEW.replace("class: Source", "class:"), "spec.class"),
        (NEW.replace("KafkaConnector", "KafkaTopic"), "This has to be one of KafkaConnector, KafkaMirrorMaker2, ConfigMap."),
        (NEW.replace("name: orders", "name:"), "metadata.name"),
        (NEW.replace("geheim", HIDDEN), "there is no stored secret to keep"),
    ],
)
def test_what_cannot_be_applied(document: str, told: str, room: Client) -> None:
    refused = room.post(reverse("resource-new"), {"document": document, "step": "apply", "reviewed": document})
    assert refused.status_code == 422
    assert told in content(refused)
    assert document in content(refused), "what was typed stays"
    assert not Resource.objects.exists()


def test_a_restart_by_a_button(room: Client, reconcile: Reconcile) -> None:
    orders = put()
    reconcile(orders)
    path = reverse("resource-annotate", args=("kafkaconnector", "orders"))
    told = content(room.post(path, {"key": "strimzi.io/restart", "value": "includeTasks"}, headers={"HX-Request": "true"}))
    assert "It was asked for, and has not been done yet" in told
    assert ResourceAnnotation.objects.get().value == "includeTasks"
    assert room.post(path, {"key": "strimzi.io/restart", "value": ""}).status_code == 302
    assert not ResourceAnnotation.objects.exists()
    assert "Nothing was set" in content(room.post(path, {"key": ""}))


def test_a_mirror_maker(room: Client, reconcile: Reconcile) -> None:
    mm2 = put("mm2", "kafkamirrormaker2", spec=MIRRORS)
    reconcile(mm2)
    annotate(mm2, restart_connector="nobody")
    reconcile(mm2)
    told = content(room.get(page("kafkamirrormaker2", "mm2")))
    assert "Restart a->b.MirrorSourceConnector" in told
    assert "Warning, RestartConnector." in told


def test_a_deletion(room: Client) -> None:
    put()
    path = reverse("resource-delete", args=("kafkaconnector", "orders"))
    assert "Nothing was deleted: type orders, exactly." in content(room.post(path, {"confirm": "order"}))
    assert Resource.objects.get().deleted_at is None
    assert room.post(path, {"confirm": "orders"}).status_code == 302
    assert Resource.objects.get().deleted_at
    assert "being deleted" in content(room.get(reverse("resources")))
    again = room.post(page(), {"document": NEW, "step": "review"})
    assert (again.status_code, "is being deleted" in content(again)) == (409, True)


def test_the_config_tab_of_its_connector_names_it(room: Client, reconcile: Reconcile, follow: Callable[[], None]) -> None:
    orders = put()
    reconcile(orders)
    follow()
    tab = reverse("connector", args=("eu", "orders")) + "?tab=config"
    told = content(room.get(tab))
    assert "The resource kafkaconnector/orders says what it is, and would put it back" in told
    assert "Review changes" not in told
    annotate(orders, pause_reconciliation="true")
    assert "Review changes" in content(room.get(tab))


def test_who_may_not_edit_is_shown_it_and_told_why_not() -> None:
    put()
    user = User.objects.create(username="viewer")
    Grant.objects.create(user=user, role=Role.VIEWER, cluster=Cluster.objects.get(name="eu"), pattern="orders")
    put("lake")
    client = Client()
    client.force_login(user)
    told = content(client.get(page()))
    assert "You need the role operator for this" in told
    assert "Review changes" not in told
    assert "lake" not in content(client.get(reverse("resources")))
    assert client.get(page(name="lake")).status_code == 404
