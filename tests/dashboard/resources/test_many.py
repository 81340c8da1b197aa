"""Many resources: a directory that is applied again, and clusters that hang."""

import threading
import time
from collections import Counter

from dashboard.models import Resource
from dashboard.resources.runner import Resources
from tests.dashboard.resources.conftest import Reconcile, annotate, put, ready
from tests.dashboard.resources.paper import Paper
from tests.waiting import eventually


def directory(changed: frozenset[int] = frozenset()) -> list[Resource]:
    return [put(f"c{number}", tasksMax=2 if number in changed else 1) for number in range(50)]


def test_only_what_has_changed_is_touched(eu: Paper, reconcile: Reconcile) -> None:
    for one in directory():
        reconcile(one)
    assert Counter(eu.took()) == {"POST /connectors": 50}
    looks = len(eu.asked)
    before = {one.pk: one.due_at for one in Resource.objects.all()}
    directory(frozenset({3, 30}))
    woken = [one for one in Resource.objects.all() if one.due_at != before[one.pk]]
    assert sorted(one.name for one in woken) == ["c3", "c30"]
    assert len(eu.asked) == looks, "nobody else is even asked"
    for one in woken:
        reconcile(one)
    assert eu.took() == ["PUT /connectors/c3/config", "PUT /connectors/c30/config"]
    # Two looks around the write, and the topics.
    assert len(eu.asked) - looks == 2 * (2 + 1 + 2 + 1)


def test_a_cluster_and_a_connector_that_hang_hold_up_nobody(eu: Paper, us: Paper, runner: Resources) -> None:
    go_on = threading.Event()

    def hang(method: str, path: str, after: bool) -> None:
        if "stuck" in path and not after:
            assert go_on.wait(30)

    eu.hook = us.hook = hang
    for number in range(5):
        put(f"stuck-{number}", cluster="us")
    put("eu-stuck")
    for number in range(5):
        put(f"c{number}")
    runner.start()
    names = {f"c{number}" for number in range(5)}
    try:
        eventually(lambda: names <= set(eu.connectors), what="those of the other cluster and beside the stuck one are made")
        eventually(lambda: _ready(names), what="and ready")
        assert not us.connectors
    finally:
        go_on.set()
    eventually(lambda: len(us.connectors) == 5 and "eu-stuck" in eu.connectors, what="then the rest")


def test_a_change_is_taken_up_at_once(eu: Paper, runner: Resources) -> None:
    orders = put()
    runner.start()
    eventually(lambda: _ready({"orders"}), what="it is there")
    eu.took()
    annotate(orders, restart="true")
    began = time.monotonic()
    eventually(lambda: any("/restart?" in one for one in eu.sent), what="it was restarted")
    assert time.monotonic() - began < 5
    eventually(lambda: not orders.annotations.exists(), what="and the annotation is gone")


def _ready(names: set[str]) -> bool:
    return all(ready(one.status) == ["Ready"] for one in Resource.objects.filter(name__in=names))
