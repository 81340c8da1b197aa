"""What fails on clusters on paper, and is restarted, given up, and mended by hand; and what killed processes leave."""

import threading
from datetime import timedelta
from typing import Any

import httpx
import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from connect_client import ConnectError
from dashboard import actions
from dashboard.activity import Who
from dashboard.fleet.verbs import Verb
from dashboard.jobs.verbs import JobVerb
from dashboard.models import Activity, AutoRestart, Cluster, ConnectorSnapshot, Move, RestartOverride, RestartPolicy
from dashboard.restarting.runner import AT_ONCE, Restarting
from tests.dashboard.jobs.conftest import Clock, Fleet, job_of, run_of
from tests.dashboard.restarting.conftest import RESTART, goes_by, heard, is_kept, look, row
from tests.waiting import eventually

MINUTE = timedelta(minutes=1)
ANN = Who("ann")


class Stubborn:
    """Fails as soon as it is restarted, and says so in other words each time."""

    def __init__(self, fleet: Fleet, name: str = "orders") -> None:
        self._fleet, self._name, self.starts = fleet, name, 0
        self._begin = len(fleet.papers["eu"].asked)

    def __call__(self) -> None:
        asked = len([line for line in self._fleet.papers["eu"].asked if line.startswith("POST")])
        if asked > self.starts:
            self.starts = asked
            self._fleet.set("eu", self._name, "RUNNING FAILED RUNNING", trace=f"java.io.IOException: start {asked}")


def given_up(runner: Restarting, fleet: Fleet, clock: Clock) -> None:
    """orders in eu, after all that there is."""
    goes_by(runner, fleet, clock, 32 * MINUTE, Stubborn(fleet))
    found = row()
    assert (found.count, found.gave_up_at is None) == (6, False)


def test_what_fails_is_restarted_at_once(runner: Restarting, fleet: Fleet) -> None:
    fleet.add("eu", orders="RUNNING FAILED RUNNING", lake="FAILED", fine="RUNNING RUNNING", idle="PAUSED FAILED")
    look(runner, fleet)
    assert fleet.asked == [RESTART.format("lake"), RESTART.format("orders")]
    found = row()
    assert (found.count, found.asking_since, found.gave_up_at, found.claimed_by) == (1, None, None, "")
    assert found.trace == "task 0:\nOuter: o\nCaused by: java.io.IOException: disk full"
    assert {one.connector for one in AutoRestart.objects.all()} == {"orders", "lake"}


def test_who_did_it_is_kept(runner: Restarting, fleet: Fleet) -> None:
    fleet.add("eu", orders="RUNNING FAILED RUNNING")
    look(runner, fleet)
    noted = Activity.objects.values_list("by", "via", "verb", "cluster", "connector", "outcome", "after")
    told = {"restart": 1, "cause": "java.io.IOException: disk full"}
    assert list(noted) == [("automatic restart", "automation", "restart-failed", "eu", "orders", "done", told)]


def test_the_proposal_s_minutes_and_then_no_more(runner: Restarting, fleet: Fleet, clock: Clock) -> None:
    fleet.add("eu", orders="RUNNING FAILED RUNNING", fine="RUNNING RUNNING")
    begin, minutes = clock(), []
    stubborn = Stubborn(fleet)
    look(runner, fleet)
    for _ in range(6 * 60):
        before = len(fleet.asked)
        clock.forward(10)
        stubborn()
        look(runner, fleet)
        if len(fleet.asked) > before:
            minutes.append(round((clock() - begin) / MINUTE))
    assert [0, *minutes] == [0, 2, 6, 12, 20, 30]
    found = row()
    assert found.gave_up_at is not None
    assert round((found.gave_up_at - begin) / MINUTE) == 30, "as soon as the last one is seen to have failed"
    assert found.trace.endswith("start 5")
    last = Activity.objects.order_by("-pk").values_list("verb", "connector", "after").first()
    assert last == ("give-up-restarting", "orders", {"restarts": 6})


def test_a_restart_by_hand_begins_anew_what_was_given_up(runner: Restarting, fleet: Fleet, clock: Clock) -> None:
    fleet.add("eu", orders="RUNNING FAILED RUNNING")
    given_up(runner, fleet, clock)
    asked = len(fleet.asked)
    actions.do(ConnectorSnapshot.objects.get(), Verb.RESTART_FAILED, ANN)
    found = row()
    assert (found.count, found.gave_up_at) == (0, None)
    # What is seen of before the restart is no reason for another.
    runner.step()
    assert len(fleet.asked) == asked + 1
    fleet.look()
    goes_by(runner, fleet, clock, 2 * MINUTE)
    assert not is_kept(), "well for longer than it would have had to wait"
    assert len(fleet.asked) == asked + 1


