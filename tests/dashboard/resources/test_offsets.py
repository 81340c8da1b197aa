"""Offsets into ConfigMaps and out of them."""

import json
from typing import Any

import pytest

from dashboard.models import Resource, ResourceAnnotation
from dashboard.resources import decide, documents
from tests.dashboard.moves.conftest import Clock
from tests.dashboard.resources.conftest import Reconcile, annotate, put, ready
from tests.dashboard.resources.paper import MIRRORS, Paper

AT = {'{"filename": "/in"}': {"position": 8}}
TOLD = {"offsets": [{"partition": {"filename": "/in"}, "offset": {"position": 8}}]}
LIST: dict[str, Any] = {"listOffsets": {"toConfigMap": {"name": "at"}}}
ALTER: dict[str, Any] = {"alterOffsets": {"fromConfigMap": {"name": "at"}}}
SOURCE, CHECKPOINT = "a->b.MirrorSourceConnector", "a->b.MirrorCheckpointConnector"


def config_map(name: str = "at") -> dict[str, Any]:
    return documents.document(Resource.objects.get(kind="configmap", name=name), {})


def annotations() -> list[str]:
    return sorted(ResourceAnnotation.objects.values_list("key", flat=True))


def test_they_are_listed(eu: Paper, reconcile: Reconcile) -> None:
    orders = put(**LIST)
    reconcile(orders)
    eu.offsets["orders"] = dict(AT)
    annotate(orders, connector_offsets="list")
    assert ready(reconcile(orders)) == ["Ready"]
    found = config_map()
    assert (found["kind"], found["apiVersion"], list(found["data"])) == ("ConfigMap", "v1", ["offsets.json"])
    assert json.loads(found["data"]["offsets.json"]) == TOLD
    assert "\n  " in found["data"]["offsets.json"]
    owner = {"apiVersion": "kafka.strimzi.io/v1", "kind": "KafkaConnector", "name": "orders"}
    assert found["metadata"]["ownerReferences"] == [owner]
    assert found["metadata"]["labels"] == {"strimzi.io/cluster": "eu"}
    assert annotations() == []


def test_what_else_is_in_it_stays(eu: Paper, reconcile: Reconcile) -> None:
    put("at", "configmap", data={"other": "x", "offsets.json": "old"})
    for name in ("orders", "lake"):
        one = put(name, **LIST)
        reconcile(one)
        eu.offsets[name] = dict(AT)
        annotate(one, connector_offsets="list")
        reconcile(one)
    found = config_map()
    assert (found["data"]["other"], json.loads(found["data"]["offsets.json"])) == ("x", TOLD)
    assert [one["name"] for one in found["metadata"]["ownerReferences"]] == ["orders", "lake"]


def test_they_are_altered(eu: Paper, reconcile: Reconcile) -> None:
    put("at", "configmap", data={"offsets.json": json.dumps(TOLD)})
    orders = put(state="stopped", **ALTER)
    reconcile(orders)
    eu.offsets["orders"] = {}
    annotate(orders, connector_offsets="alter")
    assert ready(reconcile(orders)) == ["Ready"]
    assert (eu.took(), eu.bodies[-1]) == (["POST /connectors", "PATCH /connectors/orders/offsets"], TOLD)
    assert (eu.offsets["orders"], annotations()) == (AT, [])


def test_they_are_reset(eu: Paper, reconcile: Reconcile) -> None:
    orders = put(state="stopped")
    reconcile(orders)
    eu.offsets["orders"] = dict(AT)
    annotate(orders, connector_offsets="reset")
    assert ready(reconcile(orders)) == ["Ready"]
    assert (eu.offsets["orders"], annotations()) == ({}, [])


def test_stopping_and_altering_at_once(eu: Paper, reconcile: Reconcile) -> None:
    """It is waited for until it has stopped."""
    eu.slow = 2
    orders = put()
    reconcile(orders)
    eu.offsets["orders"] = dict(AT)
    eu.took()
    put(state="stopped")
    annotate(orders, connector_offsets="reset")
    assert ready(reconcile(orders)) == ["Ready"]
    assert eu.took() == ["PUT /connectors/orders/stop", "DELETE /connectors/orders/offsets"]


