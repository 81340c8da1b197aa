"""A connector's life as the herder leads it: what is started, stopped, committed and said of it."""

import threading
from collections.abc import Callable, Mapping

import pytest

from tests.fakes import VERSION, WORKER, Herding, another_hand, until
from workers.herder import leadership
from workers.herder.actions import Done
from workers.herder.errors import HerderError
from workers.herder.ports import TaskSpec
from workers.herder.states import State, TargetState
from workers.herder.values import Config, ConnectorInfo, InstanceId, RestartRequest, Status, TaskId
from workers.storage.log import Fenced, LogError
from workers.storage.memory_log import MemoryLog
from workers.storage.status_store import StatusStore

STARTED, PAUSED, STOPPED = TargetState.STARTED, TargetState.PAUSED, TargetState.STOPPED
T0, T1, T2 = TaskId("a", 0), TaskId("a", 1), TaskId("a", 2)


def config(name: str = "a", **more: str) -> dict[str, str]:
    return {"name": name, "connector.class": "fake.Source", "tasks.max": "10", **more}


def create(
    herding: Herding, initial: TargetState | None = None, name: str = "a", more: Mapping[str, str] = {}, **and_more: str
) -> ConnectorInfo:
    """A connector of two tasks, unless told otherwise, with all that follows from its creation done."""
    given = config(name, **{"tasks": "2", **more, **and_more})
    info = herding.call(lambda: herding.herder.actions.create_connector(name, given, initial)).result[1]
    herding.settle()
    assert isinstance(info, ConnectorInfo)
    return info


def put(herding: Herding, **more: str) -> Done:
    done = herding.call(lambda: herding.herder.actions.put_connector_config("a", config(**more)))
    herding.settle()
    assert isinstance(done, Done)
    return done


def target(herding: Herding, state: TargetState) -> None:
    herding.call(lambda: herding.herder.actions.set_target_state("a", state))
    herding.settle()


def delete(herding: Herding) -> None:
    herding.call(lambda: herding.herder.actions.delete_connector("a"))
    herding.settle()


def boom(text: str = "boom") -> Callable[[], None]:
    def fail() -> None:
        raise RuntimeError(text)

    return fail


def trace_of(herding: Herding, instance: str | TaskId = "a") -> str:
    status = herding.status(instance)
    assert status is not None
    return (status.trace or "").splitlines()[0]


# --- creation ---------------------------------------------------------------------------------------------------------


def test_a_created_connector_runs_and_so_do_the_tasks_it_asked_for(herding: Herding) -> None:
    info = create(herding, color="red")
    assert info == ConnectorInfo("a", config(tasks="2", color="red"), [], "source")
    assert herding.config_keys() == ["connector-a", "task-a-0", "task-a-1", "commit-a"]
    # The first assignment is of nothing, the second of the connector, the third of its tasks, too.
    for instance, epoch in (("a", 2), (T0, 3), (T1, 3)):
        assert herding.status(instance) == Status(State.RUNNING, WORKER, epoch, None, VERSION)
    assert herding.runner.running == {T0: False, T1: False}
    assert herding.runner.specs[T1] == TaskSpec(T1, {"n": "1", "color": "red"}, config(tasks="2", color="red"), 2)
    assert herding.plugins.calls == [("create", "a"), ("start", "a"), ("task_configs", "a")]


@pytest.mark.parametrize(
    ("initial", "connector", "tasks", "keys"),
    [
        (STARTED, "RUNNING", ["RUNNING", "RUNNING"], ["target-state-a", "connector-a", "task-a-0", "task-a-1", "commit-a"]),
        (PAUSED, "PAUSED", [None, None], ["target-state-a", "connector-a"]),
        (STOPPED, "STOPPED", [None, None], ["target-state-a", "connector-a"]),
    ],
)
def test_a_connector_is_created_in_the_state_asked_for(
    herding: Herding, initial: TargetState, connector: str, tasks: list[str | None], keys: list[str]
) -> None:
    create(herding, initial)
    assert herding.state() == connector
    assert [herding.state(T0), herding.state(T1)] == tasks
    assert herding.config_keys() == keys
    assert herding.plugins.count("start") == (1 if initial is STARTED else 0)


