"""Several workers of one group: who runs what while they come, go, die and come back."""

from collections.abc import Iterator
from dataclasses import replace

import pytest

from tests.unit.workers.herder.group import Hold, Workers, all_of, tasks_of, workers
from workers.herder.states import State, TargetState
from workers.storage.records import status_of, status_record

NINE = tasks_of("a", 9)
ONCE: list[str | None] = ["RUNNING"]


@pytest.fixture
def trio() -> Iterator[Workers]:
    """Workers x, y and z; x leads."""
    with workers("x", "y", "z") as group:
        yield group


def test_tasks_are_spread_evenly_and_each_is_started_once(trio: Workers) -> None:
    trio.create(tasks=9)
    assert trio.counts() == [3, 3, 3]
    assert [trio.starts(task) for task in NINE] == [1] * 9
    assert sum(worker.plugins.count("start") for worker in trio.present.values()) == 1
    assert [trio.leader.states(task) for task in NINE] == [ONCE] * 9
    trio.check()


def test_connectors_are_spread_too(trio: Workers) -> None:
    for name in "abcdef":
        trio.create(name, tasks=1)
    started = [sum(worker.plugins.count("start", name) for name in "abcdef") for worker in trio.present.values()]
    assert (started, trio.counts()) == ([2, 2, 2], [2, 2, 2])
    trio.check()


def test_everybody_shows_the_same(trio: Workers) -> None:
    trio.create(tasks=3)
    for instance in all_of("a", 3):
        owner = trio.owner(instance)
        assert trio.shown(instance) == f"RUNNING on {owner.worker_id}"


def test_target_states_reach_all_workers(trio: Workers) -> None:
    trio.create(tasks=6)
    trio.leader.call(lambda: trio.leader.herder.actions.set_target_state("a", TargetState.PAUSED))
    trio.settle()
    assert all(list(worker.runner.running.values()) == [True, True] for worker in trio.present.values())
    assert {trio.leader.state(instance) for instance in all_of("a", 6)} == {"PAUSED"}
    trio.leader.call(lambda: trio.leader.herder.actions.set_target_state("a", TargetState.STOPPED))
    trio.settle()
    assert trio.counts() == [0, 0, 0]
    assert [trio.leader.state(task) for task in tasks_of("a", 6)] == [None] * 6


def test_a_new_config_reaches_the_tasks_wherever_they_are(trio: Workers) -> None:
    trio.create(tasks=6, color="red")
    trio.put(tasks=6, color="blue")
    colors = [worker.runner.specs[task].config["color"] for worker in trio.present.values() for task in worker.runner.running]
    assert colors == ["blue"] * 6
    trio.check()


def test_fewer_and_more_tasks_stay_even(trio: Workers) -> None:
    trio.create(tasks=9)
    trio.put(tasks=3)
    assert trio.counts() == [1, 1, 1]
    assert [trio.leader.state(task) for task in NINE] == ["RUNNING"] * 3 + [None] * 6
    trio.put(tasks=9)
    assert trio.counts() == [3, 3, 3]
    trio.check()


# --- joins ------------------------------------------------------------------------------------------------------------


def test_a_newcomer_takes_its_share_and_what_stays_does_not_notice() -> None:
    with workers("x", "y") as group:
        group.create(tasks=9)
        before = group.tasks()
        group.start("z")
        after = group.tasks()
        assert group.counts() == [3, 3, 3]
        for name in ("x", "y"):
            assert after[name] < before[name]
            assert all(group.starts(task) == 1 and group.stops(task) == 0 for task in after[name])
        for task in after["z"]:
            assert (group.starts(task), group.stops(task)) == (2, 1)
            assert group.leader.states(task) == ["RUNNING", "UNASSIGNED", "RUNNING"]
        group.check()


def test_a_newcomer_starts_nothing_before_its_holder_has_stopped_it() -> None:
    with workers("x") as group:
        group.create(tasks=2)
        holds = {task: Hold() for task in tasks_of("a", 2)}
        for task, hold in holds.items():
            group["x"].runner.on["stop", task] = hold
        newcomer = group.prepared("y")
        newcomer.herder.start()
        moving = next(task for task, hold in holds.items() if hold.entered.wait(1))
        newcomer.settle()
        assert newcomer.runner.calls == []
        for hold in holds.values():
            hold.release.set()
        group.present["y"] = newcomer
        group.settle()
        assert newcomer.runner.running == {moving: False}
        group.check()


def test_what_is_paused_is_paused_where_it_moves_to() -> None:
    with workers("x") as group:
        group.create(tasks=4)
        group.leader.call(lambda: group.leader.herder.actions.set_target_state("a", TargetState.PAUSED))
        group.settle()
        group.start("y")
        assert list(group["y"].runner.running.values()) == [True, True]
        assert group.leader.state(next(iter(group["y"].runner.running))) == "PAUSED"
        group.check()


