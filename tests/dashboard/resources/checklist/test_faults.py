"""Clusters that fail in the right moment: the proxy before them refuses, hangs or loses an answer."""

import base64
import json
import ssl
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from django.test import Client

from connect_client import ConnectClient
from dashboard import clusters
from dashboard.follow.follower import Follower
from dashboard.models import Cluster, Resource
from dashboard.resources import apply, cluster_documents, decide, documents
from dashboard.resources.connector import SOON
from dashboard.resources.runner import Resources
from tests.certificates import Certified, authority, certified
from tests.dashboard.conftest import Notebook
from tests.dashboard.resources.checklist.conftest import Source, becomes, passes, status, told
from tests.dashboard.resources.conftest import WHO, annotate, put, ready
from tests.proxy import Proxy
from tests.running import free_port
from tests.waiting import eventually

MOMENT = timedelta(seconds=1)


def of_cluster(cluster: Cluster) -> list[str]:
    """The conditions of its own document, in short."""
    return ready(cluster_documents.document(Cluster.objects.get(pk=cluster.pk))["status"])


def follow(cluster: Cluster, client: ConnectClient, times: int = 1) -> None:
    follower = Follower(cluster, client, Notebook())
    for _ in range(times):
        follower.step()


def test_a_cluster_that_fails_at_a_creation(source: Source, connect: ConnectClient, proxy: Proxy, name: str) -> None:
    with proxy.refusing("POST /connectors", 500, "Boom"):
        source()
        assert ready(status(name)) == ["NotReady ConnectRestException POST /connectors returned 500 (500): Boom"]
        assert name not in connect.connectors()
    assert ready(becomes(name, "RUNNING", "RUNNING")) == ["Ready"]
    assert len(proxy.taken()) == 1


def test_a_conflict_at_a_creation_is_asked_again(source: Source, proxy: Proxy, name: str) -> None:
    with proxy.refusing("POST /connectors", 409, "Not now", times=1):
        source()
        assert ready(status(name)) == ["NotReady ConnectRestException POST /connectors returned 409 (409): Not now"]
        assert ready(becomes(name, "RUNNING", "RUNNING")) == ["Ready"]
    posts = [one for one in proxy.asked if one.call == "POST /connectors"]
    # A cluster that rebalances because of former tests says so in other words.
    assert [one.status for one in posts if one.status == 201 or one.answer["message"] == "Not now"] == [409, 201]


def test_a_look_while_the_cluster_rebalances(source: Source, proxy: Proxy, name: str) -> None:
    """Kafka Connect says 409 to some requests, and 500 in the same words to others. Neither is a reason to be not ready."""
    source(state="stopped")
    becomes(name, "STOPPED")
    for code in (409, 500):
        with proxy.refusing("GET */config", code, "Request cannot be completed because a rebalance is expected", times=2):
            assert ready(status(name)) == ["Ready"]
    assert proxy.taken() == ["POST /connectors"]


def test_a_status_that_comes_late(source: Source, proxy: Proxy, name: str) -> None:
    with proxy.refusing("GET */status", 404, "No status yet", times=2):
        source()
        no_status = f"GET /connectors/{name}/status returned 404 (404): No status found for connector {name}"
        for _ in range(2):
            eventually(lambda: ready(status(name)) == [f"NotReady ConnectRestException {no_status}"])
            due = Resource.objects.get().due_at
            assert due is not None
            assert due - datetime.now(UTC) <= SOON
    assert ready(becomes(name, "RUNNING", "RUNNING")) == ["Ready"]
    looks = proxy.looks("*/status")
    with proxy.refusing("GET */status", 500, "Boom"):
        wrong = f"GET /connectors/{name}/status returned 500 (500): Boom"
        assert ready(status(name)) == [f"NotReady ConnectRestException {wrong}"]
    assert proxy.looks("*/status") == looks + 1
    assert proxy.taken() == ["POST /connectors"]