@pytest.mark.parametrize("initial", [PAUSED, STOPPED])
def test_resuming_one_that_never_ran_starts_it(herding: Herding, initial: TargetState) -> None:
    create(herding, initial)
    target(herding, STARTED)
    assert (herding.states(), herding.state(T0), herding.state(T1)) == ([initial, "RUNNING"], "RUNNING", "RUNNING")


@pytest.mark.parametrize("call", ["create", "start", "task_configs"])
def test_a_connector_that_cannot_start_fails_with_a_trace_and_has_no_tasks(herding: Herding, call: str) -> None:
    herding.plugins.on[call, "a"] = boom("no database")
    create(herding)
    assert herding.state() == "FAILED"
    assert trace_of(herding) == "RuntimeError: no database"
    assert herding.runner.calls == []
    assert "commit-a" not in herding.config_keys()


def test_a_connector_that_ends_its_process_only_fails(herding: Herding) -> None:
    def leave() -> None:
        raise SystemExit("goodbye")

    herding.plugins.on["start", "a"] = leave
    create(herding)
    assert (herding.state(), trace_of(herding)) == ("FAILED", "SystemExit: goodbye")
    create(herding, name="b")
    assert herding.state("b") == "RUNNING"


def test_a_task_that_cannot_start_fails_alone(herding: Herding) -> None:
    herding.runner.on["start", T0] = boom("no file")
    create(herding)
    assert (herding.state(), herding.state(T0), herding.state(T1)) == ("RUNNING", "FAILED", "RUNNING")
    assert trace_of(herding, T0) == "RuntimeError: no file"


def test_a_task_that_fails_later_says_why(herding: Herding) -> None:
    create(herding)
    herding.runner.fail(T1, OSError("disk full"))
    assert (herding.states(T1), trace_of(herding, T1)) == (["RUNNING", "FAILED"], "OSError: disk full")
    assert (herding.state(), herding.state(T0)) == ("RUNNING", "RUNNING")


def test_a_task_that_fails_while_it_is_being_started_stays_failed(herding: Herding) -> None:
    herding.runner.on["start", T0] = lambda: herding.runner.fail(T0, OSError("at once"))
    create(herding)
    assert herding.states(T0) == ["FAILED"]


def test_a_failure_is_told_once(herding: Herding) -> None:
    create(herding)
    herding.runner.fail(T0, OSError("first"))
    herding.runner.fail(T0, OSError("second"))
    assert (herding.states(T0), trace_of(herding, T0)) == (["RUNNING", "FAILED"], "OSError: first")


def test_a_connector_that_hangs_holds_up_nobody_else(herding: Herding) -> None:
    release = threading.Event()
    herding.plugins.on["start", "a"] = lambda: release.wait(5)
    herding.call(lambda: herding.herder.actions.create_connector("a", config(), None))
    herding.call(lambda: herding.herder.actions.create_connector("b", config("b"), None))
    until(lambda: herding.state(TaskId("b", 0)) == "RUNNING")
    assert herding.state() is None
    release.set()
    herding.settle()
    assert herding.state() == "RUNNING"


# --- tasks.max --------------------------------------------------------------------------------------------------------


def test_more_tasks_than_allowed_fail_the_connector(herding: Herding) -> None:
    create(herding, more={"tasks": "3", "tasks.max": "2"})
    assert herding.state() == "FAILED"
    assert trace_of(herding) == (
        "workers.herder.connector_run.TooManyTasks: The connector a has generated 3 tasks, which is greater than 2, the maximum "
        "number of tasks it is configured to create. This behaviour should be considered a bug and is disallowed. If necessary, "
        "it can be permitted by reconfiguring the connector with 'tasks.max.enforce' set to false; however, this option will be "
        "removed in a future release of Kafka Connect."
    )
    assert herding.runner.calls == []


@pytest.mark.parametrize(("enforce", "expected"), [("false", "RUNNING"), ("FALSE", "RUNNING"), ("true", "FAILED")])
def test_the_maximum_can_be_lifted(herding: Herding, enforce: str, expected: str) -> None:
    create(herding, more={"tasks": "3", "tasks.max": "2", "tasks.max.enforce": enforce})
    assert herding.state() == expected
    assert len(herding.runner.running) == (3 if expected == "RUNNING" else 0)


