"""The herder of a worker that is alone: every request is over when it is answered, so nothing here waits for anything more."""

import threading
from collections.abc import Callable, Iterator

import pytest

from tests.fakes import VERSION, WORKER, until
from tests.standalone import Alone, connector
from workers.herder import standalone
from workers.herder.errors import HerderError
from workers.herder.interface import WorkerView
from workers.herder.states import State, TargetState
from workers.herder.values import ConnectorInfo, InstanceId, Partition, PartitionOffset, RestartRequest, Status, TaskId

STARTED, PAUSED, STOPPED = TargetState.STARTED, TargetState.PAUSED, TargetState.STOPPED
T0, T1, T2 = TaskId("a", 0), TaskId("a", 1), TaskId("a", 2)
ALL: tuple[InstanceId, ...] = ("a", T0, T1)


@pytest.fixture
def alone() -> Iterator[Alone]:
    with Alone().started() as started:
        yield started


@pytest.fixture
def hosting(alone: Alone) -> Alone:
    """Connector `a` with two tasks, all of them running."""
    alone.create()
    return alone


def boom(text: str = "boom") -> Callable[[], None]:
    def fail() -> None:
        raise RuntimeError(text)

    return fail


def refusal(ask: Callable[[], object]) -> tuple[int, str]:
    with pytest.raises(HerderError) as raised:
        ask()
    return raised.value.status, raised.value.message


def states(alone: Alone) -> list[str | None]:
    return [alone.state(instance) for instance in ALL]


# --- creation and new configs -----------------------------------------------------------------------------------------


def test_a_creation_is_answered_after_the_start_with_its_tasks(alone: Alone) -> None:
    assert alone.create(color="red") == ConnectorInfo("a", connector(color="red"), [T0, T1], "source")
    assert alone.status() == Status(State.RUNNING, WORKER, alone.herder.group().epoch - 1, None, VERSION)
    assert states(alone) == ["RUNNING"] * 3
    assert alone.runner.running == {T0: False, T1: False}
    assert alone.plugins.calls == [("create", "a"), ("start", "a"), ("task_configs", "a")]


@pytest.mark.parametrize(
    ("initial", "expected"), [(STARTED, ["RUNNING"] * 3), (PAUSED, ["PAUSED", None, None]), (STOPPED, ["STOPPED", None, None])]
)
def test_a_connector_is_created_in_the_state_asked_for(alone: Alone, initial: TargetState, expected: list[str | None]) -> None:
    tasks = [T0, T1] if initial is STARTED else []
    assert alone.create(initial=initial).tasks == tasks
    assert states(alone) == expected
    alone.herder.set_target_state("a", STARTED)
    assert states(alone) == ["RUNNING"] * 3


@pytest.mark.parametrize("call", ["create", "start", "task_configs"])
def test_a_connector_that_cannot_start_is_an_error_and_is_there_all_the_same(alone: Alone, call: str) -> None:
    alone.plugins.on[call, "a"] = boom("no database")
    failed = 500, "Failed to transition connector a to state STARTED"
    assert refusal(alone.create) == failed
    assert states(alone) == ["FAILED", None, None]
    assert (alone.herder.connector_status("a").connector.trace or "").startswith("RuntimeError: no database")
    assert refusal(alone.create) == (409, "Connector a already exists")
    assert refusal(lambda: alone.herder.put_connector_config("a", connector())) == failed
    assert refusal(lambda: alone.herder.restart_connector(RestartRequest("a"))) == failed
    del alone.plugins.on[call, "a"]
    assert alone.herder.restart_connector(RestartRequest("a")) is None
    assert states(alone) == ["RUNNING"] * 3


def test_a_task_that_cannot_start_fails_alone(alone: Alone) -> None:
    alone.runner.on["start", T0] = boom()
    assert alone.create().tasks == [T0, T1]
    assert states(alone) == ["RUNNING", "FAILED", "RUNNING"]