def test_what_fails_again_after_a_restart_by_hand_is_restarted(runner: Restarting, fleet: Fleet, clock: Clock) -> None:
    fleet.add("eu", orders="RUNNING FAILED RUNNING")
    given_up(runner, fleet, clock)
    actions.do(ConnectorSnapshot.objects.get(), Verb.RESTART_FAILED, ANN)
    asked = len(fleet.asked)
    fleet.set("eu", "orders", "RUNNING FAILED RUNNING", trace="java.io.IOException: as ever")
    goes_by(runner, fleet, clock, MINUTE)
    found = row()
    assert (found.count, len(fleet.asked)) == (1, asked + 1)


@pytest.mark.parametrize("task", [False, True])
def test_so_does_a_job_or_the_restart_of_a_task(runner: Restarting, fleet: Fleet, clock: Clock, task: bool) -> None:
    fleet.add("eu", orders="RUNNING FAILED RUNNING")
    given_up(runner, fleet, clock)
    if task:
        actions.restart_task(ConnectorSnapshot.objects.get(), 0, ANN)
    else:
        run = run_of(job_of(JobVerb.RESTART), clock)
        run.step()
        eventually(lambda: run._answers.qsize() == len(run._asking))
        run.step()
    found = row()
    assert (found.count, found.gave_up_at) == (0, None)


def test_other_verbs_do_not(runner: Restarting, fleet: Fleet, clock: Clock) -> None:
    fleet.add("eu", orders="RUNNING FAILED RUNNING")
    given_up(runner, fleet, clock)
    fleet.papers["eu"].down = httpx.ConnectError("no answer")
    with pytest.raises(ConnectError):
        actions.do(ConnectorSnapshot.objects.get(), Verb.RESTART, ANN)
    fleet.papers["eu"].down = None
    actions.do(ConnectorSnapshot.objects.get(), Verb.PAUSE, ANN)
    found = row()
    assert found.gave_up_at is not None


def test_the_count_begins_anew_when_it_was_well_for_long_enough(runner: Restarting, fleet: Fleet, clock: Clock) -> None:
    fleet.add("eu", orders="RUNNING FAILED RUNNING")
    look(runner, fleet)
    goes_by(runner, fleet, clock, 2 * MINUTE)
    found = row()
    assert found.count == 1, "not yet: two minutes and one more"
    goes_by(runner, fleet, clock, 1.5 * MINUTE)
    assert not is_kept()


def test_what_runs_for_a_while_between_failures_is_counted(runner: Restarting, fleet: Fleet, clock: Clock) -> None:
    fleet.add("eu", orders="RUNNING FAILED RUNNING")
    look(runner, fleet)
    goes_by(runner, fleet, clock, 2.5 * MINUTE)
    fleet.set("eu", "orders", "RUNNING FAILED RUNNING", trace="java.io.IOException: again")
    goes_by(runner, fleet, clock, 0.5 * MINUTE)
    found = row()
    assert (found.count, found.healthy_seconds < 31) == (2, True)


def test_the_count_outlives_a_new_config_a_pause_and_every_process(runner: Restarting, fleet: Fleet, clock: Clock) -> None:
    fleet.add("eu", orders="RUNNING FAILED RUNNING")
    look(runner, fleet)
    fleet.papers["eu"].entries["orders"]["info"]["config"]["topics"] = "another"
    fleet.set("eu", "orders", "PAUSED PAUSED PAUSED")
    goes_by(runner, fleet, clock, 60 * MINUTE)
    fleet.set("eu", "orders", "RUNNING FAILED RUNNING")
    # The cluster, and whoever follows it, are away for a while.
    fleet.papers["eu"].down = httpx.ConnectError("no answer")
    goes_by(runner, fleet, clock, MINUTE)
    fleet.papers["eu"].down = None
    look(Restarting(clock=clock), fleet)
    found = row()
    assert found.count == 2


def test_a_dead_cluster_is_left_alone_until_it_is_back(runner: Restarting, fleet: Fleet, clock: Clock) -> None:
    fleet.add("eu", orders="RUNNING FAILED RUNNING")
    fleet.add("us", lake="FAILED")
    fleet.papers["eu"].down = httpx.ConnectError("no answer")
    goes_by(runner, fleet, clock, 5 * MINUTE)
    assert fleet.asked == [RESTART.format("lake")]
    assert not is_kept(), "nothing was tried, and nothing counted"
    fleet.papers["eu"].down = None
    look(runner, fleet)
    assert RESTART.format("orders") in fleet.asked