def test_as_many_tasks_as_allowed_are_not_too_many(herding: Herding) -> None:
    create(herding, more={"tasks": "2", "tasks.max": "2"})
    assert herding.state() == "RUNNING"


# --- target states ----------------------------------------------------------------------------------------------------


def test_pause_and_resume_keep_the_tasks(herding: Herding) -> None:
    create(herding)
    target(herding, PAUSED)
    assert herding.runner.running == {T0: True, T1: True}
    assert (herding.state(), herding.state(T0), herding.state(T1)) == ("PAUSED", "PAUSED", "PAUSED")
    target(herding, STARTED)
    assert herding.runner.running == {T0: False, T1: False}
    assert (herding.states(), herding.states(T0)) == (["RUNNING", "PAUSED", "RUNNING"],) * 2
    assert (herding.plugins.count("start"), herding.plugins.count("stop")) == (2, 1)
    assert (herding.runner.count("start", T0), herding.runner.count("stop", T0)) == (1, 0)
    assert herding.config_keys().count("commit-a") == 1, "the same tasks are not committed again"


def test_stop_removes_the_tasks_and_resume_makes_them_anew(herding: Herding) -> None:
    create(herding)
    target(herding, STOPPED)
    assert (herding.state(), herding.states(T0), herding.runner.running) == ("STOPPED", ["RUNNING", None], {})
    entry = herding.entry()
    assert entry is not None
    assert (entry.task_ids(), entry.target_state) == ([], STOPPED)
    target(herding, STARTED)
    assert (herding.state(), herding.state(T0), herding.state(T1)) == ("RUNNING", "RUNNING", "RUNNING")
    assert herding.states() == ["RUNNING", "STOPPED", "RUNNING"]
    assert herding.runner.running == {T0: False, T1: False}


def test_pausing_a_stopped_connector_gives_it_no_tasks(herding: Herding) -> None:
    create(herding)
    target(herding, STOPPED)
    target(herding, PAUSED)
    assert (herding.state(), herding.state(T0), herding.runner.running) == ("PAUSED", None, {})


def test_a_target_state_that_is_there_already_is_written_and_changes_nothing(herding: Herding) -> None:
    create(herding)
    target(herding, STARTED)
    assert herding.config_keys()[-1] == "target-state-a"
    assert (herding.states(), herding.plugins.count("start")) == (["RUNNING"], 1)


@pytest.mark.parametrize("order", [(PAUSED, STARTED), (PAUSED, PAUSED, STARTED)])
def test_a_failed_task_stays_failed_when_paused_and_resumed(herding: Herding, order: tuple[TargetState, ...]) -> None:
    create(herding)
    herding.runner.fail(T0, OSError("gone"))
    for state in order:
        target(herding, state)
    assert herding.states(T0) == ["RUNNING", "FAILED"]
    assert (herding.runner.count("pause", T0), herding.runner.count("resume", T0)) == (0, 1), "as it began"
    assert herding.state(T1) == "RUNNING"


def test_a_task_that_fails_in_its_last_step_before_the_pause_stays_failed(herding: Herding) -> None:
    """The runner waits for the running step; that step may be the one that fails."""
    create(herding)
    herding.runner.on["pause", T0] = lambda: herding.runner.fail(T0, OSError("last step"))
    target(herding, PAUSED)
    assert herding.states(T0) == ["RUNNING", "FAILED"]


def test_a_failed_connector_stays_failed_when_paused_and_is_tried_again_when_resumed(herding: Herding) -> None:
    herding.plugins.on["start", "a"] = boom()
    create(herding)
    target(herding, PAUSED)
    assert herding.states() == ["FAILED"]
    del herding.plugins.on["start", "a"]
    target(herding, STARTED)
    assert (herding.states(), herding.state(T0)) == (["FAILED", "RUNNING"], "RUNNING")


def test_a_failed_connector_that_fails_again_when_resumed_says_why_this_time(herding: Herding) -> None:
    herding.plugins.on["start", "a"] = boom("first")
    create(herding)
    target(herding, PAUSED)
    herding.plugins.on["start", "a"] = boom("second")
    target(herding, STARTED)
    assert (herding.state(), trace_of(herding)) == ("FAILED", "RuntimeError: second")