MISSING = "Failed to {} the connector offsets due to missing property {} in KafkaConnector CR."
NOT_STOPPED = "Encountered error {} connector offsets. Connector is not in STOPPED state"


@pytest.mark.parametrize(
    ("verb", "spec", "data", "refusal", "told"),
    [
        ("list", {}, None, None, MISSING.format("list", "listOffsets")),
        ("alter", {"state": "stopped"}, None, None, MISSING.format("alter", "alterOffsets")),
        ("alter", ALTER, {"offsets.json": "{}"}, None, NOT_STOPPED.format("altering")),
        ("reset", {}, None, None, NOT_STOPPED.format("resetting")),
        ("alter", {"state": "stopped", **ALTER}, None, None, "ConfigMap default/at does not exist"),
        ("alter", {"state": "stopped", **ALTER}, {"x": "y"}, None, "Data field offsets.json is missing"),
        (
            "alter",
            {"state": "stopped", **ALTER},
            {"offsets.json": "{"},
            None,
            "Failed to parse contents of offsets.json as JSON",
        ),
        ("alter", {"state": "stopped", **ALTER}, {"offsets.json": "[]"}, None, "offsets.json has no list of offsets"),
        (
            "list",
            LIST,
            None,
            "GET /connectors/orders/offsets",
            "Failed to list the connector offsets. GET /connectors/orders/off",
        ),
        (
            "reset",
            {"state": "stopped"},
            None,
            "DELETE /connectors/orders/offsets",
            "Failed to reset the connector offsets. DELETE /connectors/orders/offsets returned 500 (500): No",
        ),
    ],
)
def test_what_cannot_be_done_is_one_warning(
    verb: str, spec: dict[str, Any], data: dict[str, str] | None, refusal: str | None, told: str, eu: Paper, reconcile: Reconcile
) -> None:
    if data is not None:
        put("at", "configmap", data=data)
    orders = put(**spec)
    reconcile(orders)
    if refusal:
        eu.says = [(refusal, 500, "No")]
    annotate(orders, connector_offsets=verb)
    ready_, warned = ready(reconcile(orders))
    assert ready_ == "Ready"
    assert warned.startswith(f"Warning {verb.capitalize()}Offsets {told}")
    assert annotations() == ["strimzi.io/connector-offsets"]


def test_what_is_mended_is_tried_at_once(eu: Paper, reconcile: Reconcile) -> None:
    orders = put(state="stopped", **ALTER)
    reconcile(orders)
    annotate(orders, connector_offsets="alter")
    assert len(ready(reconcile(orders))) == 2
    put("at", "configmap", data={"offsets.json": json.dumps(TOLD)})
    assert ready(reconcile(orders)) == ["Ready"]
    assert (eu.offsets["orders"], annotations()) == (AT, [])


def test_another_clusters_config_map_is_left_alone(eu: Paper, reconcile: Reconcile) -> None:
    put("at", "configmap", cluster="us", data={"other": "x"})
    orders = put(**LIST)
    annotate(orders, connector_offsets="list")
    assert ready(reconcile(orders))[1] == "Warning ListOffsets ConfigMap at is labelled as of cluster us"
    assert config_map()["data"] == {"other": "x"}


@pytest.mark.parametrize("name", [SOURCE, CHECKPOINT])
def test_of_a_mirror_maker(name: str, eu: Paper, reconcile: Reconcile, clock: Clock) -> None:
    own = {**LIST, "state": "stopped"}
    mirror = {**MIRRORS["mirrors"][0], "sourceConnector": own, "checkpointConnector": own}
    mm2 = put("mm2", "kafkamirrormaker2", spec={**MIRRORS, "mirrors": [mirror]})
    reconcile(mm2)
    eu.offsets[name] = dict(AT)
    annotate(mm2, connector_offsets="list")
    told = "Warning ManageOffsets Annotation strimzi.io/connector-offsets is missing annotation strimzi.io/mirrormaker-connector"
    assert ready(reconcile(mm2)) == ["Ready", told]
    annotate(mm2, mirrormaker_connector=name)
    clock.rest(decide.CYCLE.total_seconds())
    assert ready(reconcile(mm2)) == ["Ready"]
    assert list(config_map()["data"]) == [f"{name.replace('->', '--')}.json"]
    assert annotations() == []
