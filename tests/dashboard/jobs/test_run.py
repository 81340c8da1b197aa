"""A job over clusters on paper, round by round: what is asked for, what is written down, and what a killed process leaves."""

from collections.abc import Callable
from datetime import timedelta

import httpx
import pytest

from dashboard.control import leases
from dashboard.jobs import claims
from dashboard.jobs.begin import NothingToDo, cancel
from dashboard.jobs.run import Run
from dashboard.jobs.verbs import JobVerb, Options
from dashboard.models import Activity, Job, JobItem
from tests.dashboard.jobs.conftest import WHO, Clock, Fleet, items, job_of, run_of
from tests.waiting import eventually

DONE = ("done", "")
RESTART = "POST /connectors/{}/restart?includeTasks=true&onlyFailed=true"


def heard(run: Run) -> None:
    """All that was asked for has been answered; it is not written down yet."""
    eventually(lambda: run._answers.qsize() == len(run._asking))


def drive(run: Run, fleet: Fleet, clock: Clock, rounds: int = 60) -> None:
    """To the end, as quickly as the clusters answer: the clock is put forward in between."""
    for _ in range(rounds):
        if run.step() is None:
            return
        heard(run)
        if run.step() is None:
            return
        fleet.look()
        clock.forward(1.0)
    raise AssertionError(f"It did not end: {items(run._job)}")


def test_what_failed_is_restarted_and_seen_to_run(fleet: Fleet, clock: Clock) -> None:
    fleet.add("eu", orders="RUNNING FAILED RUNNING", lake="FAILED", fine="RUNNING RUNNING")
    fleet.add("us", orders2="RUNNING FAILED FAILED")
    job = job_of()
    assert (job.about, job.state, job.by) == ("Restart 4 failed in 3 connectors", "waiting", "ann")
    drive(run_of(job, clock), fleet, clock)
    assert fleet.asked == [RESTART.format(name) for name in ("lake", "orders", "orders2")]
    assert items(job) == {"lake": DONE, "orders": DONE, "orders2": DONE}
    job.refresh_from_db()
    assert (job.state, job.started_at is not None, job.ended_at is not None) == ("done", True, True)


def test_who_did_what_is_kept(fleet: Fleet, clock: Clock) -> None:
    fleet.add("eu", orders="RUNNING FAILED", gone="FAILED", late="RUNNING FAILED")
    job = job_of()
    fleet.answers["gone"] = [404]
    fleet.set("eu", "late", "RUNNING RUNNING")
    fleet.look()
    drive(run_of(job, clock), fleet, clock)
    kept = Activity.objects.order_by("pk").values_list("by", "verb", "cluster", "connector", "job", "outcome", "message")
    assert kept[0] == ("ann", "restart", "", "", job.pk, "done", "")
    # `late` ran again before its turn came: nothing was done to it.
    assert sorted(kept)[1:] == [
        ("ann", "restart", "eu", "gone", job.pk, "refused", "HTTP 404"),
        ("ann", "restart", "eu", "orders", job.pk, "done", ""),
    ]
    assert items(job)["late"] == ("done", "It has nothing that failed")


def test_what_fails_again_is_told_with_its_cause(fleet: Fleet, clock: Clock) -> None:
    fleet.add("eu", orders="RUNNING FAILED RUNNING", lake="RUNNING FAILED")
    fleet.stubborn.add("lake")
    job = job_of()
    drive(run_of(job, clock), fleet, clock)
    # Its failure is the same as before: that is believed when nothing was seen for some seconds.
    assert items(job) == {"orders": DONE, "lake": ("failed again", "java.io.IOException: disk full")}


