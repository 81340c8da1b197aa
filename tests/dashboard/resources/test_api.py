"""`/api/v1/resources`: documents are applied, planned, annotated and deleted, by who may."""

import json
from collections.abc import Callable
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client

from connect_client.secrets import HIDDEN
from dashboard.models import Activity, Cluster, Grant, PluginSnapshot, Resource
from dashboard.resources import documents
from dashboard.rights.roles import Role
from tests.dashboard.moves.conftest import NOW
from tests.dashboard.resources.conftest import Reconcile, put
from tests.dashboard.resources.paper import MIRRORS, SPEC, Paper

ORDERS = "/api/v1/resources/kafkaconnector/orders"


def body(cluster: str = "eu", kind: str = "KafkaConnector", **more: Any) -> dict[str, Any]:
    metadata = {"name": "orders", "labels": {"strimzi.io/cluster": cluster}, **more.pop("metadata", {})}
    spec = {**SPEC, **more.pop("spec", {})}
    return {"apiVersion": "kafka.strimzi.io/v1", "kind": kind, "metadata": metadata, "spec": spec, **more}


def send(client: Client, method: str, path: str, told: Any = None) -> Any:
    return client.generic(method, path, data=_json(told), content_type="application/json")


def _json(told: Any) -> str:
    return "" if told is None else json.dumps(told)


@pytest.fixture
def member() -> Callable[..., Client]:
    """Somebody with a role for orders-* in eu."""

    def member(role: Role, pattern: str = "orders*", cluster: str = "eu") -> Client:
        user, _ = User.objects.get_or_create(username="somebody")
        Grant.objects.create(user=user, role=role, cluster=Cluster.objects.get(name=cluster), pattern=pattern)
        client = Client()
        client.force_login(user)
        return client

    return member


def test_a_document_is_created_applied_and_told(room: Client, reconcile: Reconcile) -> None:
    created = send(room, "PUT", ORDERS, body())
    assert created.status_code == 201
    told = created.json()
    assert (told["apiVersion"], told["kind"]) == ("kafka.strimzi.io/v1", "KafkaConnector")
    assert told["spec"]["config"] == {"file": "/in", "topic": "lines", "db.password": HIDDEN}
    metadata = told["metadata"]
    assert (metadata["name"], metadata["generation"], metadata["annotations"]) == ("orders", 1, {})
    assert metadata["labels"] == {"strimzi.io/cluster": "eu"}
    reconcile(Resource.objects.get())
    again = send(room, "PUT", ORDERS, room.get(ORDERS).json())
    assert (again.status_code, again.json()["metadata"]["generation"]) == (200, 1)
    changed = send(room, "PUT", ORDERS, body(spec={"tasksMax": 4}))
    assert (changed.status_code, changed.json()["metadata"]["generation"]) == (200, 2)
    assert changed.json()["status"]["conditions"][0]["type"] == "Ready"
    verbs = [(one.verb, one.by, one.connector) for one in Activity.objects.filter(via="api")]
    assert verbs == [("resource-apply", "operator", "orders")] * 2
    assert "geheim" not in str([(one.before, one.after) for one in Activity.objects.all()])


def test_a_plan(room: Client) -> None:
    plan = f"{ORDERS}?dryRun=true"
    told = send(room, "PUT", plan, body()).json()
    assert told["action"] == "create"
    assert {"path": "spec.config.db.password", "before": None, "after": HIDDEN} in told["changes"]
    assert not Resource.objects.exists()
    send(room, "PUT", ORDERS, body())
    assert send(room, "PUT", plan, body()).json() == {"action": "unchanged", "changes": []}
    config = {"file": "/in", "topic": "other", "db.password": "neu"}
    told = send(room, "PUT", plan, body(spec={"config": config, "tasksMax": None})).json()
    assert told["action"] == "update"
    assert sorted(told["changes"], key=lambda one: str(one["path"])) == [
        {"path": "spec.config.db.password", "before": HIDDEN, "after": HIDDEN},
        {"path": "spec.config.topic", "before": "lines", "after": "other"},
        {"path": "spec.tasksMax", "before": 1, "after": None},
    ]
    assert "geheim" not in str(told)
    assert Resource.objects.get().generation == 1