def test_a_cluster_that_does_not_answer_holds_up_no_other(runner: Restarting, fleet: Fleet, clock: Clock) -> None:
    fleet.add("eu", **{f"c{number:02}": "FAILED" for number in range(AT_ONCE + 4)})
    fleet.look()
    fleet.answering.clear()
    runner.step()
    eventually(lambda: fleet.now.get("eu") == AT_ONCE)
    assert AutoRestart.objects.count() == AT_ONCE, "of the others none is counted before its turn"
    runner.step()
    assert fleet.most == {"eu": AT_ONCE}
    fleet.add("us", lake="FAILED")
    fleet.look()
    runner.step()
    eventually(lambda: fleet.now.get("us") == 1)
    fleet.answering.set()
    heard(runner)
    look(runner, fleet)
    look(runner, fleet)
    assert len(fleet.asked) == AT_ONCE + 5


def test_a_cluster_that_rebalances_is_asked_again_and_it_counts_once(runner: Restarting, fleet: Fleet, clock: Clock) -> None:
    fleet.add("eu", orders="RUNNING FAILED RUNNING")
    fleet.answers["orders"] = [409, 409]
    look(runner, fleet)
    found = row()
    assert (found.count, found.attempts, found.message) == (1, 1, "HTTP 409")
    assert found.next_try_at is not None
    goes_by(runner, fleet, clock, MINUTE / 2)
    found = row()
    assert (found.count, found.attempts, found.asking_since) == (1, 3, None)
    assert Activity.objects.count() == 1
    assert fleet.words("eu", "orders") == "RUNNING RUNNING RUNNING"


@pytest.mark.parametrize("answer", [httpx.ReadTimeout("no answer"), httpx.ConnectError("refused"), 500])
def test_of_a_cluster_that_gives_no_answer_it_is_seen_whether_it_has_heard(
    runner: Restarting, fleet: Fleet, clock: Clock, answer: int | Exception
) -> None:
    fleet.add("eu", orders="RUNNING FAILED RUNNING", lake="FAILED")
    fleet.answers |= {"orders": [answer], "lake": [answer]}
    look(runner, fleet)
    # One was heard, and has failed of something else since.
    fleet.set("eu", "lake", "FAILED", trace="java.io.IOException: another")
    goes_by(runner, fleet, clock, timedelta(seconds=30))
    assert sorted(fleet.asked) == [RESTART.format(name) for name in ("lake", "orders", "orders")]
    assert (row().count, row().attempts, row("lake").count, row("lake").attempts) == (1, 2, 1, 1)
    assert set(AutoRestart.objects.values_list("asking_since", flat=True)) == {None}
    assert Activity.objects.get(connector="lake").after == {"restart": 1, "answer": "lost"}


def test_one_that_never_answers_is_asked_four_times(runner: Restarting, fleet: Fleet, clock: Clock) -> None:
    fleet.add("eu", orders="RUNNING FAILED RUNNING")
    fleet.answers["orders"] = [httpx.ReadTimeout("no answer")] * 9
    goes_by(runner, fleet, clock, 1.5 * MINUTE)
    assert (row().count, row().attempts, len(fleet.asked)) == (1, 4, 4)
    assert "(asked 4 times)" in Activity.objects.get().message


def test_a_refusal_counts_and_is_told(runner: Restarting, fleet: Fleet, clock: Clock) -> None:
    fleet.add("eu", orders="RUNNING FAILED RUNNING")
    fleet.answers["orders"] = [400]
    look(runner, fleet)
    found = row()
    assert (found.count, found.message, found.asking_since) == (1, "HTTP 400", None)
    assert Activity.objects.values_list("outcome", "message").get() == ("refused", "HTTP 400")
    goes_by(runner, fleet, clock, 2.5 * MINUTE)
    found = row()
    assert (found.count, found.message) == (2, "")


def test_an_old_cluster_is_asked_for_each_instance(runner: Restarting, fleet: Fleet, clock: Clock) -> None:
    fleet.add("eu", orders="RUNNING FAILED FAILED")
    fleet.look()
    Cluster.objects.get().snapshot.__class__.objects.update(version="2.6.0")
    fleet.papers["eu"].asked.clear()
    runner.step()
    # The dictionary does not tell a single status, so that much is asked before that is noticed.
    heard(runner)
    runner.step()
    assert RESTART.format("orders") not in fleet.asked