@pytest.mark.parametrize(
    ("verb", "options", "request_lines", "left"),
    [
        (JobVerb.PAUSE, Options(), ["PUT /connectors/orders/pause"], "PAUSED PAUSED PAUSED"),
        (JobVerb.STOP, Options(), ["PUT /connectors/orders/stop"], "STOPPED"),
        (
            JobVerb.RESTART,
            Options(only_failed=False),
            ["POST /connectors/orders/restart?includeTasks=true&onlyFailed=false"],
            "RUNNING RUNNING RUNNING",
        ),
        (
            JobVerb.RESTART,
            Options(include_connector=False),
            ["POST /connectors/orders/tasks/0/restart"],
            "RUNNING RUNNING RUNNING",
        ),
        (
            JobVerb.RESTART,
            Options(only_failed=False, include_connector=False),
            ["POST /connectors/orders/tasks/0/restart", "POST /connectors/orders/tasks/1/restart"],
            "RUNNING RUNNING RUNNING",
        ),
        (
            JobVerb.RESTART,
            Options(only_failed=False, include_tasks=False),
            ["POST /connectors/orders/restart?includeTasks=false&onlyFailed=false"],
            "RUNNING RUNNING RUNNING",
        ),
    ],
)
def test_verbs(fleet: Fleet, clock: Clock, verb: JobVerb, options: Options, request_lines: list[str], left: str) -> None:
    fleet.add("eu", orders="RUNNING FAILED RUNNING")
    job = job_of(verb, options)
    drive(run_of(job, clock), fleet, clock)
    assert fleet.asked == request_lines
    assert fleet.words("eu", "orders") == left
    assert items(job) == {"orders": DONE}


def test_resuming_and_deleting(fleet: Fleet, clock: Clock) -> None:
    fleet.add("eu", orders="PAUSED PAUSED")
    resumed = job_of(JobVerb.RESUME)
    drive(run_of(resumed, clock), fleet, clock)
    assert items(resumed) == {"orders": DONE}
    deleted = job_of(JobVerb.DELETE)
    drive(run_of(deleted, clock), fleet, clock)
    assert items(deleted) == {"orders": DONE}
    assert fleet.asked == ["DELETE /connectors/orders", "PUT /connectors/orders/resume"]


def test_a_rebalance_is_waited_for(fleet: Fleet, clock: Clock) -> None:
    fleet.add("eu", orders="RUNNING FAILED")
    fleet.answers["orders"] = [409, 409, 409]
    job = job_of()
    run = run_of(job, clock)
    run.step()
    heard(run)
    run.step()
    assert items(job) == {"orders": ("waiting", "HTTP 409")}
    run.step()
    assert len(fleet.asked) == 1, "not before its time"
    drive(run, fleet, clock)
    assert items(job) == {"orders": DONE}
    assert len(fleet.asked) == 4


@pytest.mark.parametrize(
    ("answer", "cause"),
    [(500, "HTTP 500 (asked 4 times)"), (httpx.ReadTimeout("slow"), "http://eu did not answer within 15 s. (asked 4 times)")],
)
def test_a_server_that_fails_is_given_up(fleet: Fleet, clock: Clock, answer: int | Exception, cause: str) -> None:
    fleet.add("eu", orders="RUNNING FAILED")
    fleet.answers["orders"] = [answer] * 9
    job = job_of()
    drive(run_of(job, clock), fleet, clock)
    assert items(job) == {"orders": ("refused", cause)}
    assert len(fleet.asked) == 4


def test_a_restart_of_everything_is_not_asked_twice_when_its_answer_is_lost(fleet: Fleet, clock: Clock) -> None:
    fleet.add("eu", orders="RUNNING RUNNING")
    fleet.answers["orders"] = [httpx.ReadTimeout("slow")]
    job = job_of(options=Options(only_failed=False))
    drive(run_of(job, clock), fleet, clock)
    assert len(fleet.asked) == 1
    assert items(job) == {"orders": ("unknown", "The answer was lost, and nothing was seen to restart")}


def test_so_many_of_a_cluster_at_once(fleet: Fleet, clock: Clock) -> None:
    fleet.add("eu", **{f"c{number}": "RUNNING FAILED" for number in range(20)})
    fleet.add("us", **{f"d{number}": "RUNNING FAILED" for number in range(3)})
    fleet.answering.clear()
    job = job_of()
    run = run_of(job, clock)
    run.step()
    eventually(lambda: fleet.now == {"eu": job.at_once, "us": 3})
    run.step()
    assert len(run._asking) == job.at_once + 3
    fleet.answering.set()
    drive(run, fleet, clock)
    assert fleet.most == {"eu": job.at_once, "us": 3}
    assert set(items(job).values()) == {DONE}


