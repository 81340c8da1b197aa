"""Who leads: what a leader does that others do not, and what is left to the next one when it goes."""

import threading
from collections.abc import Iterator
from unittest.mock import ANY

import pytest

from tests.fakes import Cluster, Herding, another_hand, until
from tests.unit.workers.herder.group import CONFIG, Hold, Workers, all_of, tasks_of, workers
from workers.herder import leadership
from workers.herder.actions import NO_LEADER, STALE
from workers.herder.states import State, TargetState
from workers.herder.values import RestartRequest, Status, TaskId
from workers.storage.log import Fenced, LogError
from workers.storage.memory_log import MemoryLog
from workers.storage.status_store import StatusStore


@pytest.fixture(autouse=True)
def quick_retries(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(leadership, "_RETRY", 0.01)


@pytest.fixture
def trio() -> Iterator[Workers]:
    """Workers x, y and z; x leads."""
    with workers("x", "y", "z") as group:
        yield group


# --- one at a time ----------------------------------------------------------------------------------------------------


def test_one_leads_and_the_others_know_who(trio: Workers) -> None:
    assert [worker.led for worker in trio.present.values()] == [[True], [], []]
    for worker in trio.present.values():
        snapshot = worker.assignments.snapshot()
        assert snapshot.leader == trio["x"].me
        assert snapshot.members == {trio["x"].me, trio["y"].me, trio["z"].me}


@pytest.mark.parametrize(
    "ask",
    [
        lambda actions: actions.create_connector("b", {}, None),
        lambda actions: actions.put_connector_config("a", {}),
        lambda actions: actions.delete_connector("a"),
        lambda actions: actions.set_target_state("a", TargetState.PAUSED),
        lambda actions: actions.restart_connector(RestartRequest("a", include_tasks=True)),
        lambda actions: actions.restart_connector(RestartRequest("a")),
        lambda actions: actions.restart_task(TaskId("a", 0)),
    ],
)
def test_whoever_does_not_lead_changes_nothing(trio: Workers, ask: object) -> None:
    trio.create(tasks=3)
    before = trio.leader.config_keys()
    follower = trio["y"]
    assert callable(ask)
    assert trio.refusal(follower, lambda: ask(follower.herder.actions)) == (409, NO_LEADER)
    trio.settle()
    assert trio.leader.config_keys() == before


@pytest.fixture
def unsettled(trio: Workers) -> Iterator[Workers]:
    """With connector `a`, while somebody comes or goes."""
    trio.create(tasks=3)
    trio.cluster.group.tell_of(trio["x"].me, leads=True)
    yield trio
    trio.cluster.group.tell()
    trio.settle()
    trio.create("b", tasks=3)
    trio.check()


@pytest.mark.parametrize(
    "ask",
    [
        lambda actions: actions.create_connector("b", {}, None),
        lambda actions: actions.put_connector_config("a", {}),
        lambda actions: actions.delete_connector("a"),
        lambda actions: actions.set_target_state("a", TargetState.STOPPED),
        lambda actions: actions.restart_connector(RestartRequest("a", include_tasks=True)),
        lambda actions: actions.restart_connector(RestartRequest("a")),
        lambda actions: actions.restart_task(TaskId("a", 0)),
    ],
)
def test_while_members_come_and_go_requests_are_refused_in_kafka_connects_words(unsettled: Workers, ask: object) -> None:
    before = unsettled.leader.config_keys()
    assert callable(ask)
    assert unsettled.refusal(unsettled["x"], lambda: ask(unsettled["x"].herder.actions)) == (409, STALE)
    assert unsettled.leader.config_keys() == before


@pytest.mark.parametrize(("state", "shown"), [(TargetState.PAUSED, "PAUSED"), (TargetState.STARTED, "RUNNING")])
def test_while_members_come_and_go_a_pause_is_accepted(unsettled: Workers, state: TargetState, shown: str) -> None:
    """KIP-52."""
    unsettled.leader.call(lambda: unsettled.leader.herder.actions.set_target_state("a", state))
    unsettled.settle()
    assert [unsettled.leader.state(instance) for instance in all_of("a", 3)] == [shown] * 4


@pytest.mark.parametrize("how", ["stop", "crash", "cut_off"])
def test_when_the_leader_goes_the_next_one_leads_and_everything_goes_on(trio: Workers, how: str) -> None:
    trio.create(tasks=9)
    epoch = trio.leader.assignments.epoch
    gone = getattr(trio, how)("x")
    assert trio["y"].led == [True]
    assert gone.led[-1] is (how != "cut_off")
    assert trio["z"].assignments.snapshot().leader == trio["y"].me
    assert trio["z"].assignments.epoch > epoch
    trio.check()
    trio.create("b", tasks=2)
    trio.delete("a")
    assert trio.leader.state("b") == "RUNNING"
    assert [trio.leader.state(instance) for instance in all_of("a", 9)] == [None] * 10
    trio.check()


def test_one_that_is_fenced_has_written_nothing_and_steps_down(trio: Workers) -> None:
    """Another leads already, which this one has not heard."""
    trio.create(tasks=3)
    before = trio.leader.config_keys()
    trio["y"].writer.claim()
    status, message = trio.refusal(trio["x"], lambda: trio["x"].herder.actions.delete_connector("a"))
    assert (status, message.startswith("Failed to write to config topic; this may be due to a transient error")) == (500, True)
    assert trio["x"].led[1] is False
    assert trio.leader.config_keys() == before


def test_an_old_leader_does_not_write_over_the_new_ones_assignment(trio: Workers) -> None:
    trio.create(tasks=9)
    old, new = trio["x"], trio["y"]
    trio.cluster.group.tell_of(new.me, leads=True, settled=True, members=frozenset({new.me, trio["z"].me, old.me}))
    until(lambda: new.led == [True])
    trio.cluster.group.tell_of(old.me)
    trio.settle()
    assert trio["z"].assignments.leader == new.me
    assert old.led == [True, False]
    trio.check()


def test_a_leader_claims_the_lead_back_as_long_as_the_group_says_that_it_leads(trio: Workers) -> None:
    trio["y"].writer.claim()
    trio["x"].writer.errors = [Fenced("another writes")]
    trio.refusal(trio["x"], lambda: trio["x"].herder.actions.create_connector("a", CONFIG, None))
    until(lambda: trio["x"].led == [True, False, True])
    trio.create(tasks=3)
    trio.check()


def test_one_that_was_told_meanwhile_that_it_leads_no_more_does_not_claim_the_lead_back(trio: Workers) -> None:
    gate = Hold()
    trio["x"].writer.errors = [Fenced("another writes")]
    asked = trio["x"].ask(lambda: trio["x"].herder.actions.create_connector("a", CONFIG, None))
    trio["x"].ask(gate)
    trio["x"].membership.cut_off()
    gate.release.set()
    assert asked.exception(5) is not None
    until(lambda: trio["y"].led == [True])
    trio["x"].settle()
    assert trio["x"].led == [True, False]
    assert trio["z"].assignments.leader == trio["y"].me


def test_one_that_does_not_know_yet_that_it_was_cut_off_does_not_claim_the_lead_back(trio: Workers) -> None:
    """Halted for a while, it goes on before anybody tells it: what it knows of the members is of the past, and whoever came since
    would lose what he runs without being asked."""
    old, new = trio.present.pop("x"), trio["y"]
    old.membership.cut_off(told=False)
    until(lambda: new.led == [True])
    assert trio.refusal(old, lambda: old.herder.actions.create_connector("a", {**CONFIG, "name": "a"}, None))[0] in (409, 500)
    tried, follow = threading.Event(), old.herder._leadership.follow

    def once_more() -> None:
        follow()
        tried.set()

    old.herder._leadership.follow = once_more  # type: ignore[method-assign]
    old.herder._loop.post(old.herder._leadership.follow)
    assert tried.wait(5)
    trio.create(tasks=3)
    assert (old.led, new.led) == ([True, False], [True])
    assert trio["z"].assignments.leader == new.me
    old.herder.stop()


# --- taking over ------------------------------------------------------------------------------------------------------


def test_a_lead_that_kafka_does_not_take_at_once_is_taken_later_and_told_of() -> None:
    herding = Herding()
    herding.writer.errors = [LogError("no leader"), LogError("no leader")]
    with herding.started():
        until(lambda: herding.led == [True], "It leads, and says so")
        herding.call(lambda: herding.herder.actions.create_connector("a", {**CONFIG, "name": "a"}, None))
        until(lambda: herding.state(TaskId("a", 0)) == "RUNNING")


def test_tasks_wanted_while_nobody_leads_are_committed_by_the_next_leader(trio: Workers) -> None:
    trio.create(tasks=3, color="red")
    owner = trio.owner("a")
    if owner is trio["x"]:
        trio.stop("x")
        owner = trio.owner("a")
        trio.start("x")
    hold = Hold()
    owner.plugins.on["task_configs", "a"] = hold
    leader = trio.leader
    leader.call(lambda: leader.herder.actions.put_connector_config("a", {**CONFIG, "name": "a", "tasks": "3", "color": "blue"}))
    assert hold.entered.wait(5)
    dead = trio.deafen(leader.worker_id)
    hold.release.set()
    trio.settle()
    assert trio.leader.config_keys().count("commit-a") == 1, "nobody has committed them"
    trio.miss(dead)
    entry = trio.leader.entry("a")
    assert entry is not None
    assert [task["color"] for task in entry.task_configs()] == ["blue"] * 3
    assert all(
        worker.runner.specs[t].config["color"] == "blue" for worker in trio.present.values() for t in worker.runner.running
    )
    trio.check()


def test_tasks_that_a_new_leader_could_not_commit_at_once_are_committed_later() -> None:
    cluster = Cluster()
    configs = another_hand(cluster.config_topic)
    configs.put_connector("a", {**CONFIG, "name": "a", "tasks": "2"})
    configs.put_target_state("a", TargetState.PAUSED)
    revision = configs.snapshot().connectors["a"].revision
    herding = Herding(cluster=cluster)
    former = Herding(cluster=cluster, worker_id="former")
    former.assignments.start()
    former.assignments.want_tasks("a", revision, [{"n": "0"}, {"n": "1"}])
    # The first write is the assignment; the tasks come after it.
    write, errors = herding.writer.write, [LogError("no leader")]

    def failing(parts: object) -> object:
        if any(record.key == b"commit-a" for part in parts for record in part.records) and errors:  # type: ignore[attr-defined]
            raise errors.pop()
        return write(parts)  # type: ignore[arg-type]

    herding.writer.write = failing  # type: ignore[method-assign, assignment]
    with herding.started():
        until(lambda: "commit-a" in herding.config_keys(), "They are committed in the end")
        until(lambda: herding.runner.running == {TaskId("a", 0): True, TaskId("a", 1): True})


def test_a_connector_on_another_worker_gets_its_tasks_from_the_leader(trio: Workers) -> None:
    for name in "abc":
        trio.create(name, tasks=2)
    owners = {trio.owner(name).worker_id for name in "abc"}
    assert owners == {"x", "y", "z"}
    for name in "abc":
        assert trio.leader.config_keys().count(f"commit-{name}") == 1
        trio.put(name, tasks=3)
        assert trio.leader.config_keys().count(f"commit-{name}") == 2
    trio.check()


def test_tasks_wanted_from_a_config_that_was_replaced_are_not_committed(trio: Workers) -> None:
    for name in "abc":
        trio.create(name, tasks=2, color="red")
    name = next(name for name in "abc" if trio.owner(name).worker_id != "x")
    stale = trio.leader.entry(name)
    assert stale is not None
    trio.put(name, tasks=2, color="blue")
    trio.owner(name).assignments.want_tasks(name, stale.revision, [{"color": "red"}])
    trio.settle()
    entry = trio.leader.entry(name)
    assert entry is not None
    assert [task["color"] for task in entry.task_configs()] == ["blue", "blue"]


def test_statuses_of_another_cluster_do_not_stand_in_the_way() -> None:
    """Kafka Connect counts generations of its own, and may be ahead of ours."""
    cluster = Cluster()
    foreign = StatusStore(MemoryLog(cluster.status_topic))
    foreign.start()
    foreign.put("a", Status(State.RUNNING, "java:8083", 57))
    foreign.put(TaskId("a", 0), Status(State.RUNNING, "java:8083", 31))
    configs = another_hand(cluster.config_topic)
    configs.put_connector("a", {**CONFIG, "name": "a", "tasks": "1"})
    configs.put_tasks("a", [{"n": "0", "color": ""}])
    herding = Herding(cluster=cluster)
    with herding.started():
        herding.settle()
        for instance in all_of("a", 1):
            status = herding.status(instance)
            assert status == Status(State.RUNNING, herding.worker_id, ANY, None, ANY)
            assert status is not None
            assert status.generation > 57


def test_a_new_leader_buries_what_the_last_one_did_not() -> None:
    with workers("x", "y") as group:
        group.create(tasks=2)
        group.leader.statuses.put(TaskId("gone", 3), Status(State.RUNNING, "old"))
        group.crash("x")
        assert group.leader.state(TaskId("gone", 3)) is None
        group.check()


# --- what is remembered -----------------------------------------------------------------------------------------------


def test_everybody_who_is_there_is_known_by_what_it_said_of_itself(trio: Workers) -> None:
    assert set(trio.leader.assignments.snapshot().workers) == {worker.me for worker in trio.present.values()}


def test_one_that_has_introduced_itself_is_not_forgotten_before_it_has_joined() -> None:
    with workers("x") as group:
        newcomer, join = group.prepared("y"), group.cluster.group.join

        def late(*arguments: object) -> None:
            group.create(tasks=2)
            join(*arguments)  # type: ignore[arg-type]

        group.cluster.group.join = late  # type: ignore[method-assign, assignment]
        newcomer.herder.start()
        group.present["y"] = newcomer
        group.settle()
        assert set(group.leader.assignments.snapshot().workers) == {group["x"].me, newcomer.me}


def test_one_that_was_cut_off_for_a_while_is_known_again(trio: Workers) -> None:
    away = trio.cut_off("y")
    trio.create(tasks=3)
    trio.rejoin(away)
    assert set(trio.leader.assignments.snapshot().workers) == {worker.me for worker in trio.present.values()}


def test_what_the_dead_said_is_forgotten(trio: Workers) -> None:
    trio.create(tasks=3)
    trio.crash("z")
    trio.start("z", life="2")
    trio.delete("a")
    trio.create("b", tasks=3)
    assert set(trio.leader.assignments.snapshot().workers) == {worker.me for worker in trio.present.values()}
    assert set(trio.leader.assignments.wanted_tasks()) <= {"b"}


def test_nothing_is_written_when_nothing_has_changed(trio: Workers) -> None:
    trio.create(tasks=3)
    before = len(trio.cluster.assignment_topic.records)
    trio.leader.call(trio.leader.herder.leader.balance)
    trio.cluster.group.tell()
    trio.settle()
    assert len(trio.cluster.assignment_topic.records) == before


def test_starting_many_tasks_takes_few_assignments(trio: Workers) -> None:
    trio.create(tasks=60)
    assert trio.counts() == [20, 20, 20]
    assert trio.leader.assignments.epoch <= 10
    assert [trio.starts(task) for task in tasks_of("a", 60)] == [1] * 60