# Who wants what


def test_policies_by_what_failed_and_the_switch_of_one(runner: Restarting, fleet: Fleet, policy: RestartPolicy) -> None:
    policy.position = 9
    policy.save()
    RestartPolicy.objects.create(name="hopeless", text="Disk Full", schedule="never")
    eu = fleet.add("eu", orders="RUNNING FAILED", lake="FAILED", off="FAILED", on="FAILED")
    fleet.set("eu", "lake", "FAILED", trace="java.net.SocketTimeoutException")
    fleet.set("eu", "off", "FAILED", trace="java.net.SocketTimeoutException")
    RestartOverride.objects.create(cluster=eu, connector="off", enabled=False)
    RestartOverride.objects.create(cluster=eu, connector="on", enabled=True)
    look(runner, fleet)
    assert fleet.asked == [RESTART.format("lake"), RESTART.format("on")]
    # Another policy is read at the next look.
    RestartPolicy.objects.filter(name="hopeless").update(enabled=False)
    look(runner, fleet)
    assert RESTART.format("orders") in fleet.asked


def test_without_policies_nothing_is_restarted(runner: Restarting, fleet: Fleet, policy: RestartPolicy) -> None:
    fleet.add("eu", orders="RUNNING FAILED")
    policy.delete()
    look(runner, fleet)
    assert (fleet.asked, is_kept()) == ([], False)


def test_nor_where_the_installation_is_told_not_to(runner: Restarting, fleet: Fleet, settings: Any) -> None:
    fleet.add("eu", orders="RUNNING FAILED")
    settings.AUTO_RESTART = False
    look(runner, fleet)
    assert (fleet.asked, is_kept()) == ([], False)


def test_what_is_switched_off_meanwhile_is_not_asked_for_again(runner: Restarting, fleet: Fleet, clock: Clock) -> None:
    eu = fleet.add("eu", orders="RUNNING FAILED")
    fleet.answers["orders"] = [409]
    look(runner, fleet)
    RestartOverride.objects.create(cluster=eu, connector="orders", enabled=False)
    goes_by(runner, fleet, clock, MINUTE)
    found = row()
    assert (found.asking_since, found.count) == (None, 1)
    assert len(fleet.asked) == 1
    assert Activity.objects.values_list("outcome", "message").get() == ("refused", "HTTP 409")


def test_what_moves_to_another_cluster_is_left_to_the_move(runner: Restarting, fleet: Fleet, clock: Clock) -> None:
    fleet.add("eu", orders="RUNNING FAILED")
    Move.objects.create(
        source_name="eu", connector="orders", target_name="us", new_name="orders", by="ann", via="ui", asked_at=clock()
    )
    look(runner, fleet)
    assert fleet.asked == []
    Move.objects.update(state="done")
    look(runner, fleet)
    assert fleet.asked == [RESTART.format("orders")]


def test_what_is_gone_is_forgotten_a_day_later(runner: Restarting, fleet: Fleet, clock: Clock) -> None:
    fleet.add("eu", orders="RUNNING FAILED")
    look(runner, fleet)
    entry = fleet.papers["eu"].entries.pop("orders")
    goes_by(runner, fleet, clock, MINUTE)
    fleet.papers["eu"].entries["orders"] = entry
    look(runner, fleet)
    assert is_kept(), "created anew, it goes on where it was"
    fleet.papers["eu"].entries.pop("orders")
    clock.forward(25 * 3600)
    look(runner, fleet)
    assert not is_kept()


# Several processes, and killed ones


def test_of_two_processes_one_restarts(runner: Restarting, fleet: Fleet, clock: Clock) -> None:
    fleet.add("eu", **{f"c{number}": "FAILED" for number in range(6)})
    fleet.look()
    fleet.answering.clear()
    other = Restarting(clock=clock)
    # Both have looked before either has written.
    decided = []
    first_begin = runner._begin
    runner._begin = lambda one, row, now: decided.append((one, row, now))  # type: ignore[method-assign]
    runner.step()
    other.step()
    for one in decided:
        first_begin(*one)
    fleet.answering.set()
    for each in (runner, other):
        heard(each)
        each.step()
    assert len(decided) == 6
    assert sorted(fleet.asked) == [RESTART.format(f"c{number}") for number in range(6)]
    assert set(AutoRestart.objects.values_list("count", flat=True)) == {1}