@pytest.mark.parametrize(
    ("config", "status", "message"),
    [
        ({"connector.class": "fake.Source", "invalid": "Missing topic"}, 400, "Missing topic"),
        ({}, 400, "Connector config contains no connector type"),
        ({"connector.class": None}, 400, "Null value can not be supplied as the configuration value."),
    ],
)
def test_what_is_refused_changes_nothing(alone: Alone, config: dict[str, str], status: int, message: str) -> None:
    etag = alone.herder.view().etag
    for ask in (
        lambda: alone.herder.create_connector("a", config, None),
        lambda: alone.herder.put_connector_config("a", config),
    ):
        refused = refusal(ask)
        assert refused[0] == status
        assert message in refused[1]
    assert (alone.herder.view().etag, alone.plugins.calls) == (etag, [])


def test_a_put_creates_then_updates(alone: Alone) -> None:
    assert alone.herder.put_connector_config("a", connector()) == (True, ConnectorInfo("a", connector(), [T0, T1], "source"))
    changed = connector(tasks="3", color="blue")
    assert alone.herder.put_connector_config("a", changed) == (False, ConnectorInfo("a", changed, [T0, T1, T2], "source"))
    assert alone.runner.specs[T0].config["color"] == "blue"
    assert (alone.plugins.count("start"), alone.plugins.count("stop")) == (2, 1)
    assert (alone.runner.count("start", T0), alone.runner.count("stop", T0)) == (2, 1)


def test_a_patch_changes_what_it_names(alone: Alone) -> None:
    assert refusal(lambda: alone.herder.patch_connector_config("a", {})) == (404, "Connector a not found")
    alone.create()
    changed = connector(tasks="3", color="blue")
    assert alone.herder.patch_connector_config("a", {"tasks": "3", "color": "blue", "gone": None}) == ConnectorInfo(
        "a", changed, [T0, T1, T2], "source"
    )
    assert refusal(lambda: alone.herder.patch_connector_config("a", {"invalid": "x"}))[0] == 400
    assert alone.herder.connector_info("a").config == changed


def test_an_identical_config_restarts_the_connector_and_not_its_tasks(hosting: Alone) -> None:
    hosting.herder.put_connector_config("a", connector())
    assert (hosting.plugins.count("start"), hosting.runner.count("start", T0)) == (2, 1)


def test_fewer_tasks(hosting: Alone) -> None:
    assert hosting.herder.put_connector_config("a", connector(tasks="1"))[1].tasks == [T0]
    assert (states(hosting), hosting.runner.running) == (["RUNNING", "RUNNING", None], {T0: False})


# --- target states and deletion ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("state", "expected", "running"),
    [
        (PAUSED, ["PAUSED"] * 3, {T0: True, T1: True}),
        (STOPPED, ["STOPPED", None, None], {}),
        (STARTED, ["RUNNING"] * 3, {T0: False, T1: False}),
    ],
)
def test_a_target_state_is_reached_when_it_is_answered(
    hosting: Alone, state: TargetState, expected: list[str | None], running: dict[TaskId, bool]
) -> None:
    for _ in range(2):
        hosting.herder.set_target_state("a", state)
        assert (states(hosting), hosting.runner.running) == (expected, running)
    assert [task for task, _ in hosting.herder.task_configs("a")] == list(running)
    hosting.herder.set_target_state("a", STARTED)
    assert states(hosting) == ["RUNNING"] * 3


def test_a_resume_that_fails_is_answered_and_shows(hosting: Alone) -> None:
    hosting.herder.set_target_state("a", STOPPED)
    hosting.plugins.on["start", "a"] = boom()
    hosting.herder.set_target_state("a", STARTED)
    assert states(hosting) == ["FAILED", None, None]


def test_a_deletion_is_over_when_it_is_answered(hosting: Alone) -> None:
    hosting.herder.delete_connector("a")
    assert (hosting.herder.view().infos, states(hosting), hosting.runner.running) == ({}, [None] * 3, {})
    assert refusal(lambda: hosting.herder.connector_status("a")) == (404, "No status found for connector a")
    hosting.create(tasks="1")
    assert states(hosting) == ["RUNNING", "RUNNING", None]


