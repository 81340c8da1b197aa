"""kill -9 between any two steps: nothing restarts twice, nothing is forgotten."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import Any

import httpx
import pytest
from django.db import connection

from dashboard.control.leases import LEASE, LostClaim
from dashboard.models import Cluster, Resource, ResourceAnnotation, StateChange
from dashboard.resources import apply, claims, decide
from dashboard.resources.run import Pass
from tests.dashboard.moves.conftest import Clock
from tests.dashboard.resources.conftest import WHO, Reconcile, annotate, put, ready
from tests.dashboard.resources.paper import Paper

RESTART = "POST /connectors/orders/restart?includeTasks=false&onlyFailed=false"
TASK = "POST /connectors/orders/tasks/0/restart"
UNKNOWN = "It is not known whether this was done"


class Killed(BaseException):
    """As kill -9: nothing behind it is carried out."""


@contextmanager
def at_write(number: int, *, behind: bool) -> Iterator[list[str]]:
    """Ends at the given one of all writes to the database; gives those that were seen."""
    seen: list[str] = []

    def wrapper(execute: Callable[..., Any], sql: str, params: Any, many: bool, context: Any) -> Any:
        writes = sql.startswith(("INSERT", "UPDATE", "DELETE"))
        if writes:
            seen.append(sql)
        if writes and len(seen) == number and not behind:
            raise Killed
        result = execute(sql, params, many, context)
        if writes and len(seen) == number:
            raise Killed
        return result

    with connection.execute_wrapper(wrapper):
        yield seen


@contextmanager
def at_request(paper: Paper, number: int, *, behind: bool) -> Iterator[list[str]]:
    seen: list[str] = []

    def hook(method: str, path: str, after: bool) -> None:
        if not after:
            seen.append(f"{method} {path}")
        if len(seen) == number and after is behind:
            raise Killed

    paper.hook = hook
    yield seen
    paper.hook = lambda *_: None


def killed(resource: Resource, clock: Clock, paper: Paper, kind: str, number: int, behind: bool) -> bool:
    """One pass that is killed there, as many as it takes to get there; false, if it never does."""
    at = at_write if kind == "write" else lambda number, behind: at_request(paper, number, behind=behind)
    try:
        with at(number, behind=behind):
            for _ in range(4):
                if not Resource.objects.filter(pk=resource.pk).exists():
                    break
                Resource.objects.filter(pk=resource.pk).update(due_at=clock())
                assert claims.claim(resource.pk, "first", clock())
                Pass(resource.pk, "first", clock).work()
                clock.rest(2)
    except Killed:
        return True
    finally:
        paper.hook = lambda *_: None
        Resource.objects.filter(pk=resource.pk).update(claimed_until=None)
        clock.rest(decide.GRACE.total_seconds() + 1)
    return False


PLACES = [(kind, behind) for kind in ("write", "request") for behind in (False, True)]


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize(("kind", "behind"), PLACES)
def test_restarts(kind: str, behind: bool, eu: Paper, reconcile: Reconcile, clock: Clock) -> None:
    """A document with another config and two restarts."""
    orders = put()
    reconcile(orders)
    number = 0
    while True:
        number += 1
        eu.took()
        put(config={"topic": f"t{number}"})
        annotate(orders, restart="true", restart_task="0")
        was_killed = killed(orders, clock, eu, kind, number, behind)
        status = reconcile(orders, by="second")
        sent = eu.took()
        left = {row.key.removeprefix("strimzi.io/"): row for row in ResourceAnnotation.objects.all()}
        warned = " ".join(ready(status))
        for key, asked in (("restart", RESTART), ("restart-task", TASK)):
            assert sent.count(asked) <= 1, (number, sent)
            if key in left:
                assert was_killed
                assert (left[key].state, UNKNOWN in warned) == ("unknown", True), (number, status)
            else:
                assert sent.count(asked) == 1, (number, sent)
        assert eu.connectors["orders"].config["topic"] == f"t{number}"
        assert ready(status)[0] == "Ready"
        annotate(orders, restart=None, restart_task=None)
        if not was_killed:
            assert number > 8
            return


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize(("kind", "behind"), PLACES)
def test_a_life(kind: str, behind: bool, eu: Paper, reconcile: Reconcile, clock: Clock) -> None:
    """Created in the state that is wanted, its offsets listed and reset, deleted."""
    number = 0
    while True:
        number += 1
        eu.took()
        orders = put(state="stopped", listOffsets={"toConfigMap": {"name": "at"}})
        annotate(orders, connector_offsets="list")
        was_killed = killed(orders, clock, eu, kind, number, behind)
        status = reconcile(orders, by="second")
        assert ready(status) == ["Ready"], number
        assert (eu.connectors["orders"].state, eu.sent.count("POST /connectors")) == ("STOPPED", 1), number
        assert not ResourceAnnotation.objects.filter(resource=orders).exists()
        assert Resource.objects.filter(kind="configmap", name="at").exists()
        eu.offsets["orders"] = {'{"p": 1}': {"o": 1}}
        annotate(orders, connector_offsets="reset")
        was_killed |= killed(orders, clock, eu, kind, number, behind)
        reconcile(orders, by="second")
        assert (eu.offsets["orders"], ResourceAnnotation.objects.count()) == ({}, 0), number
        apply.delete(orders, WHO)
        was_killed |= killed(orders, clock, eu, kind, number, behind)
        reconcile(orders, by="second")
        assert (eu.connectors, Resource.objects.filter(kind="kafkaconnector").count()) == ({}, 0), number
        if not was_killed:
            assert number > 5
            return


def asking(orders: Resource, clock: Clock, key: str = "restart", value: str = "true") -> None:
    """As it is after a crash while it was asked for."""
    annotate(orders, **{key.replace("-", "_"): value})
    own = ResourceAnnotation.objects.filter(resource=orders, key=f"strimzi.io/{key}")
    own.update(state="asking", tried_at=clock())


def test_a_restart_that_was_seen_was_done(eu: Paper, reconcile: Reconcile, clock: Clock) -> None:
    orders = put()
    reconcile(orders)
    eu.took()
    asking(orders, clock)
    cluster = Cluster.objects.get(name="eu")
    StateChange.objects.create(cluster=cluster, connector="orders", was="RUNNING", state="RESTARTING", at=clock())
    clock.rest(decide.GRACE.total_seconds())
    assert ready(reconcile(orders)) == ["Ready"]
    assert (eu.took(), ResourceAnnotation.objects.count()) == ([], 0)


def test_what_was_seen_of_another_task_says_nothing(eu: Paper, reconcile: Reconcile, clock: Clock) -> None:
    orders = put()
    reconcile(orders)
    eu.took()
    asking(orders, clock, "restart-task", "0")
    cluster = Cluster.objects.get(name="eu")
    for task in (None, 1):
        StateChange.objects.create(cluster=cluster, connector="orders", task=task, was="RUNNING", state="RESTARTING", at=clock())
    clock.rest(decide.GRACE.total_seconds())
    assert UNKNOWN in ready(reconcile(orders))[1]
    assert eu.took() == []


def test_what_has_failed_still_is_restarted(eu: Paper, reconcile: Reconcile, clock: Clock) -> None:
    orders = put()
    reconcile(orders)
    eu.took()
    asking(orders, clock)
    eu.fail("orders")
    assert eu.took() == [], "it may be under way"
    reconcile(orders)
    clock.rest(decide.GRACE.total_seconds())
    assert ready(reconcile(orders)) == ["Ready"]
    assert (eu.took(), ResourceAnnotation.objects.count()) == ([RESTART], 0)


def test_a_restart_without_an_answer_is_not_asked_for_again(eu: Paper, reconcile: Reconcile, clock: Clock) -> None:
    """A time-out: the cluster may be at it."""
    orders = put()
    reconcile(orders)
    eu.took()
    annotate(orders, restart="true")

    def silent(method: str, path: str, after: bool) -> None:
        if path.endswith("/restart") and after:
            raise httpx.ReadTimeout("t")

    eu.hook = silent
    told = ready(reconcile(orders))
    assert told[1].startswith("Warning RestartConnector Failed to restart connector orders. http://eu did not answer within")
    clock.rest(decide.GRACE.total_seconds())
    assert UNKNOWN in ready(reconcile(orders))[1]
    clock.rest(decide.CYCLE.total_seconds())
    reconcile(orders)
    assert len(eu.took()) == 1


def test_another_process_has_it_by_now(eu: Paper, reconcile: Reconcile, clock: Clock) -> None:
    orders = put()
    Resource.objects.update(due_at=clock())
    assert claims.claim(orders.pk, "first", clock())
    first = Pass(orders.pk, "first", clock)
    clock.rest(LEASE.total_seconds())
    assert claims.claim(orders.pk, "second", clock())
    with pytest.raises(LostClaim):
        first.work()
    assert eu.took() == []


def test_what_changes_meanwhile_is_looked_at_again(eu: Paper, clock: Clock) -> None:
    orders = put()
    Resource.objects.update(due_at=clock())
    assert claims.claim(orders.pk, "first", clock())
    running = Pass(orders.pk, "first", clock)
    put(tasksMax=5)
    annotate(orders, restart="true")
    running.work()
    left = Resource.objects.get()
    assert (left.claimed_by, left.status["observedGeneration"], left.generation) == ("", 1, 2)
    assert left.due_at is not None
    assert left.due_at <= datetime.now(UTC)
    assert ResourceAnnotation.objects.get().state == "fresh"