def test_secrets_come_back_as_masks_and_are_kept(room: Client, eu: Paper, reconcile: Reconcile) -> None:
    cluster = Cluster.objects.get(name="eu")
    kind = {"class_name": SPEC["class"], "type": "source", "version": "1", "definitions": [], "passwords": ["pin"]}
    PluginSnapshot.objects.create(cluster=cluster, told_at=NOW, **kind)
    secrets = {"pin": "vierstellig", "db.password": "geheim", "file": "/in"}
    send(room, "PUT", ORDERS, body(spec={"config": secrets}))
    told = room.get(ORDERS).json()
    assert told["spec"]["config"] == {"pin": HIDDEN, "db.password": HIDDEN, "file": "/in"}
    told["spec"]["config"]["file"] = "/other"
    assert send(room, "PUT", ORDERS, told).status_code == 200
    assert documents.body_of(Resource.objects.get())["config"] == {**secrets, "file": "/other"}
    reconcile(Resource.objects.get())
    assert eu.connectors["orders"].config["pin"] == "vierstellig"


@pytest.mark.parametrize(
    ("config", "path"),
    [
        ({"new.password": HIDDEN, "db.password": "geheim"}, "spec.config.new.password"),
        ({"db.password": "********"}, "spec.config.db.password"),
        # Where everybody could read it.
        ({"topic": HIDDEN}, "spec.config.topic"),
    ],
)
def test_no_mask_is_ever_kept(config: dict[str, str], path: str, room: Client) -> None:
    send(room, "PUT", ORDERS, body())
    refused = send(room, "PUT", ORDERS, body(spec={"config": config}))
    assert (refused.status_code, list(refused.json()["errors"])) == (422, [path])
    assert documents.body_of(Resource.objects.get()) == SPEC


def test_a_mirrors_secret_is_of_its_cluster_wherever_that_stands(room: Client) -> None:
    clusters = [
        {"alias": alias, "bootstrapServers": "x", "config": {"sasl.jaas.config": f"geheim {alias}"}} for alias in ("a", "b")
    ]
    path = "/api/v1/resources/kafkamirrormaker2/orders"
    document = {**body(kind="KafkaMirrorMaker2"), "spec": {**MIRRORS, "clusters": clusters}}
    assert send(room, "PUT", path, document).status_code == 201
    told = room.get(path).json()
    assert "geheim" not in str(told)
    told["spec"]["clusters"].reverse()
    told["spec"]["clusters"][0]["bootstrapServers"] = "y"
    assert send(room, "PUT", path, told).status_code == 200
    kept = documents.body_of(Resource.objects.get())["clusters"]
    assert [(one["alias"], one["config"]["sasl.jaas.config"]) for one in kept] == [("b", "geheim b"), ("a", "geheim a")]


@pytest.mark.parametrize(
    ("document", "path"),
    [
        (body(kind="KafkaTopic"), "kind"),
        ({**body(), "apiVersion": "v2"}, "apiVersion"),
        (body(metadata={"name": "lake"}), "metadata.name"),
        (body(metadata={"labels": []}), "metadata.labels"),
        (body(metadata={"annotations": {"a": 1}}), "metadata.annotations.a"),
        (body(metadata={"namespace": 3}), "metadata.namespace"),
        (body(metadata={"labels": {"strimzi.io/cluster": "x" * 101}}), "metadata.labels.strimzi.io/cluster"),
        ({**body(), "spec": None}, "spec"),
        (body(spec={"tasksMax": "dog"}), "spec.tasksMax"),
        (body(spec={"config": {"a": None}}), "spec.config.a"),
        ([], ""),
    ],
)
def test_what_cannot_be_taken(document: Any, path: str, room: Client) -> None:
    refused = send(room, "PUT", ORDERS, document)
    assert refused.status_code == 422, refused.content
    told = refused.json()
    assert (told["error_code"], list(told["errors"])) == (422, [path])
    assert all(isinstance(text, str) for text in told["errors"][path])
    assert not Resource.objects.exists()


@pytest.mark.parametrize("depth", [60, 900, 100_000])
def test_what_is_nested_too_deeply(depth: int, room: Client) -> None:
    text = f'{{"metadata": {{}}, "spec": {{"class": "x", "other": {"[" * depth}{"]" * depth}}}}}'
    refused: Any = room.generic("PUT", ORDERS, data=text, content_type="application/json")
    assert (refused.status_code, "nested too deeply" in refused.json()["message"]) == (422, True)
    assert not Resource.objects.exists()