# --- what is not there ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("ask", "status", "message"),
    [
        (lambda h: h.delete_connector("nope"), 404, "Connector nope not found"),
        (lambda h: h.set_target_state("nope", PAUSED), 404, "Unknown connector nope"),
        (lambda h: h.set_target_state("nope", STARTED), 404, "Unknown connector nope"),
        (lambda h: h.set_target_state("nope", STOPPED), 500, "No connector `nope` configured"),
        (lambda h: h.restart_connector(RestartRequest("nope")), 404, "Unknown connector: nope"),
        (lambda h: h.restart_connector(RestartRequest("nope", include_tasks=True)), 404, "Unknown connector: nope"),
        (
            lambda h: h.restart_task(TaskId("nope", 0)),
            500,
            "Failed to start task nope-0 since it is not a recognizable type (source or sink)",
        ),
        (lambda h: h.restart_task(TaskId("a", 9)), 404, "Task a-9 not found"),
        (lambda h: h.connector_info("nope"), 404, "Connector nope not found"),
        (lambda h: h.task_configs("nope"), 404, "Connector nope not found"),
        (lambda h: h.connector_status("nope"), 404, "No status found for connector nope"),
        (lambda h: h.task_status(TaskId("a", 9)), 404, "No status found for task a-9"),
    ],
)
def test_what_is_not_there(hosting: Alone, ask: Callable[[object], object], status: int, message: str) -> None:
    before = hosting.herder.view()
    assert refusal(lambda: ask(hosting.herder)) == (status, message)
    assert hosting.herder.view() == before


def test_a_stopped_connectors_task_is_not_found(hosting: Alone) -> None:
    hosting.herder.set_target_state("a", STOPPED)
    assert refusal(lambda: hosting.herder.restart_task(T0)) == (404, "Task a-0 not found")


# --- restarts (KIP-745, "Standalone Runtime") -------------------------------------------------------------------------

ONCE, AGAIN = ["RUNNING"], ["RUNNING", "RESTARTING", "RUNNING"]
FAILED_ONCE, MENDED = ["RUNNING", "FAILED"], ["RUNNING", "FAILED", "RESTARTING", "RUNNING"]


@pytest.mark.parametrize(
    ("failed", "only_failed", "include_tasks", "counts", "said", "planned"),
    [
        (False, False, False, (2, 1, 1), [AGAIN, ONCE, ONCE], None),
        (False, False, True, (2, 2, 2), [AGAIN, AGAIN, AGAIN], ["RESTARTING", "RESTARTING", "RESTARTING"]),
        (False, True, False, (1, 1, 1), [ONCE, ONCE, ONCE], ["RUNNING", "RUNNING", "RUNNING"]),
        (False, True, True, (1, 1, 1), [ONCE, ONCE, ONCE], ["RUNNING", "RUNNING", "RUNNING"]),
        (True, False, False, (2, 1, 1), [AGAIN, FAILED_ONCE, ONCE], None),
        (True, False, True, (2, 2, 2), [AGAIN, MENDED, AGAIN], ["RESTARTING", "RESTARTING", "RESTARTING"]),
        (True, True, False, (1, 1, 1), [ONCE, FAILED_ONCE, ONCE], ["RUNNING", "FAILED", "RUNNING"]),
        (True, True, True, (1, 2, 1), [ONCE, MENDED, ONCE], ["RUNNING", "RESTARTING", "RUNNING"]),
    ],
)
def test_a_restart_is_over_when_it_is_answered(
    hosting: Alone,
    failed: bool,
    only_failed: bool,
    include_tasks: bool,
    counts: tuple[int, int, int],
    said: list[list[str]],
    planned: list[str] | None,
) -> None:
    if failed:
        hosting.runner.fail(T0, OSError("gone"))
    answer = hosting.herder.restart_connector(RestartRequest("a", only_failed, include_tasks))
    plugins, runner = hosting.plugins, hosting.runner
    assert (plugins.count("start"), runner.count("start", T0), runner.count("start", T1)) == counts
    assert [hosting.states(instance) for instance in ALL] == said
    if planned is None:
        assert answer is None
    else:
        assert answer is not None
        assert [str(status.state) for status in (answer.connector, *answer.tasks.values())] == planned
        # All but the state is what was there before.
        assert {status.worker_id for status in (answer.connector, *answer.tasks.values())} == {WORKER}
        assert (answer.tasks[0].trace or "").startswith("OSError: gone") is failed