def test_stopping_a_failed_connector_is_a_clean_slate(herding: Herding) -> None:
    herding.plugins.on["start", "a"] = boom()
    create(herding)
    target(herding, STOPPED)
    assert herding.states() == ["FAILED", "STOPPED"]


def test_a_connector_that_cannot_be_stopped_for_a_pause_has_failed(herding: Herding) -> None:
    herding.plugins.on["stop", "a"] = boom("stuck")
    create(herding)
    target(herding, PAUSED)
    assert (herding.state(), trace_of(herding)) == ("FAILED", "RuntimeError: stuck")


# --- new configs ------------------------------------------------------------------------------------------------------


def test_an_identical_config_restarts_the_connector_and_not_its_tasks(herding: Herding) -> None:
    create(herding)
    created, info = put(herding, tasks="2").result
    assert (created, info.tasks) == (False, [T0, T1])
    assert (herding.plugins.count("start"), herding.plugins.count("stop")) == (2, 1)
    assert (herding.runner.count("start", T0), herding.runner.count("stop", T0)) == (1, 0)
    assert herding.config_keys().count("commit-a") == 1
    assert (herding.states(), herding.states(T0)) == (["RUNNING", "RUNNING"], ["RUNNING"])


def test_a_changed_config_restarts_connector_and_tasks(herding: Herding) -> None:
    create(herding, color="red")
    put(herding, tasks="2", color="blue")
    assert (herding.plugins.count("start"), herding.plugins.count("stop")) == (2, 1)
    for task in (T0, T1):
        assert (herding.runner.count("start", task), herding.runner.count("stop", task)) == (2, 1)
        assert herding.runner.specs[task].config["color"] == "blue"
    assert herding.config_keys().count("commit-a") == 2


def test_a_change_that_reaches_no_task_config_restarts_the_tasks_all_the_same(herding: Herding) -> None:
    """A converter stands in the connector's config alone, and it is the tasks that convert."""
    create(herding)
    put(herding, tasks="2", **{"value.converter": "other"})
    assert herding.runner.count("start", T0) == 2
    assert herding.runner.specs[T0].connector_config["value.converter"] == "other"


def test_fewer_and_more_tasks(herding: Herding) -> None:
    create(herding)
    put(herding, tasks="1")
    assert (herding.runner.running, herding.state(T0), herding.states(T1)) == ({T0: False}, "RUNNING", ["RUNNING", None])
    put(herding, tasks="3")
    assert herding.runner.running == {T0: False, T1: False, T2: False}
    assert herding.runner.specs[T0].tasks == 3


def test_a_new_config_mends_a_failed_connector(herding: Herding) -> None:
    herding.plugins.on["start", "a"] = boom()
    create(herding)
    del herding.plugins.on["start", "a"]
    put(herding, tasks="1")
    assert (herding.states(), herding.state(T0)) == (["FAILED", "RUNNING"], "RUNNING")


def test_a_new_config_while_paused_reaches_the_tasks_on_resume(herding: Herding) -> None:
    create(herding, color="red")
    target(herding, PAUSED)
    put(herding, tasks="2", color="blue")
    assert (herding.state(), herding.runner.count("start", T0)) == ("PAUSED", 1)
    target(herding, STARTED)
    assert (herding.state(), herding.state(T0)) == ("RUNNING", "RUNNING")
    assert herding.runner.specs[T0].config["color"] == "blue"


def test_task_configs_from_a_config_that_was_replaced_meanwhile_are_not_committed(herding: Herding) -> None:
    create(herding, color="red")
    reached, release = threading.Event(), threading.Event()

    def hold() -> None:
        reached.set()
        release.wait(5)

    herding.plugins.on["task_configs", "a"] = hold
    herding.call(lambda: herding.herder.actions.put_connector_config("a", config(tasks="2", color="green")))
    assert reached.wait(5)
    herding.call(lambda: herding.herder.actions.put_connector_config("a", config(tasks="2", color="blue")))
    release.set()
    herding.settle()
    assert herding.runner.specs[T0].config["color"] == "blue"
    assert herding.config_keys().count("commit-a") == 2, "red and blue, never green"


