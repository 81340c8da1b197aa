"""Two clusters in memory, and resources that are reconciled when a test says so."""

import sqlite3
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from django.db import connection

import dashboard.clusters
from dashboard.activity import Who
from dashboard.clusters import Access
from dashboard.follow.recorder import Recorder
from dashboard.models import Cluster, Resource
from dashboard.resources import apply, claims, documents, orders
from dashboard.resources.run import Pass
from dashboard.resources.runner import Resources
from tests.dashboard.moves.conftest import NOW, Clock
from tests.dashboard.resources.paper import SPEC, Paper

WHO = Who("ann", "api")


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def eu() -> Paper:
    return Paper("eu")


@pytest.fixture
def us() -> Paper:
    return Paper("us")


@pytest.fixture(autouse=True)
def clusters(db: None, eu: Paper, us: Paper, monkeypatch: pytest.MonkeyPatch) -> None:
    by_url = {f"http://{paper.name}": paper for paper in (eu, us)}
    real = dashboard.clusters._client

    def client(access: Access) -> object:
        return by_url[access.urls[0]].client() if access.urls[0] in by_url else real(access)

    monkeypatch.setattr("dashboard.clusters._client", client)
    for paper in (eu, us):
        Cluster.objects.create(name=paper.name, urls=[f"http://{paper.name}"])


Put = Callable[..., Resource]


def put(name: str = "orders", kind: str = "kafkaconnector", cluster: str = "eu", **document: Any) -> Resource:
    """Applies a document: `spec` or `data`, `annotations`, `labels`; without a `spec` it is SPEC with what is given besides."""
    labels = document.pop("labels", {orders.CLUSTER: cluster})
    metadata = {"labels": labels} | ({"annotations": document.pop("annotations")} if "annotations" in document else {})
    body = document if {"spec", "data"} & set(document) else {"spec": {**SPEC, **document}}
    given = documents.parse(kind, name, {"metadata": metadata, **body})
    return apply.apply(given, WHO)[0]


def annotate(resource: Resource, **annotations: str | None) -> None:
    changes = {f"strimzi.io/{key.replace('_', '-')}": value for key, value in annotations.items()}
    apply.annotate(Resource.objects.get(pk=resource.pk), changes, WHO)


Reconcile = Callable[..., dict[str, Any]]


@pytest.fixture
def reconcile(clock: Clock) -> Reconcile:
    """Passes over a resource until nothing is to be done soon; its status, or nothing if it is gone. `passes`: as many."""

    def reconcile(resource: Resource, passes: int = 0, by: str = "me") -> dict[str, Any]:
        status: dict[str, Any] = {}
        for _ in range(passes or 10):
            Resource.objects.filter(pk=resource.pk).update(due_at=clock())
            if not claims.claim(resource.pk, by, clock()):
                return {}
            Pass(resource.pk, by, clock).work()
            found = Resource.objects.filter(pk=resource.pk).first()
            if found is None:
                return {}
            assert found.due_at is not None
            status = found.status
            rest = (found.due_at - clock()).total_seconds()
            if not passes and rest > 5:
                break
            clock.rest(2)
        return status

    return reconcile


@pytest.fixture
def follow(eu: Paper, clock: Clock) -> Callable[[], None]:
    """The follower looks at eu."""

    def follow() -> None:
        recorder = Recorder(Cluster.objects.get(name="eu"))
        recorder.reached(eu.version, clock())
        recorder.listing(eu.entries(), clock())

    return follow


@pytest.fixture
def on_disk(transactional_db: None, clusters: None, tmp_path: Path) -> Iterator[None]:
    """What is in the tests' database, in a file: one in memory does not let threads wait for each other."""
    in_memory, name = connection.connection, connection.settings_dict["NAME"]
    with sqlite3.connect(tmp_path / "room.sqlite3") as copy:
        in_memory.backup(copy)
    copy.close()
    connection.connection = None
    connection.settings_dict["NAME"] = str(tmp_path / "room.sqlite3")
    yield
    connection.close()
    connection.settings_dict["NAME"] = name
    connection.connection = in_memory


@pytest.fixture
def runner(on_disk: None) -> Iterator[Resources]:
    runner = Resources()
    yield runner
    runner.stop()
    for thread in (runner._rounds._thread, *runner.running.values()):
        thread.join(20)


def ready(status: dict[str, Any]) -> list[str]:
    """Its conditions in short: the type, and the reason and message if there are any."""
    told = [(one["type"], one.get("reason", ""), one.get("message", "")) for one in status.get("conditions", ())]
    return [" ".join(part for part in one if part) for one in told]


__all__ = ["NOW", "WHO", "Reconcile", "annotate", "put", "ready"]