def test_all_are_stopped_then_all_are_restarting_then_all_are_started(hosting: Alone) -> None:
    seen: list[tuple[str, InstanceId, list[str | None]]] = []

    def look(what: str, instance: InstanceId) -> Callable[[], None]:
        return lambda: seen.append((what, instance, states(hosting)))

    for call in ("stop", "start"):
        hosting.plugins.on[call, "a"] = look(call, "a")
        for task in (T0, T1):
            hosting.runner.on[call, task] = look(call, task)
    # The last to stop: until then nothing is said.
    released = threading.Event()
    hosting.runner.on["stop", T1] = lambda: (released.wait(5), look("stop", T1)())
    asking = threading.Thread(target=hosting.herder.restart_connector, args=(RestartRequest("a", include_tasks=True),))
    asking.start()
    until(lambda: len(seen) == 2, "The others have stopped")
    assert states(hosting) == ["RUNNING"] * 3
    released.set()
    asking.join(5)
    assert {(what, instance) for what, instance, _ in seen[:3]} == {("stop", instance) for instance in ALL}
    assert {(what, instance) for what, instance, _ in seen[3:]} == {("start", instance) for instance in ALL}
    assert [before for _, _, before in seen[:3]] == [["RUNNING"] * 3] * 3
    assert all("RUNNING" not in before[:1] or what == "start" for what, _, before in seen[3:])
    restarting = [index for index, (_, state) in enumerate(hosting.said) if state == "RESTARTING"]
    assert restarting == [3, 4, 5]


@pytest.mark.parametrize(
    ("state", "include_tasks", "connector_said", "task_said"),
    [
        (PAUSED, False, ["RUNNING", "PAUSED", "RESTARTING", "PAUSED"], ["RUNNING", "PAUSED"]),
        (PAUSED, True, ["RUNNING", "PAUSED", "RESTARTING", "PAUSED"], ["RUNNING", "PAUSED", "RESTARTING", "PAUSED"]),
        (STOPPED, False, ["RUNNING", "STOPPED", "RESTARTING", "STOPPED"], ["RUNNING", None]),
        (STOPPED, True, ["RUNNING", "STOPPED", "RESTARTING", "STOPPED"], ["RUNNING", None]),
    ],
)
def test_a_restart_leaves_the_target_state(
    hosting: Alone, state: TargetState, include_tasks: bool, connector_said: list[str], task_said: list[str | None]
) -> None:
    hosting.herder.set_target_state("a", state)
    hosting.herder.restart_connector(RestartRequest("a", include_tasks=include_tasks))
    assert hosting.states() == connector_said
    # The leader buries what its host has buried already.
    assert list(dict.fromkeys(hosting.states(T0))) == list(dict.fromkeys(task_said))
    assert hosting.plugins.count("start") == 1


def test_a_plain_restart_makes_the_tasks_anew(hosting: Alone) -> None:
    hosting.plugins.on["start", "a"] = lambda: None
    hosting.herder.restart_connector(RestartRequest("a"))
    assert hosting.plugins.count("task_configs") == 2
    assert hosting.runner.count("start", T0) == 1, "they are the same"


def test_a_restart_with_parameters_that_fails_is_answered_and_shows(hosting: Alone) -> None:
    hosting.plugins.on["start", "a"] = hosting.runner.on["start", T0] = boom()
    answer = hosting.herder.restart_connector(RestartRequest("a", include_tasks=True))
    assert answer is not None
    assert states(hosting) == ["FAILED", "FAILED", "RUNNING"]


def test_a_stop_that_fails_keeps_no_restart_from_happening(hosting: Alone) -> None:
    hosting.plugins.on["stop", "a"] = hosting.runner.on["stop", T0] = boom()
    hosting.runner.on["stop", T0] = lambda: (hosting.runner.running.pop(T0), boom()())
    hosting.herder.restart_connector(RestartRequest("a", include_tasks=True))
    assert states(hosting) == ["RUNNING"] * 3