def test_a_connector_that_asks_for_it_gets_the_tasks_that_it_wants_by_then(herding: Herding) -> None:
    create(herding, tasks="2")
    herding.plugins.tasks["a"] = 3
    herding.plugins.contexts["a"].request_task_reconfiguration()
    until(lambda: herding.runner.running == {T0: False, T1: False, T2: False}, "The third task runs")
    assert (herding.states(), herding.plugins.count("start")) == (["RUNNING"], 1)


def test_a_connector_that_asks_for_the_tasks_it_has_keeps_them_as_they_are(herding: Herding) -> None:
    create(herding)
    herding.plugins.contexts["a"].request_task_reconfiguration()
    until(lambda: herding.plugins.count("task_configs") == 2)
    herding.settle()
    assert (herding.config_keys().count("commit-a"), herding.runner.count("start", T0)) == (1, 1)


def test_a_connector_that_cannot_say_its_tasks_anew_has_failed_and_its_tasks_go_on(herding: Herding) -> None:
    create(herding)
    herding.plugins.on["task_configs", "a"] = boom()
    herding.plugins.contexts["a"].request_task_reconfiguration()
    until(lambda: herding.state() == "FAILED")
    assert herding.runner.running == {T0: False, T1: False}


def test_a_connectors_own_work_is_done_in_time(herding: Herding) -> None:
    create(herding)
    done = threading.Event()
    herding.plugins.contexts["a"].every(0.01, done.set)
    assert done.wait(5)
    done.clear()
    assert done.wait(5), "again and again"
    target(herding, PAUSED)
    done.clear()
    assert not done.wait(0.1)


def test_a_start_that_was_replaced_meanwhile_says_nothing(herding: Herding) -> None:
    reached, release = threading.Event(), threading.Event()

    def hold() -> None:
        reached.set()
        release.wait(5)

    herding.plugins.on["start", "a"] = hold
    herding.call(lambda: herding.herder.actions.create_connector("a", config(color="red"), None))
    assert reached.wait(5)
    herding.call(lambda: herding.herder.actions.put_connector_config("a", config(color="blue")))
    herding.call(lambda: None)
    release.set()
    herding.settle()
    assert (herding.plugins.count("start"), herding.states()) == (2, ["RUNNING"])


def test_a_connector_stopped_while_it_makes_its_tasks_gets_none(herding: Herding) -> None:
    reached, release = threading.Event(), threading.Event()

    def hold() -> None:
        reached.set()
        release.wait(5)

    herding.plugins.on["task_configs", "a"] = hold
    herding.call(lambda: herding.herder.actions.create_connector("a", config(), None))
    assert reached.wait(5)
    herding.call(lambda: herding.herder.actions.set_target_state("a", STOPPED))
    release.set()
    herding.settle()
    assert (herding.state(), herding.runner.calls) == ("STOPPED", [])


def test_a_connector_paused_and_resumed_while_it_starts_is_started_once(herding: Herding) -> None:
    reached, release = threading.Event(), threading.Event()

    def hold() -> None:
        reached.set()
        release.wait(5)

    herding.plugins.on["start", "a"] = hold
    herding.call(lambda: herding.herder.actions.create_connector("a", config(), None))
    assert reached.wait(5)
    for state in (PAUSED, STARTED, PAUSED, STARTED):
        herding.call(lambda s=state: herding.herder.actions.set_target_state("a", s))  # type: ignore[misc]
    herding.call(lambda: None)
    release.set()
    herding.settle()
    assert (herding.state(), herding.state(T0)) == ("RUNNING", "RUNNING")
    assert herding.plugins.count("start") - herding.plugins.count("stop") == 1


# --- deletion ---------------------------------------------------------------------------------------------------------


def test_a_deletion_stops_everything_and_buries_the_statuses(herding: Herding) -> None:
    create(herding)
    delete(herding)
    assert herding.config_keys()[-2:] == ["connector-a", "target-state-a"]
    assert [record.value for record in herding.config_topic.records[-2:]] == [None, None]
    assert [herding.states(instance) for instance in ("a", T0, T1)] == [["RUNNING", None]] * 3
    assert (herding.runner.running, herding.plugins.count("stop")) == ({}, 1)