@pytest.mark.parametrize("version", ["strimzi.io/v1alpha1", "kafka.strimzi.io/v1beta2", "kafka.strimzi.io/v1"])
def test_versions(version: str, room: Client) -> None:
    assert send(room, "PUT", ORDERS, {**body(), "apiVersion": version}).json()["apiVersion"] == version


def test_kubectls_copy_of_the_document_is_not_kept(room: Client) -> None:
    copy = {"kubectl.kubernetes.io/last-applied-configuration": '{"spec": "geheim"}', "team": "a"}
    told = send(room, "PUT", ORDERS, body(metadata={"annotations": copy, "namespace": "kafka"})).json()
    assert (told["metadata"]["annotations"], told["metadata"]["namespace"]) == ({"team": "a"}, "kafka")


def test_annotations(room: Client) -> None:
    send(room, "PUT", ORDERS, body(metadata={"annotations": {"team": "a", "mail": "b"}}))
    path = f"{ORDERS}/annotations"
    told = send(room, "PATCH", path, {"strimzi.io/restart": "true", "mail": None, "other": "c"})
    assert told.status_code == 200
    assert told.json()["metadata"]["annotations"] == {"other": "c", "strimzi.io/restart": "true", "team": "a"}
    assert told.json()["metadata"]["generation"] == 1
    # As kubectl applies: what was in the document and is not any more goes, what others have set stays.
    told = send(room, "PUT", ORDERS, body(metadata={"annotations": {"new": "d"}}))
    assert told.json()["metadata"]["annotations"] == {"new": "d", "other": "c", "strimzi.io/restart": "true"}
    told = send(room, "PUT", ORDERS, body(spec={"tasksMax": 9}))
    assert len(told.json()["metadata"]["annotations"]) == 3
    refused = send(room, "PATCH", path, {"a": 1})
    assert (refused.status_code, refused.json()["errors"]) == (
        422,
        {"metadata.annotations.a": ["This has to be a text or null."]},
    )
    assert send(room, "PATCH", path, []).status_code == 422


def test_a_deletion(room: Client, eu: Paper, reconcile: Reconcile) -> None:
    send(room, "PUT", ORDERS, body())
    orders = Resource.objects.get()
    reconcile(orders)
    assert room.delete(ORDERS).status_code == 204
    assert "deletionTimestamp" in room.get(ORDERS).json()["metadata"]
    assert send(room, "PUT", ORDERS, body()).status_code == 409
    assert send(room, "PATCH", f"{ORDERS}/annotations", {"a": "b"}).status_code == 409
    assert room.delete(ORDERS).status_code == 204
    reconcile(orders)
    assert room.get(ORDERS).status_code == 404
    assert room.delete(ORDERS).status_code == 404
    assert not eu.connectors


def test_config_maps(room: Client) -> None:
    path = "/api/v1/resources/configmap/at"
    document = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "at"}, "data": {"offsets.json": "{}"}}
    created = send(room, "PUT", path, document)
    assert (created.status_code, created.json()["data"]) == (201, {"offsets.json": "{}"})
    assert "status" not in created.json()
    refused = send(room, "PUT", path, {**document, "data": {"a": 1}})
    assert refused.json()["errors"] == {"data.a": ["This has to be a text; write it in quotes."]}
    assert room.delete(path).status_code == 204
    assert room.get(path).status_code == 404


def test_clusters_are_read_only(room: Client, follow: Callable[[], None]) -> None:
    told = room.get("/api/v1/resources/kafkaconnect/eu").json()
    assert (told["kind"], told["metadata"]["name"]) == ("KafkaConnect", "eu")
    assert told["status"]["conditions"][0]["type"] == "NotReady"
    assert send(room, "PUT", "/api/v1/resources/kafkaconnect/eu", {}).status_code == 405
    assert room.get("/api/v1/resources/kafkaconnect/none").status_code == 404
    assert room.get("/api/v1/resources/kafkatopic/none").status_code == 404