def test_one_task(hosting: Alone) -> None:
    hosting.herder.restart_task(T1)
    assert [hosting.states(instance) for instance in ALL] == [ONCE, ONCE, AGAIN]
    hosting.runner.on["start", T1] = boom()
    assert refusal(lambda: hosting.herder.restart_task(T1)) == (500, "Failed to start task: a-1")
    assert states(hosting) == ["RUNNING", "RUNNING", "FAILED"]


def test_a_task_that_fails_later_is_not_the_restarts_failure(hosting: Alone) -> None:
    hosting.runner.on["start", T0] = lambda: hosting.runner.fail(T0, OSError("at once"))
    hosting.herder.restart_task(T0)
    assert hosting.state(T0) == "FAILED"


def test_restarts_of_one_connector_at_once_all_end_well(hosting: Alone) -> None:
    request = RestartRequest("a", include_tasks=True)
    asking = [threading.Thread(target=hosting.herder.restart_connector, args=(request,)) for _ in range(8)]
    for thread in asking:
        thread.start()
    for thread in asking:
        thread.join(10)
    assert (states(hosting), hosting.runner.running) == (["RUNNING"] * 3, {T0: False, T1: False})


@pytest.mark.parametrize("meanwhile", ["delete", "stop", "put", "pause"])
def test_what_is_asked_while_a_restart_stops_things_counts(hosting: Alone, meanwhile: str) -> None:
    stopping, go_on = threading.Event(), threading.Event()

    def hold() -> None:
        stopping.set()
        go_on.wait(5)

    hosting.plugins.on["stop", "a"] = hold
    asking = threading.Thread(target=hosting.herder.restart_connector, args=(RestartRequest("a", include_tasks=True),))
    asking.start()
    assert stopping.wait(5)
    herder = hosting.herder
    ask: dict[str, Callable[[], object]] = {
        "delete": lambda: herder.delete_connector("a"),
        "stop": lambda: herder.set_target_state("a", STOPPED),
        "put": lambda: herder.put_connector_config("a", connector(tasks="1", color="blue")),
        "pause": lambda: herder.set_target_state("a", PAUSED),
    }
    etag = herder.view().etag
    second = threading.Thread(target=ask[meanwhile])
    second.start()
    herder.wait_for_change(etag, 5)
    go_on.set()
    for thread in (asking, second):
        thread.join(10)
    expected = {
        "delete": [None, None, None],
        "stop": ["STOPPED", None, None],
        "put": ["RUNNING", "RUNNING", None],
        "pause": ["PAUSED", "PAUSED", "PAUSED"],
    }
    assert states(hosting) == expected[meanwhile]
    assert set(hosting.runner.running) == {task for task in (T0, T1) if hosting.state(task)}


# --- what hangs -------------------------------------------------------------------------------------------------------


@pytest.fixture
def impatient() -> Iterator[Alone]:
    """Gives up soon on whoever does not stop."""
    with Alone(stop_timeout=-1.9).started() as started:
        yield started


@pytest.fixture
def release() -> Iterator[threading.Event]:
    event = threading.Event()
    yield event
    event.set()


def timed_out(alone: Alone, ask: Callable[[], object]) -> str:
    """What a request is told that is given too little time."""
    alone.herder._request_timeout = 0.2
    status, message = refusal(ask)
    alone.herder._request_timeout = 10
    assert status == 500
    return message


def test_a_connector_that_hangs_in_its_start_holds_up_its_own_request_only(alone: Alone, release: threading.Event) -> None:
    alone.plugins.on["start", "a"] = lambda: release.wait(20)
    expected = "Request timed out. The worker is currently starting the connector, which began at "
    assert timed_out(alone, alone.create).startswith(expected)
    assert alone.state() is None
    alone.create("b")
    assert alone.state("b") == "RUNNING"
    assert alone.herder.health().status == "healthy"
    release.set()
    until(lambda: states(alone) == ["RUNNING"] * 3, "It goes on by itself")