def test_nothing_brings_a_deleted_connector_back(herding: Herding) -> None:
    create(herding)
    delete(herding)
    herding.runner.fail(T0, OSError("too late"))
    herding.configs.put_restart(RestartRequest("a", include_tasks=True))
    herding.configs.put_tasks("a", [{"n": "0"}])
    herding.configs.put_target_state("a", PAUSED)
    herding.settle()
    assert (herding.states(), herding.states(T0)) == (["RUNNING", None], ["RUNNING", None])
    assert (herding.plugins.count("start"), herding.runner.count("start", T0)) == (1, 1)


def test_a_connector_created_again_is_a_new_one(herding: Herding) -> None:
    create(herding, color="red")
    delete(herding)
    create(herding, tasks="1", color="blue")
    assert herding.states() == ["RUNNING", None, "RUNNING"]
    assert herding.runner.running == {T0: False}
    assert herding.runner.specs[T0].config["color"] == "blue"


def test_deleted_and_created_again_before_the_herder_has_looked(herding: Herding) -> None:
    create(herding, color="red")
    actions = herding.herder.actions

    def both() -> Done:
        actions.delete_connector("a")
        return actions.create_connector("a", config(tasks="1", color="blue"), None)

    herding.call(both)
    herding.settle()
    assert (herding.state(), herding.state(T0), herding.state(T1)) == ("RUNNING", "RUNNING", None)
    assert herding.runner.specs[T0].config["color"] == "blue"
    assert herding.runner.running == {T0: False}


# --- a worker's start and end -----------------------------------------------------------------------------------------


def test_a_worker_takes_up_what_the_topics_say(herding: Herding) -> None:
    create(herding)
    target(herding, PAUSED)
    herding.herder.stop()
    with Herding(cluster=herding.cluster, life="2").started() as second:
        second.settle()
        assert (second.state(), second.state(T0), second.state(T1)) == ("PAUSED", "PAUSED", "PAUSED")
        assert second.runner.running == {T0: True, T1: True}
        assert second.plugins.count("start") == 0


def test_a_graceful_stop_leaves_everything_unassigned(herding: Herding) -> None:
    create(herding)
    herding.herder.stop()
    assert [herding.states(instance)[-1] for instance in ("a", T0, T1)] == ["UNASSIGNED"] * 3
    assert (herding.runner.running, herding.plugins.count("stop")) == ({}, 1)
    assert (herding.config_topic.readers, herding.status_topic.readers) == ([], []), "it reads no more"


def test_after_the_stop_requests_are_refused(herding: Herding) -> None:
    herding.herder.stop()
    with pytest.raises(HerderError, match=r"^Worker is shutting down$"):
        herding.ask(Done).result(5)


def test_statuses_of_what_is_no_more_are_buried_at_the_start() -> None:
    herding = Herding()
    configs, statuses = another_hand(herding.config_topic), StatusStore(MemoryLog(herding.status_topic))
    statuses.start()
    configs.put_connector("a", config(tasks="1"))
    configs.put_tasks("a", [{"n": "0", "color": ""}])
    configs.put_connector("s", config("s"), STOPPED)
    stale: list[InstanceId] = ["gone", TaskId("gone", 0), TaskId("never", 3), T1, TaskId("s", 0)]
    for instance in (*stale, "a", T0, "s"):
        statuses.put(instance, Status(State.RUNNING, WORKER))
    with herding.started():
        herding.settle()
        assert [herding.states(instance) for instance in stale] == [["RUNNING", None]] * len(stale)
        assert [herding.state(instance) for instance in ("a", T0, "s")] == ["RUNNING", "RUNNING", "STOPPED"]


def test_an_inconsistent_task_set_is_made_anew() -> None:
    herding = Herding()
    configs = another_hand(herding.config_topic)
    configs.put_connector("a", config(tasks="2", color="red"))
    configs.put_tasks("a", [{"n": "0", "color": "red"}])
    # As compaction leaves it: the commit is there, of its two tasks none.
    herding.config_topic.records[-1] = herding.config_topic.records[-1]._replace(value=b'{"tasks":2}')
    with herding.started():
        herding.settle()
        entry = herding.entry()
        assert entry is not None
        assert (entry.inconsistent, entry.task_ids()) == (False, [T0, T1])
        assert herding.runner.running == {T0: False, T1: False}