def test_the_list(room: Client) -> None:
    put("b")
    put("a", cluster="us")
    put("at", "configmap", data={})

    def names(query: str = "") -> list[tuple[str, str]]:
        told = room.get(f"/api/v1/resources{query}").json()["resources"]
        return [(one["kind"], one["metadata"]["name"]) for one in told]

    connects = [("KafkaConnect", "eu"), ("KafkaConnect", "us")]
    connectors = [("KafkaConnector", "a"), ("KafkaConnector", "b")]
    assert names() == [*connects, ("ConfigMap", "at"), *connectors]
    assert names("?kind=kafkaconnector") == connectors
    assert names("?kind=kafkaconnector&cluster=us") == connectors[:1]
    assert names("?kind=kafkaconnect") == connects
    assert room.get("/api/v1/resources?kind=pod").status_code == 400


def test_a_list_asks_the_database_as_often_for_many_as_for_one(room: Client, django_assert_max_num_queries: Any) -> None:
    for number in range(20):
        put(f"c{number}", annotations={"a": "b"})
    put("mm2", "kafkamirrormaker2", spec=MIRRORS)
    with django_assert_max_num_queries(12):
        assert len(room.get("/api/v1/resources").json()["resources"]) == 23


# --- who may ----------------------------------------------------------------------------------------------------------


def test_roles(member: Callable[..., Client]) -> None:
    put("orders")
    put("lake")
    viewer = member(Role.VIEWER)
    told = viewer.get("/api/v1/resources?kind=kafkaconnector").json()["resources"]
    assert [one["metadata"]["name"] for one in told] == ["orders"]
    assert viewer.get("/api/v1/resources/kafkaconnector/lake").status_code == 404
    assert send(viewer, "PUT", ORDERS, body()).status_code == 403
    assert viewer.delete(ORDERS).status_code == 403
    restart = {"strimzi.io/restart": "true"}
    assert send(viewer, "PATCH", f"{ORDERS}/annotations", restart).status_code == 403
    operator = member(Role.OPERATOR)
    assert send(operator, "PATCH", f"{ORDERS}/annotations", restart).status_code == 200
    reset = {"strimzi.io/connector-offsets": "reset"}
    assert send(operator, "PATCH", f"{ORDERS}/annotations", reset).status_code == 403
    editor = member(Role.EDITOR)
    assert send(editor, "PATCH", f"{ORDERS}/annotations", reset).status_code == 200
    assert send(editor, "PUT", ORDERS, body(spec={"tasksMax": 2})).status_code == 200


@pytest.mark.parametrize(
    ("name", "document", "status"),
    [
        ("orders-2", body(metadata={"name": "orders-2"}), 201),
        # In another cluster, of another name, in none, into somebody else's ConfigMap.
        ("orders-2", body("us", metadata={"name": "orders-2"}), 403),
        ("lakes", body(metadata={"name": "lakes"}), 403),
        ("orders-2", body(metadata={"name": "orders-2", "labels": {}}), 403),
        (
            "orders-2",
            body(metadata={"name": "orders-2"}, spec={"listOffsets": {"toConfigMap": {"name": "lake"}}}),
            403,
        ),
        (
            "orders-2",
            body(metadata={"name": "orders-2"}, spec={"alterOffsets": {"fromConfigMap": {"name": "lake"}}}),
            403,
        ),
        # There is one of this name, which is not to be seen.
        ("lake", body(metadata={"name": "lake"}), 404),
    ],
)
def test_what_an_editor_of_some_may_write(
    name: str, document: dict[str, Any], status: int, member: Callable[..., Client]
) -> None:
    put("lake")
    assert send(member(Role.EDITOR), "PUT", f"/api/v1/resources/kafkaconnector/{name}", document).status_code == status


def test_what_somebody_may_edit_does_not_become_what_he_may_not(member: Callable[..., Client]) -> None:
    put("orders")
    editor = member(Role.EDITOR)
    assert send(editor, "PUT", ORDERS, body("us")).status_code == 403
    assert Resource.objects.get().cluster_name == "eu"


def test_a_mirror_maker_takes_the_role_for_each_of_its_connectors(member: Callable[..., Client]) -> None:
    path = "/api/v1/resources/kafkamirrormaker2/orders"
    document = {**body(kind="KafkaMirrorMaker2"), "spec": MIRRORS}
    editor = member(Role.EDITOR)
    assert send(editor, "PUT", path, document).status_code == 403
    member(Role.EDITOR, "a->b.*")
    assert send(editor, "PUT", path, document).status_code == 201