def test_a_connector_that_hangs_in_its_start_can_be_restarted(impatient: Alone, release: threading.Event) -> None:
    impatient.plugins.on["start", "a"] = lambda: release.wait(20)
    timed_out(impatient, impatient.create)
    del impatient.plugins.on["start", "a"]
    assert impatient.herder.restart_connector(RestartRequest("a")) is None
    assert states(impatient) == ["RUNNING"] * 3
    release.set()
    # The one that was given up is stopped when it comes back, and its successor is not.
    until(lambda: impatient.plugins.count("stop") == 1)
    assert impatient.states() == ["RESTARTING", "RUNNING"]


def test_a_connector_that_hangs_can_be_deleted(impatient: Alone, release: threading.Event) -> None:
    impatient.plugins.on["start", "a"] = lambda: release.wait(20)
    timed_out(impatient, impatient.create)
    impatient.herder.delete_connector("a")
    assert impatient.herder.view().infos == {}


def test_a_connector_that_hangs_in_its_stop_is_restarted_without_it(impatient: Alone, release: threading.Event) -> None:
    impatient.create()
    impatient.plugins.on["stop", "a"] = lambda: release.wait(20)
    impatient.herder.restart_connector(RestartRequest("a", include_tasks=True))
    assert states(impatient) == ["RUNNING"] * 3


def test_a_restart_that_timed_out_goes_on(alone: Alone, release: threading.Event) -> None:
    alone.create()
    alone.runner.on["stop", T0] = lambda: release.wait(20)
    message = timed_out(alone, lambda: alone.herder.restart_connector(RestartRequest("a", include_tasks=True)))
    assert "currently handling restart request for connector a, which" in message
    assert states(alone) == ["RUNNING"] * 3, "nothing is said before all have stopped"
    release.set()
    until(lambda: [alone.states(instance) for instance in ALL] == [AGAIN] * 3)