# --- leaves -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("leaver", ["x", "y", "z"])
def test_what_one_had_that_leaves_runs_elsewhere_and_the_rest_does_not_notice(trio: Workers, leaver: str) -> None:
    trio.create(tasks=9)
    before = trio.tasks()
    gone = trio.stop(leaver)
    assert gone.runner.running == {}
    assert trio.counts() == [4, 5]
    for name, tasks in trio.tasks().items():
        assert tasks > before[name]
        assert [trio.leader.states(task) for task in before[name]] == [ONCE] * 3
    for task in before[leaver]:
        assert trio.leader.states(task) == ["RUNNING", "UNASSIGNED", "RUNNING"]
    trio.check()


@pytest.mark.parametrize("dead", ["x", "y", "z"])
def test_what_one_had_that_dies_runs_elsewhere_and_is_unassigned_in_between(trio: Workers, dead: str) -> None:
    trio.create(tasks=9)
    before = trio.tasks()
    trio.crash(dead)
    assert trio.counts() == [4, 5]
    for task in before[dead]:
        assert trio.leader.states(task) == ["RUNNING", "UNASSIGNED", "RUNNING"]
        assert trio.starts(task) == 2
    trio.check()


def test_a_failed_task_is_unassigned_with_its_worker_and_tried_again(trio: Workers) -> None:
    trio.create(tasks=3)
    task = next(iter(trio.tasks()["y"]))
    trio["y"].runner.fail(task, OSError("gone"))
    trio.crash("y")
    assert trio.leader.states(task) == ["RUNNING", "FAILED", "UNASSIGNED", "RUNNING"]
    status = trio.leader.status(task)
    assert status is not None
    assert status.trace is None


def test_the_last_one_takes_everything(trio: Workers) -> None:
    trio.create(tasks=9)
    trio.crash("x")
    trio.stop("y")
    assert trio.tasks() == {"z": set(NINE)}
    trio.check()


# --- being cut off ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("apart", ["x", "y"])
def test_one_that_is_cut_off_stops_everything_and_gets_its_own_back(trio: Workers, apart: str) -> None:
    trio.create(tasks=9)
    before = trio.tasks()
    away = trio.cut_off(apart)
    assert away.runner.running == {}
    assert trio.counts() == [4, 5]
    trio.check()
    trio.rejoin(away)
    assert trio.tasks() == before
    trio.check()


def test_one_that_comes_back_in_another_life_gets_its_own_back(trio: Workers) -> None:
    trio.create(tasks=9)
    before = trio.tasks()
    trio.crash("y")
    trio.start("y", life="2")
    assert trio.tasks() == before
    trio.check()


def test_one_whose_next_life_comes_before_the_group_misses_the_first_gets_its_own_at_last(trio: Workers) -> None:
    trio.create(tasks=9)
    before = trio.tasks()
    dead = trio.deafen("y")
    trio.start("y", life="2")
    trio.miss(dead)
    assert trio.counts() == [3, 3, 3]
    assert trio.tasks()["y"] <= before["y"] | before["x"] | before["z"]
    trio.check()


def test_one_that_is_back_before_it_has_stopped_what_it_lost_may_not_write(trio: Workers) -> None:
    """Its thread may be waiting for Kafka, which went away with the group, for longer than it takes to join again. What it ran
    runs elsewhere by then."""
    trio.create(tasks=9)
    away = trio.present.pop("y")
    gate = Hold()
    away.ask(gate)
    assert gate.entered.wait(5)
    trio.ledger.dead.add(away.process)
    away.membership.cut_off()
    trio.settle()
    away.membership.come_back()
    twice = set(away.runner.running) & set().union(*trio.tasks().values())
    assert twice, "it has not heard of anything yet"
    assert not away.herder._group.holds()
    gate.release.set()
    trio.present["y"] = away
    trio.settle()
    assert away.herder._group.holds()
    trio.check()


def test_one_that_is_back_before_the_leader_noticed_that_it_was_gone_starts_nothing_of_before(trio: Workers) -> None:
    """What is assigned to it still is about to be given to others."""
    trio.create(tasks=9)
    away, gate = trio["y"], Hold()
    trio.leader.ask(gate)
    assert gate.entered.wait(5)
    away.membership.cut_off()
    away.settle()
    away.membership.come_back()
    away.settle()
    assert away.runner.running == {}
    gate.release.set()
    trio.settle()
    assert away.runner.running != {}
    trio.check()


@pytest.mark.parametrize("later", [False, True], ids=["at once", "some assignments later"])
def test_what_a_cut_off_worker_still_says_is_not_believed(trio: Workers, later: bool) -> None:
    """It has stopped late, when others run already what it had. It still reads the assignments: that it knows of the newest
    gives its word no weight."""
    trio.create(tasks=3)
    away, task, hold = trio.cut_off_while_it_stops("y")
    shown = trio.shown(task)
    assert shown.startswith("RUNNING on ")
    if later:
        trio.create("b", tasks=3)
        trio.delete("b")
        away.call(lambda: None)
    hold.release.set()
    away.settle()
    away.runner.fail(task, OSError("late"))
    away.settle()
    assert trio.shown(task) == shown
    trio.check()