def test_a_dead_cluster_holds_up_nobody(fleet: Fleet, clock: Clock) -> None:
    fleet.add("eu", **{f"c{number}": "RUNNING FAILED" for number in range(20)})
    fleet.add("us", lake="RUNNING FAILED")
    job = job_of()
    fleet.papers["eu"].down = httpx.ConnectError("refused")
    fleet.look()
    run = run_of(job, clock)
    run.step()
    heard(run)
    run.step()
    fleet.look()
    clock.forward(3)
    run.step()
    assert items(job)["lake"] == DONE
    assert fleet.papers["eu"].asked == []
    drive(run, fleet, clock)
    assert items(job)["c7"] == ("refused", "Its cluster cannot be reached. It was not asked for")


def test_a_cluster_that_dies_in_the_middle(fleet: Fleet, clock: Clock) -> None:
    fleet.add("eu", orders="RUNNING FAILED")
    job = job_of()
    run = run_of(job, clock)
    run.step()
    heard(run)
    run.step()
    fleet.papers["eu"].down = httpx.ConnectError("refused")
    drive(run, fleet, clock, rounds=80)
    assert items(job) == {"orders": ("unknown", "Its cluster was asked for it and cannot be reached any more")}


def test_a_cluster_that_is_forgotten(fleet: Fleet, clock: Clock) -> None:
    cluster = fleet.add("eu", orders="RUNNING FAILED")
    job = job_of()
    cluster.delete()
    del fleet.papers["eu"]
    drive(run_of(job, clock), fleet, clock)
    assert items(job) == {"orders": ("refused", "It has been deleted meanwhile")}


def test_cancelling_lets_what_is_under_way_end(fleet: Fleet, clock: Clock) -> None:
    fleet.add("eu", **{f"c{number}": "RUNNING FAILED" for number in range(20)})
    job = job_of()
    run = run_of(job, clock)
    run.step()
    heard(run)
    assert cancel(job, WHO)
    assert job.state == "cancelling"
    drive(run, fleet, clock)
    states = [state for state, _ in items(job).values()]
    assert (states.count("done"), states.count("cancelled")) == (8, 12)
    assert len(fleet.asked) == 8
    job.refresh_from_db()
    assert job.state == "cancelled"
    assert not cancel(job, WHO)
    assert Activity.objects.filter(verb="cancel", job=job.pk).count() == 1


# A process that is killed between two of its lines; another one takes over when the lease is over.


def kill(clock: Clock) -> None:
    clock.forward(leases.LEASE.total_seconds() + 1)


def test_nobody_else_works_on_a_job_that_is_claimed(fleet: Fleet, clock: Clock) -> None:
    fleet.add("eu", orders="RUNNING FAILED")
    job = job_of()
    run_of(job, clock)
    assert claims.claimable(clock()) == []
    assert not claims.claim(job.pk, "second", clock())
    kill(clock)
    assert claims.claimable(clock()) == [job.pk]


def test_killed_before_it_asked(fleet: Fleet, clock: Clock, monkeypatch: pytest.MonkeyPatch) -> None:
    """Between writing down that it asks and asking: nobody can tell that from a lost answer."""
    fleet.add("eu", orders="RUNNING FAILED")
    job = job_of()
    run = run_of(job, clock)
    with monkeypatch.context() as patched:
        patched.setattr(Run, "_ask", lambda *_: None)
        run.step()
    assert (fleet.asked, items(job)) == ([], {"orders": ("asked", "")})
    kill(clock)
    drive(run_of(job, clock, "second"), fleet, clock)
    assert len(fleet.asked) == 1
    assert items(job) == {"orders": DONE}