@contextmanager
def impatient(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Nobody waits for longer than a moment."""
    with monkeypatch.context() as patch:
        patch.setattr("dashboard.clusters._client", lambda access: clusters.connect(access, timeout=MOMENT.total_seconds()))
        yield


def test_a_cluster_that_hangs(
    source: Source, cluster: Cluster, connect: ConnectClient, proxy: Proxy, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    source()
    becomes(name, "RUNNING", "RUNNING")
    follow(cluster, connect)
    assert of_cluster(cluster) == ["Ready"]
    timed_out = f"NotReady ConnectTimeoutException {proxy.url} did not answer within 1 s."
    with proxy.hanging(), impatient(monkeypatch):
        assert ready(status(name)) == [timed_out]
        follow(cluster, clusters.client(cluster), times=2)
        assert of_cluster(cluster) == [timed_out]
        asked = len(proxy.asked)
        assert ready(status(name)) == [timed_out]
        assert len(proxy.asked) == asked, "a cluster that is known not to answer is not asked"
    follow(cluster, connect)
    assert of_cluster(cluster) == ["Ready"]
    assert ready(status(name)) == ["Ready"]


def test_a_cluster_of_which_nothing_runs(
    source: Source, cluster: Cluster, connect: ConnectClient, proxy: Proxy, name: str
) -> None:
    """Nobody listens where its workers were. When they are back it goes on, and nothing is made anew."""
    source()
    becomes(name, "RUNNING", "RUNNING")
    Cluster.objects.filter(pk=cluster.pk).update(urls=[f"http://127.0.0.1:{free_port()}"])
    cluster.refresh_from_db()
    (gone,) = ready(status(name))
    assert gone.startswith("NotReady ConnectTimeoutException ")
    follow(cluster, clusters.client(cluster), times=2)
    (told,) = of_cluster(cluster)
    assert told.startswith("NotReady ConnectTimeoutException ")
    source(state="paused")
    assert ready(status(name)) == [told]
    Cluster.objects.filter(pk=cluster.pk).update(urls=[proxy.url])
    cluster.refresh_from_db()
    follow(cluster, clusters.client(cluster))
    assert of_cluster(cluster) == ["Ready"]
    assert ready(becomes(name, "PAUSED", "PAUSED")) == ["Ready"]
    assert proxy.taken() == ["POST /connectors", f"PUT /connectors/{name}/pause"]


def test_a_cluster_that_hangs_holds_up_no_other(
    runner: Resources, source: Source, proxy: Proxy, elsewhere: Proxy, name: str
) -> None:
    def is_ready(one: str) -> bool:
        return ready(told(one)) == ["Ready"]

    with proxy.hanging():
        body = documents.body_of(source())
        runner.start()
        eventually(lambda: proxy.asked, what="it is asked")
        put(f"{name}-elsewhere", cluster="elsewhere", spec=body)
        eventually(lambda: is_ready(f"{name}-elsewhere"), what="the other one's is ready")
        assert not told(name)
    eventually(lambda: told(name), what="the one that hung ends without an answer")
    annotate(Resource.objects.get(name=name), by="hand")
    eventually(lambda: is_ready(name), what="and goes on")


@pytest.mark.parametrize(
    ("annotation", "target", "failed"),
    [
        ({"restart": "true"}, "restart", "Warning RestartConnector Failed to restart connector {}."),
        ({"restart_task": "0"}, "tasks/0/restart", "Warning RestartConnectorTask Failed to restart connector task {}:0."),
    ],
    ids=["connector", "task"],
)
def test_a_restart_that_is_refused_stays_and_is_tried_once_a_cycle(
    annotation: dict[str, str], target: str, failed: str, source: Source, proxy: Proxy, name: str
) -> None:
    orders = source()
    becomes(name, "RUNNING", "RUNNING")
    call = f"POST /connectors/{name}/{target}"
    warned = ["Ready", f"{failed.format(name)} {call} returned 500 (500): Boom"]
    with proxy.refusing(call, 500, "Boom"):
        annotate(orders, **annotation)
        for ahead, tries in ((timedelta(), 1), (timedelta(), 1), (decide.CYCLE, 2)):
            assert ready(status(name, ahead)) == warned
            assert (len(proxy.sent("*/restart")), orders.annotations.count()) == (tries, 1)
    assert ready(status(name, 2 * decide.CYCLE + MOMENT)) == ["Ready"]
    assert (len(proxy.taken("*/restart")), orders.annotations.count()) == (1, 0)
    becomes(name, "RUNNING", "RUNNING")


def test_a_restart_whose_answer_is_lost_is_not_asked_for_twice(source: Source, proxy: Proxy, name: str) -> None:
    orders = source()
    becomes(name, "RUNNING", "RUNNING")
    with proxy.losing("POST */restart"):
        annotate(orders, restart="includeTasks")
        assert ready(status(name))[0] == "Ready"
    for ahead in (decide.GRACE, decide.CYCLE, 2 * decide.CYCLE):
        first, warning = ready(status(name, ahead + MOMENT))
        assert (first, warning.split(":")[0]) == ("Ready", "Warning RestartConnector It is not known whether this was done")
    assert (len(proxy.sent("*/restart")), orders.annotations.count()) == (1, 1)
    annotate(orders, restart="includeTasks")
    assert ready(becomes(name, "RUNNING", "RUNNING")) == ["Ready"]
    assert (len(proxy.taken("*/restart")), orders.annotations.count()) == (2, 0)


def test_a_deletion_that_is_refused(source: Source, cluster: Cluster, connect: ConnectClient, proxy: Proxy, name: str) -> None:
    """The cluster, and what else is in it, is as well as it was."""
    orders = source(state="stopped")
    put(f"{name}-beside", cluster="real", spec=documents.body_of(orders))
    becomes(name, "STOPPED")
    becomes(f"{name}-beside", "STOPPED")
    with proxy.refusing(f"DELETE /connectors/{name}", 500, "Boom"):
        apply.delete(orders, WHO)
        refused = f"delete: DELETE /connectors/{name} returned 500 (500): Boom"
        assert ready(status(name)) == [f"NotReady Deleting {refused}"]
        follow(cluster, connect)
        assert (of_cluster(cluster), ready(told(f"{name}-beside"))) == (["Ready"], ["Ready"])

    def is_gone() -> bool:
        passes()
        return not Resource.objects.filter(name=name).exists()

    eventually(is_gone, what="it is deleted")
    assert proxy.taken(f"DELETE /connectors/{name}") == [f"DELETE /connectors/{name}"]


@pytest.mark.parametrize(
    ("user", "first", "then"),
    [("drover", "the-old-one", "the-new-one"), ("a.user.with.dots-" + "x" * 47, "größe: {0}", '"p@ss word"%2F\\')],
    ids=["plain", "special"],
)
def test_a_password_that_has_changed(
    user: str, first: str, then: str, source: Source, cluster: Cluster, proxy: Proxy, name: str, room: Client
) -> None:
    def wants(password: str) -> None:
        proxy.authorization = "Basic " + base64.b64encode(f"{user}:{password}".encode()).decode()

    def is_told(password: str) -> None:
        body: dict[str, Any] = {"urls": [proxy.url], "auth": "basic", "username": user, "secret": password}
        assert room.put("/api/v1/clusters/real", json.dumps(body), "application/json").status_code == 200

    wants(first)
    is_told(first)
    source()
    assert ready(becomes(name, "RUNNING", "RUNNING")) == ["Ready"]
    wants(then)
    (denied,) = ready(status(name))
    assert denied.startswith("NotReady ConnectRestException ")
    assert "answered 401" in denied
    assert first not in denied
    is_told(then)
    source(config={"batch.size": "7"})
    assert ready(becomes(name, "RUNNING", "RUNNING")) == ["Ready"]
    assert proxy.taken() == ["POST /connectors", f"PUT /connectors/{name}/config"]


def test_a_certificate_that_has_changed(
    source: Source, cluster: Cluster, proxy: Proxy, name: str, room: Client, tmp_path: Path
) -> None:
    """By HTTPS, from an authority of its own, to a cluster that wants to see one."""
    of_server, old, new = authority(), authority(), authority()
    (tmp_path / "server.pem").write_text(certified(of_server).pem())

    def trusts(by: Certified) -> None:
        context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH, cadata=by.certificate_pem())
        context.verify_mode = ssl.CERT_REQUIRED
        context.load_cert_chain(tmp_path / "server.pem")
        proxy.tls = context

    def shows_one(by: Certified) -> None:
        mine = certified(by, "a.user.with.dots, größe=" + "x" * 38)
        body = {
            "urls": [proxy.url.replace("http:", "https:")],
            "auth": "none",
            "authorities": of_server.certificate_pem(),
            "certificate": mine.certificate_pem(),
            "private_key": mine.key_pem(),
        }
        assert room.put("/api/v1/clusters/real", json.dumps(body), "application/json").status_code == 200

    trusts(old)
    shows_one(old)
    source()
    assert ready(becomes(name, "RUNNING", "RUNNING")) == ["Ready"]
    trusts(new)
    (denied,) = ready(status(name))
    assert denied.startswith("NotReady ")
    shows_one(new)
    source(config={"batch.size": "7"})
    assert ready(becomes(name, "RUNNING", "RUNNING")) == ["Ready"]
    assert proxy.taken() == ["POST /connectors", f"PUT /connectors/{name}/config"]