def test_a_validation_that_hangs_times_out(alone: Alone, release: threading.Event, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(alone.plugins, "validate", lambda config: release.wait(20))
    assert "currently validating source connector-specific properties" in timed_out(alone, alone.create)
    release.set()
    assert alone.herder.view().infos == {}


def test_a_herder_whose_thread_is_blocked_does_nothing_late(alone: Alone, release: threading.Event) -> None:
    """Who was told of a time-out must not find the thing done later."""
    alone.herder._herder.call(lambda: release.wait(20))
    assert timed_out(alone, alone.create).startswith("Request timed out. The last operation the worker completed was writing")
    release.set()
    alone.create("b")
    assert set(alone.herder.view().infos) == {"b"}


# --- health and group -------------------------------------------------------------------------------------------------


def test_it_is_starting_until_what_is_to_run_from_the_start_has_been_created() -> None:
    alone = Alone()
    assert alone.herder.health().status == "starting"
    alone.herder.start()
    alone.create()
    starting = alone.herder.health()
    assert starting.status == "starting"
    assert starting.message.startswith("Worker is still starting up. The last operation the worker completed was writing")
    alone.herder.ready()
    assert alone.herder.health().status == "healthy"
    alone.herder.stop()
    stopped = alone.herder.health()
    assert (stopped.status, stopped.message.endswith(". Worker is shutting down")) == ("unhealthy", True)


def test_it_is_unhealthy_while_its_thread_is_blocked(
    hosting: Alone, release: threading.Event, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(standalone, "HEALTH_TIMEOUT", 0.05)
    inner, blocked = hosting.herder._herder, threading.Event()

    def block() -> None:
        with inner.stages.during("writing a config for connector a to the config topic"):
            blocked.set()
            release.wait(20)

    inner.call(block)
    assert blocked.wait(5)
    health = hosting.herder.health()
    assert health.status == "unhealthy"
    assert "may be unable to handle other requests. The worker is currently writing a config" in health.message
    assert hosting.herder.connector_status("a").connector.state is State.RUNNING, "reads go on"
    release.set()


def test_the_group_is_one_worker_that_leads() -> None:
    alone = Alone()
    with alone.started():
        alone.create()
        group = alone.herder.group()
        assert (group.leader, group.moving) == (WORKER, [])
        assert group.workers == [WorkerView(WORKER, True, "", 0, 0, ["a"], [T0, T1])]


def test_after_the_stop_everything_has_stopped_and_requests_are_refused(hosting: Alone) -> None:
    hosting.herder.stop()
    assert (hosting.runner.running, hosting.plugins.count("stop")) == ({}, 1)
    assert refusal(lambda: hosting.herder.delete_connector("a")) == (500, "Worker is shutting down")


def test_who_waits_for_a_change_sees_it(hosting: Alone) -> None:
    before = hosting.herder.view()
    failing = threading.Timer(0.02, hosting.runner.fail, (T0, OSError("gone")))
    failing.start()
    hosting.herder.wait_for_change(before.etag, 10)
    failing.join()
    assert hosting.herder.view().statuses["a"].tasks[0].state is State.FAILED


def test_it_keeps_no_record_of_the_past(hosting: Alone) -> None:
    assert [topic.records for topic in hosting.herder._topics] == [[], [], []]


def test_many_at_once_are_each_answered_when_theirs_is_done(alone: Alone) -> None:
    wrong: list[str] = []

    def one(name: str) -> None:
        for _ in range(5):
            info = alone.create(name)
            if len(info.tasks) != 2 or alone.state(name) != "RUNNING" or alone.state(TaskId(name, 1)) != "RUNNING":
                wrong.append(name)
            alone.herder.delete_connector(name)
            if alone.state(name) or alone.state(TaskId(name, 1)):
                wrong.append(name)

    threads = [threading.Thread(target=one, args=(f"c{number}",)) for number in range(12)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert wrong == []
    assert alone.herder.view().infos == {}


# --- offsets (KIP-875) ------------------------------------------------------------------------------------------------

FILE = {"file": "x"}
AT_7 = [PartitionOffset(FILE, {"position": 7})]


def test_offsets_are_read_altered_and_reset(hosting: Alone) -> None:
    herder = hosting.herder
    assert refusal(lambda: herder.alter_connector_offsets("a", AT_7))[0] == 400
    herder.set_target_state("a", STOPPED)
    assert "altered successfully" in herder.alter_connector_offsets("a", AT_7)
    assert herder.connector_offsets("a") == AT_7
    assert "reset successfully" in herder.reset_connector_offsets("a")
    assert herder.connector_offsets("a") == []
    assert refusal(lambda: herder.connector_offsets("b")) == (404, "Connector b not found")


def test_a_connector_is_created_at_its_offsets_and_deleted_with_them(alone: Alone) -> None:
    info = alone.herder.create_connector("a", connector(), None, AT_7)
    assert (info.tasks, alone.herder.connector_offsets("a")) == ([T0, T1], AT_7)
    epoch = alone.runner.specs[T0].epoch
    alone.offsets.commit("a", FILE, {"position": 8}, epoch)
    assert alone.offsets.offset("a", FILE) == {"position": 8}
    alone.herder.delete_connector("a", include_offsets=True)
    assert (alone.runner.running, alone.offsets.offsets("a"), alone.herder.view().infos) == ({}, [], {})
    alone.offsets.commit("a", FILE, {"position": 9}, epoch)
    assert alone.offsets.offsets("a") == []


def test_a_sinks_group_is_altered(alone: Alone) -> None:
    alone.create(initial=STOPPED, **{"connector.class": "fake.Sink"})
    at = [PartitionOffset({"kafka_partition": 0, "kafka_topic": "t"}, {"kafka_offset": 5})]
    alone.herder.alter_connector_offsets("a", at)
    assert (alone.herder.connector_offsets("a"), alone.groups.committed) == (at, {"connect-a": {Partition("t", 0): 5}})


def test_offsets_of_an_earlier_life_of_the_process(alone: Alone) -> None:
    """The file keeps the epochs of assignments that were in its memory: those of this life are newer."""
    alone.herder.create_connector("a", connector(), STOPPED, AT_7)
    again = Alone(offsets=alone.offsets)
    with again.started():
        again.create()
        again.offsets.commit("a", FILE, {"position": 8}, again.runner.specs[T0].epoch)
        assert again.offsets.offset("a", FILE) == {"position": 8}