@pytest.mark.parametrize(("seen", "asked"), [(True, 1), (False, 2)])
def test_killed_before_it_wrote_down_the_answer(fleet: Fleet, clock: Clock, seen: bool, asked: int) -> None:
    """What is seen to run again is not asked for again; what is not seen yet is, for what failed only: that does no harm."""
    fleet.add("eu", orders="RUNNING FAILED")
    job = job_of()
    run = run_of(job, clock)
    run.step()
    heard(run)
    if seen:
        fleet.look()
    kill(clock)
    second = run_of(job, clock, "second")
    second.step()
    clock.forward(3)
    second.step()
    drive(second, fleet, clock)
    assert fleet.asked == [RESTART.format("orders")] * asked
    assert items(job) == {"orders": DONE}
    assert JobItem.objects.get().attempts == asked


def test_killed_after_it_asked_for_what_must_not_be_asked_twice(fleet: Fleet, clock: Clock) -> None:
    fleet.add("eu", orders="RUNNING RUNNING")
    job = job_of(options=Options(only_failed=False))
    run = run_of(job, clock)
    run.step()
    heard(run)
    kill(clock)
    drive(run_of(job, clock, "second"), fleet, clock)
    assert len(fleet.asked) == 1


def test_killed_while_it_watched(fleet: Fleet, clock: Clock) -> None:
    fleet.add("eu", orders="RUNNING FAILED")
    job = job_of()
    run = run_of(job, clock)
    run.step()
    heard(run)
    run.step()
    assert items(job) == {"orders": ("under way", "")}
    kill(clock)
    drive(run_of(job, clock, "second"), fleet, clock)
    assert len(fleet.asked) == 1
    assert items(job) == {"orders": DONE}
    assert Activity.objects.filter(connector="orders").count() == 1


def test_killed_and_cancelled(fleet: Fleet, clock: Clock) -> None:
    fleet.add("eu", orders="RUNNING FAILED")
    job = job_of()
    run = run_of(job, clock)
    run.step()
    heard(run)
    kill(clock)
    cancel(job, WHO)
    drive(run_of(job, clock, "second"), fleet, clock)
    assert len(fleet.asked) == 1
    assert items(job) == {"orders": DONE}


def test_one_that_slept_through_its_lease_writes_and_asks_nothing(fleet: Fleet, clock: Clock) -> None:
    fleet.add("eu", orders="RUNNING FAILED", lake="FAILED")
    job = job_of()
    asleep = run_of(job, clock)
    kill(clock)
    second = run_of(job, clock, "second")
    with pytest.raises(leases.LostClaim):
        asleep.step()
    assert fleet.asked == []
    drive(second, fleet, clock)
    assert set(items(job).values()) == {DONE}


def test_a_claim_is_renewed_also_where_nothing_happens(fleet: Fleet, clock: Clock) -> None:
    fleet.add("eu", orders="RUNNING FAILED")
    fleet.stubborn.add("orders")
    job = job_of()
    run = run_of(job, clock)
    run.step()
    heard(run)
    run.step()
    clock.forward(leases.LEASE.total_seconds() - 1)
    run.step()
    job.refresh_from_db()
    assert job.claimed_until is not None
    assert job.claimed_until > clock() + timedelta(seconds=5)


# What a request for a job makes


def test_the_same_key_makes_one_job(fleet: Fleet) -> None:
    fleet.add("eu", orders="RUNNING FAILED")
    first = job_of(key="abc")
    assert job_of(key="abc").pk == first.pk
    assert job_of(key="abd").pk != first.pk
    assert Job.objects.count() == 2


def test_there_is_no_job_of_nothing(fleet: Fleet) -> None:
    fleet.add("eu", orders="RUNNING RUNNING")
    with pytest.raises(NothingToDo):
        job_of()
    assert not Job.objects.exists()


def test_a_thousand(fleet: Fleet, clock: Clock, django_assert_max_num_queries: Callable[[int], object]) -> None:
    for cluster in ("eu", "us"):
        fleet.add(cluster, **{f"{cluster}{number}": "RUNNING FAILED" for number in range(500)})
    job = job_of()
    Job.objects.update(at_once=100)
    run = run_of(job, clock)
    with django_assert_max_num_queries(18):  # type: ignore[attr-defined]
        run.step()
    drive(run, fleet, clock)
    assert set(items(job).values()) == {DONE}
    assert len(fleet.asked) == len(set(fleet.asked)) == 1000