class Killed(Restarting):
    """Ends after a restart is written down, before it is asked for."""

    def _ask(self, begun: object) -> None:
        pass


def test_killed_between_writing_and_asking_it_is_neither_forgotten_nor_counted_twice(
    fleet: Fleet, clock: Clock, policy: RestartPolicy
) -> None:
    fleet.add("eu", orders="RUNNING FAILED RUNNING")
    fleet.look()
    Killed(clock=clock).step()
    found = row()
    assert (found.count, fleet.asked) == (1, [])
    begun_at = found.last_restart_at
    # The next process leaves it alone for as long as it may belong to somebody.
    after = Restarting(clock=clock)
    goes_by(after, fleet, clock, timedelta(seconds=10))
    assert fleet.asked == []
    goes_by(after, fleet, clock, timedelta(seconds=20))
    assert fleet.asked == [RESTART.format("orders")]
    found = row()
    assert (found.count, found.attempts, found.asking_since, found.last_restart_at) == (1, 2, None, begun_at)
    assert fleet.words("eu", "orders") == "RUNNING RUNNING RUNNING"
    goes_by(after, fleet, clock, MINUTE)
    assert len(fleet.asked) == 1


@pytest.mark.parametrize("becomes", ["RUNNING RUNNING RUNNING", "RUNNING FAILED RUNNING", "RUNNING RESTARTING RUNNING"])
def test_killed_between_asking_and_writing_the_answer_it_is_not_asked_for_twice(
    fleet: Fleet, clock: Clock, policy: RestartPolicy, becomes: str
) -> None:
    fleet.add("eu", orders="RUNNING FAILED RUNNING")
    fleet.look()
    killed = Restarting(clock=clock)
    killed.step()
    heard(killed)
    fleet.set("eu", "orders", becomes, trace="java.io.IOException: again")
    goes_by(Restarting(clock=clock), fleet, clock, timedelta(seconds=100))
    assert fleet.asked == [RESTART.format("orders")]
    found = row()
    assert found.count == 1
    over = "RESTARTING" not in becomes
    assert (found.asking_since is None) is over
    assert list(Activity.objects.values_list("verb", "after")) == [("restart-failed", {"restart": 1, "answer": "lost"})] * over


def test_who_slept_writes_nothing_of_what_another_has_by_now(runner: Restarting, fleet: Fleet, clock: Clock) -> None:
    fleet.add("eu", orders="RUNNING FAILED RUNNING")
    fleet.answers["orders"] = [409, 409, 409]
    fleet.look()
    runner.step()
    heard(runner)
    # It is away for a while, and the next one has asked again.
    other = Restarting(clock=clock)
    goes_by(other, fleet, clock, timedelta(seconds=30))
    before = AutoRestart.objects.values().get()
    assert before["attempts"] > 1
    runner._hear(clock())
    assert AutoRestart.objects.values().get() == before


def test_a_clock_that_goes_back_makes_no_burst(runner: Restarting, fleet: Fleet, clock: Clock) -> None:
    fleet.add("eu", orders="RUNNING FAILED RUNNING")
    stubborn = Stubborn(fleet)
    look(runner, fleet)
    for _ in range(10):
        clock.forward(-3600)
        stubborn()
        goes_by(runner, fleet, clock, MINUTE, stubborn)
    assert len(fleet.asked) == 1
    goes_by(runner, fleet, clock, 3 * MINUTE, stubborn)
    assert len(fleet.asked) == 2


def test_how_much_is_asked_of_the_database(runner: Restarting, fleet: Fleet) -> None:
    fleet.add("eu", **{f"c{number:03}": "PAUSED FAILED" for number in range(120)})
    fleet.add("us", **{f"c{number:03}": "RUNNING RUNNING" for number in range(120)})
    fleet.look()
    runner.step()
    with CaptureQueriesContext(connection) as queries:
        runner.step()
    assert len(queries) <= 7, [query["sql"] for query in queries]


@pytest.mark.django_db(transaction=True)
def test_told_to_stop_it_waits_a_moment_for_answers(runner: Restarting, fleet: Fleet) -> None:
    fleet.add("eu", orders="RUNNING FAILED")
    fleet.look()
    fleet.answering.clear()
    runner.start()
    eventually(lambda: fleet.now.get("eu") == 1)
    threading.Timer(0.2, fleet.answering.set).start()
    runner.stop()
    assert row().asking_since is None
    assert Activity.objects.get().verb == "restart-failed"