def test_a_late_word_does_not_outlive_the_truth_when_the_topic_is_compacted(trio: Workers) -> None:
    """Who was cut off may write at the very moment at which its successor does. Tomorrow only the last record is there."""
    trio.create(tasks=3)
    task = next(iter(trio.tasks()["y"]))
    said = trio["y"].status(task)
    assert said is not None
    trio.cut_off("y")
    late = replace(said, state=State.UNASSIGNED)
    trio.cluster.status_topic.append([status_record(task, late)])
    trio.settle()
    trio.check()
    last = [record for record in trio.cluster.status_topic.records if record.key == b"status-task-%s" % str(task).encode()][-1]
    assert status_of(last.value, last.headers) == trio.leader.status(task)


# --- deletions --------------------------------------------------------------------------------------------------------


def test_a_deleted_connector_leaves_nothing_anywhere(trio: Workers) -> None:
    trio.create(tasks=9)
    trio.create("b", tasks=3)
    trio.delete("a")
    assert [trio.leader.states(instance) for instance in all_of("a", 9)] == [["RUNNING", None]] * 10
    assert trio.counts() == [1, 1, 1]
    assert {str(instance) for instance in trio.leader.assignments.snapshot().places} == {"b", "b-0", "b-1", "b-2"}
    trio.check()


@pytest.mark.parametrize("dead", ["x", "y", "z"])
def test_a_connector_that_is_deleted_when_an_owner_has_died_leaves_no_status(trio: Workers, dead: str) -> None:
    trio.create(tasks=9)
    missing = trio.deafen(dead)
    if dead == "x":
        trio.miss(missing)
        trio.delete("a")
    else:
        trio.delete("a")
        assert set(trio.leader.assignments.snapshot().places) >= set(missing.runner.running), "it may still run there"
        trio.miss(missing)
    assert [trio.leader.state(instance) for instance in all_of("a", 9)] == [None] * 10
    assert trio.leader.assignments.snapshot().places == {}


def test_what_a_cut_off_worker_says_of_what_has_been_deleted_since_does_not_bring_it_back(trio: Workers) -> None:
    """A tombstone leaves nothing to compare its word with."""
    trio.create(tasks=3)
    away, task, hold = trio.cut_off_while_it_stops("y")
    trio.delete("a")
    assert trio.leader.state(task) is None
    hold.release.set()
    away.settle()
    trio.settle()
    assert trio.leader.state(task) is None


def test_a_task_that_ceases_to_be_when_its_owner_has_died_leaves_no_status(trio: Workers) -> None:
    trio.create(tasks=9)
    connector = trio.owner("a").worker_id
    dead = next(name for name in "yz" if name != connector)
    missing = trio.deafen(dead)
    trio.put(tasks=1)
    trio.miss(missing)
    assert [trio.leader.state(task) for task in NINE] == ["RUNNING"] + [None] * 8
    trio.check()


def test_created_again_while_its_owner_is_still_stopping_it(trio: Workers) -> None:
    trio.create(tasks=3, color="red")
    task = next(iter(trio.tasks()["y"]))
    hold = Hold()
    trio["y"].runner.on["stop", task] = hold
    actions = trio.leader.herder.actions
    trio.leader.call(lambda: actions.delete_connector("a"))
    assert hold.entered.wait(5)
    config = {"connector.class": "fake.Source", "tasks.max": "9", "name": "a", "tasks": "3", "color": "blue"}
    trio.leader.call(lambda: actions.create_connector("a", config, None))
    hold.release.set()
    trio.settle()
    trio.check()
    assert trio.shown(task).startswith("RUNNING")
    for worker in trio.present.values():
        assert all(worker.runner.specs[running].config["color"] == "blue" for running in worker.runner.running)


def test_one_that_was_halted_does_not_bury_the_new_one_of_a_name_that_it_knew(trio: Workers) -> None:
    """It reads on where it stopped, and first of all that its connector has been deleted."""
    trio.create(tasks=3)
    halted = trio.present.pop("y")
    cluster = trio.cluster
    sources = [
        (cluster.config_topic, halted.configs._on_record),
        (cluster.status_topic, halted.statuses._on_record),
        (cluster.assignment_topic, halted.assignments._on_record),
    ]
    read_to = [len(topic.records) for topic, _ in sources]
    for topic, reader in sources:
        topic.readers.remove(reader)
    trio.ledger.dead.add(halted.process)
    cluster.group.leave(halted.me)
    trio.settle()
    trio.delete("a")
    trio.create(tasks=3)
    for (topic, reader), start in zip(sources, read_to, strict=True):
        for record in topic.records[start:]:
            reader(record)
            halted.settle()
    trio.settle()
    assert halted.runner.running == {}
    trio.check()
    trio._gone.append(halted)
