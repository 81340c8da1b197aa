"""Which resources are worked on, where and by whom."""

import threading
from datetime import UTC, datetime, timedelta

import pytest

from dashboard.control import leases
from dashboard.models import Resource
from dashboard.resources import claims
from dashboard.resources.claims import Due
from dashboard.resources.runner import MOST_PER_CLUSTER, Resources
from tests.dashboard.resources.conftest import put


class Held(Resources):
    """Its passes do nothing until they are let go."""

    def __init__(self) -> None:
        super().__init__()
        self.begun: list[Due] = []
        self.let_go = threading.Event()

    def work(self, item: Due, stop: threading.Event) -> None:
        self.begun.append(item)
        assert self.let_go.wait(20)

    def end(self) -> None:
        self.let_go.set()
        for thread in self.running.values():
            thread.join(20)
        self.stop()


@pytest.fixture
def many() -> None:
    for number in range(MOST_PER_CLUSTER + 2):
        put(f"eu-{number}")
    put("us-0", cluster="us")


@pytest.mark.usefixtures("many")
def test_a_cluster_that_hangs_has_so_many_threads_and_no_more() -> None:
    runner = Held()
    runner.step()
    runner.step()
    assert sorted(due.cluster for due in runner.begun) == ["eu"] * MOST_PER_CLUSTER + ["us"]
    runner.end()


@pytest.mark.usefixtures("many")
def test_each_cluster_has_a_thread_however_many_there_are(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("dashboard.resources.runner.MOST_AT_ONCE", 2)
    runner = Held()
    runner.step()
    assert sorted(due.cluster for due in runner.begun) == ["eu", "eu", "us"]
    runner.end()


@pytest.mark.usefixtures("many")
def test_each_is_one_processs() -> None:
    first, second = Held(), Held()
    for _ in range(2):
        first.step()
        second.step()
    assert not set(first.begun) & set(second.begun)
    assert len(first.begun) + len(second.begun) == Resource.objects.count()
    first.end()
    second.end()


def test_leases() -> None:
    orders = put()
    now = datetime.now(UTC)
    assert claims.claimable(now) == [Due(orders.pk, "eu")]
    assert claims.claim(orders.pk, "a", now)
    assert (claims.claim(orders.pk, "b", now), claims.claimable(now)) == (False, [])
    later = now + leases.LEASE
    leases.renew(claims.rows([orders.pk]), "a", later - timedelta(seconds=1))
    assert not claims.claim(orders.pk, "b", later)
    leases.release(claims.rows(), "a")
    assert claims.claim(orders.pk, "b", later)
    with pytest.raises(leases.LostClaim):
        leases.hold(claims.rows([orders.pk]), "a", later)
    claims.release(orders.pk, "a", 1, later)
    assert Resource.objects.get().claimed_by == "b"
    claims.release(orders.pk, "b", Resource.objects.get().wake, later + timedelta(hours=1))
    assert claims.claimable(later) == []


def test_config_maps_are_nobodys() -> None:
    put("at", "configmap", data={})
    assert claims.claimable(datetime.now(UTC)) == []