def test_a_record_by_another_hand_counts_like_ones_own(herding: Herding) -> None:
    other = another_hand(herding.config_topic)
    other.put_connector("a", config(tasks="1"))
    herding.settle()
    assert (herding.state(), herding.state(T0)) == ("RUNNING", "RUNNING")
    other.remove_connector("a")
    herding.settle()
    assert (herding.state(), herding.runner.running) == (None, {})


# --- writing that fails -----------------------------------------------------------------------------------------------


def test_a_leader_that_was_fenced_steps_down_and_says_so(herding: Herding) -> None:
    herding.writer.errors = [Fenced("another writes")]
    with pytest.raises(HerderError) as raised:
        create(herding)
    assert raised.value.status == 500
    assert raised.value.message == (
        "Failed to write to config topic; this may be due to a transient error and the request can be safely retried"
    )
    assert herding.led == [True, False]
    assert herding.entry() is None


@pytest.fixture
def quick_retries(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(leadership, "_RETRY", 0.01)


@pytest.mark.usefixtures("quick_retries")
def test_a_leader_that_was_fenced_leads_again_when_the_group_still_says_so(herding: Herding) -> None:
    herding.writer.errors = [Fenced("another writes")]
    with pytest.raises(HerderError):
        create(herding)
    until(lambda: herding.led == [True, False, True], "It claims the lead back")
    create(herding)
    assert (herding.state(), herding.runner.running) == ("RUNNING", {T0: False, T1: False})


@pytest.mark.usefixtures("quick_retries")
def test_a_leader_that_is_fenced_while_it_commits_tasks_steps_down_and_commits_them_later(herding: Herding) -> None:
    create(herding)
    herding.plugins.on["task_configs", "a"] = lambda: herding.writer.errors.append(Fenced("another writes"))
    put(herding, tasks="1")
    until(lambda: herding.led == [True, False, True], "It steps down and leads again")
    until(lambda: herding.runner.running == {T0: False}, "The tasks are as they should be")


@pytest.mark.usefixtures("quick_retries")
def test_task_configs_that_could_not_be_written_are_tried_again(herding: Herding) -> None:
    create(herding)
    herding.plugins.on["task_configs", "a"] = lambda: herding.writer.errors.append(LogError("no leader"))
    put(herding, tasks="1")
    until(lambda: herding.runner.running == {T0: False}, "The tasks are as they should be")
    assert herding.led == [True]


@pytest.mark.parametrize(
    ("ask", "message"),
    [
        (lambda actions: actions.put_connector_config("a", {}), "Error writing connector configuration to Kafka"),
        (lambda actions: actions.delete_connector("a"), "Error removing connector configuration from Kafka"),
        (lambda actions: actions.set_target_state("a", PAUSED), "Error writing target state to Kafka"),
        (
            lambda actions: actions.restart_connector(RestartRequest("a", include_tasks=True)),
            "Error writing restart request for {connectorName='a', onlyFailed=false, includeTasks=true} to Kafka",
        ),
    ],
)
def test_a_write_that_kafka_did_not_take_changes_nothing(herding: Herding, ask: Callable[[object], Done], message: str) -> None:
    create(herding)
    before = (herding.entry(), len(herding.config_topic.records), len(herding.status_topic.records))
    herding.writer.errors = [LogError("no leader")]
    with pytest.raises(HerderError) as raised:
        herding.call(lambda: ask(herding.herder.actions))
    herding.settle()
    assert (raised.value.message, raised.value.status) == (message, 500)
    assert (herding.entry(), len(herding.config_topic.records), len(herding.status_topic.records)) == before
    assert herding.led == [True]


def test_a_config_that_is_handed_over_is_not_changed() -> None:
    """Whoever keeps a snapshot keeps it for good."""
    with Herding().started() as herding:
        given: Config = config(tasks="1")
        before = dict(given)
        herding.call(lambda: herding.herder.actions.create_connector("a", given, None))
        herding.settle()
        assert given == before
