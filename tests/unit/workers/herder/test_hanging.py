"""Connectors and tasks whose own code does not come back: others go on, what is asked of them gets through, and whoever comes
back late is stopped and says nothing."""

import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from typing import Any

import pytest

from tests.fakes import Herding, until
from workers.herder import host
from workers.herder.states import TargetState
from workers.herder.values import RestartRequest, TaskId

T0, T1 = TaskId("a", 0), TaskId("a", 1)


class Hang:
    """Takes the place of a call's own work; the first time, it stays in it until it is let go."""

    def __init__(self, call: str, error: BaseException | None = None) -> None:
        self.call = call
        self.entered, self.release, self.left = threading.Event(), threading.Event(), threading.Event()
        self._error = error

    def __call__(self) -> None:
        if self.entered.is_set():
            return
        self.entered.set()
        self.release.wait(30)
        self.left.set()
        if self._error is not None:
            raise self._error


MakeHang = Callable[..., Hang]


@pytest.fixture
def herding(monkeypatch: pytest.MonkeyPatch) -> Iterator[Herding]:
    """One that loses its patience after a fifth of a second."""
    monkeypatch.setattr(host, "_SLACK", 0.1)
    monkeypatch.setattr(host, "_LAST_STOP_TIMEOUT", 0.1)
    with Herding(stop_timeout=0.1).started() as started:
        yield started


@pytest.fixture
def hang(herding: Herding) -> Iterator[MakeHang]:
    """`hang("start")` for connector `a`, `hang("start", T0)` for a task."""
    made: list[Hang] = []

    def make(call: str, task: TaskId | None = None, error: BaseException | None = None) -> Hang:
        made.append(Hang(call, error))
        if task is None:
            herding.plugins.on[call, "a"] = made[-1]
        else:
            herding.runner.on[call, task] = made[-1]
        return made[-1]

    yield make
    for one in made:
        one.release.set()


def config(name: str = "a", **more: str) -> dict[str, str]:
    return {"name": name, "connector.class": "fake.Source", "tasks.max": "2", "tasks": "2", **more}


def create(herding: Herding, name: str = "a") -> None:
    herding.call(lambda: herding.herder.actions.create_connector(name, config(name), None))


def created(herding: Herding, hanging: Hang) -> Hang:
    """The connector is in the call that hangs; in its stop it will be when somebody stops it."""
    create(herding)
    if hanging.call == "stop":
        running(herding)
    else:
        assert hanging.entered.wait(5)
    return hanging


def running(herding: Herding, name: str = "a") -> None:
    tasks = [TaskId(name, 0), TaskId(name, 1)]
    until(lambda: {herding.state(name), *map(herding.state, tasks)} == {"RUNNING"}, f"{name} runs with its tasks")
    until(lambda: all(herding.runner.running.get(task) is False for task in tasks), f"{name}'s tasks run")


def restart(herding: Herding) -> Future[Any]:
    return herding.ask(lambda: herding.herder.actions.restart_connector(RestartRequest("a")))


def restart_task(herding: Herding) -> Future[Any]:
    return herding.ask(lambda: herding.herder.actions.restart_task(T0))


def target(herding: Herding, state: TargetState) -> None:
    herding.call(lambda: herding.herder.actions.set_target_state("a", state))


def delete(herding: Herding) -> None:
    herding.call(lambda: herding.herder.actions.delete_connector("a"))


def gone(herding: Herding) -> None:
    until(lambda: [herding.state(instance) for instance in ("a", T0, T1)] == [None] * 3, "Its statuses are gone")
    until(lambda: not herding.assignments.snapshot().places, "It has no place any more")


def come_back(herding: Herding, *hangs: Hang) -> None:
    for one in hangs:
        one.release.set()
        assert one.left.wait(5)
    herding.settle()


def alive(herding: Herding) -> int:
    """How many lives of the connector were started and not stopped."""
    return herding.plugins.count("start") - herding.plugins.count("stop")


OWN_CODE = ["create", "start", "task_configs"]


# --- connectors -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("call", OWN_CODE)
def test_others_go_on(herding: Herding, hang: MakeHang, call: str) -> None:
    hanging = created(herding, hang(call))
    create(herding, "b")
    running(herding, "b")
    come_back(herding, hanging)
    running(herding)


@pytest.mark.parametrize("call", OWN_CODE)
def test_a_restart_gets_through_and_whoever_comes_back_late_is_stopped(herding: Herding, hang: MakeHang, call: str) -> None:
    hanging = created(herding, hang(call))
    restart(herding).result(5)
    running(herding)
    said = herding.states()
    come_back(herding, hanging)
    until(lambda: alive(herding) == 1, "The late one is stopped")
    assert herding.states() == said
    assert said[-2:] == ["RESTARTING", "RUNNING"]
    running(herding)


def test_one_that_is_over_is_not_even_started_when_it_has_been_made_at_last(herding: Herding, hang: MakeHang) -> None:
    hanging = created(herding, hang("create"))
    restart(herding).result(5)
    come_back(herding, hanging)
    assert (herding.plugins.count("create"), herding.plugins.count("start")) == (2, 1)


@pytest.mark.parametrize("call", [*OWN_CODE, "stop"])
def test_a_new_config_gets_through(herding: Herding, hang: MakeHang, call: str) -> None:
    hanging = created(herding, hang(call))
    herding.call(lambda: herding.herder.actions.put_connector_config("a", config(color="blue")))
    until(lambda: herding.runner.specs.get(T0) and herding.runner.specs[T0].config["color"] == "blue", "It is blue")
    running(herding)
    come_back(herding, hanging)
    until(lambda: alive(herding) == 1)
    assert herding.runner.specs[T0].config["color"] == "blue"
    running(herding)


def test_a_restart_gets_through_when_the_stop_hangs(herding: Herding, hang: MakeHang) -> None:
    hanging = hang("stop")
    create(herding)
    running(herding)
    restarted = restart(herding)
    assert hanging.entered.wait(5)
    restarted.result(5)
    assert herding.states() == ["RUNNING", "RESTARTING", "RUNNING"]
    come_back(herding, hanging)
    assert herding.states() == ["RUNNING", "RESTARTING", "RUNNING"]
    assert alive(herding) == 1


def test_every_further_restart_of_one_that_hangs_again_and_again_has_its_turn(herding: Herding, hang: MakeHang) -> None:
    create(herding)
    running(herding)
    hanging = []
    for _ in range(3):
        hanging.append(hang("start"))
        restart(herding)
        assert hanging[-1].entered.wait(5), "the one before has been given up"
    del herding.plugins.on["start", "a"]
    restart(herding).result(5)
    assert herding.state() == "RUNNING"
    come_back(herding, *hanging)
    until(lambda: alive(herding) == 1)
    assert herding.state() == "RUNNING"


def test_restarts_that_are_queued_behind_one_that_hangs_become_one(herding: Herding, hang: MakeHang) -> None:
    hanging = created(herding, hang("start"))
    asked = [restart(herding) for _ in range(5)]
    asked[-1].result(5)
    assert (herding.state(), herding.plugins.count("start")) == ("RUNNING", 2)
    come_back(herding, hanging)
    until(lambda: alive(herding) == 1)


@pytest.mark.parametrize("call", [*OWN_CODE, "stop"])
def test_a_deletion_gets_through_and_a_new_one_of_that_name_runs(herding: Herding, hang: MakeHang, call: str) -> None:
    hanging = created(herding, hang(call))
    delete(herding)
    until(lambda: not herding.runner.running, "Its tasks are stopped")
    gone(herding)
    create(herding)
    running(herding)
    come_back(herding, hanging)
    until(lambda: alive(herding) == 1)
    running(herding)


@pytest.mark.parametrize("call", OWN_CODE)
def test_an_error_that_comes_late_is_nobodys(herding: Herding, hang: MakeHang, call: str) -> None:
    hanging = created(herding, hang(call, error=RuntimeError("connection timed out")))
    restart(herding).result(5)
    running(herding)
    come_back(herding, hanging)
    assert "FAILED" not in herding.states()
    running(herding)


def test_one_that_hangs_in_its_start_is_paused_and_stays_so(herding: Herding, hang: MakeHang) -> None:
    hanging = created(herding, hang("start"))
    target(herding, TargetState.PAUSED)
    until(lambda: herding.state() == "PAUSED")
    come_back(herding, hanging)
    until(lambda: alive(herding) == 0, "It is stopped")
    assert herding.states()[-1] == "PAUSED"
    assert (herding.plugins.count("task_configs"), herding.runner.running) == (0, {})


def test_one_that_hangs_in_its_start_runs_when_it_comes_back_after_a_pause_and_a_resume(herding: Herding, hang: MakeHang) -> None:
    hanging = created(herding, hang("start"))
    target(herding, TargetState.PAUSED)
    until(lambda: herding.state() == "PAUSED")
    target(herding, TargetState.STARTED)
    come_back(herding, hanging)
    running(herding)
    assert alive(herding) == 1


def test_one_that_hangs_in_its_stop_runs_again_when_it_comes_back_after_a_resume(herding: Herding, hang: MakeHang) -> None:
    hanging = hang("stop")
    create(herding)
    running(herding)
    target(herding, TargetState.PAUSED)
    assert hanging.entered.wait(5)
    target(herding, TargetState.STARTED)
    until(herding.herder.idle, "It has been given up")
    come_back(herding, hanging)
    until(lambda: alive(herding) == 1, "It is started again")
    running(herding)


def test_what_it_wants_late_does_not_stand_in_for_what_is_wanted_now(herding: Herding, hang: MakeHang) -> None:
    """The next leader may have nothing else to go by."""
    hanging = created(herding, hang("task_configs"))
    herding.call(lambda: herding.herder.actions.put_connector_config("a", config(color="blue")))
    running(herding)
    come_back(herding, hanging)
    entry, wanted = herding.entry(), herding.assignments.wanted_tasks()["a"]
    assert entry is not None
    assert wanted.revision == entry.revision
    assert [task["color"] for task in wanted.configs] == ["blue", "blue"]


# --- tasks ------------------------------------------------------------------------------------------------------------


def test_a_task_that_hangs_in_its_start_keeps_no_other_from_running(herding: Herding, hang: MakeHang) -> None:
    hanging = hang("start", T0)
    create(herding)
    until(lambda: herding.state(T1) == "RUNNING")
    assert (herding.state(), herding.state(T0)) == ("RUNNING", None)
    come_back(herding, hanging)
    running(herding)


def test_a_task_that_hangs_in_its_start_is_restarted_and_the_late_one_stopped(herding: Herding, hang: MakeHang) -> None:
    hanging = created(herding, hang("start", T0))
    restart_task(herding).result(5)
    running(herding)
    come_back(herding, hanging)
    until(lambda: herding.runner.count("stop", T0) == 1)
    assert herding.states(T0) == ["RESTARTING", "RUNNING"]
    assert (herding.runner.count("start", T0), herding.runner.running[T0]) == (2, False)
    assert herding.runner.count("resume", T0) == 1, "the late one began nothing"


def test_a_task_that_hangs_in_its_stop_is_restarted_all_the_same(herding: Herding, hang: MakeHang) -> None:
    hanging = hang("stop", T0)
    create(herding)
    running(herding)
    # As after `timeout` seconds, when what it does has been abandoned.
    restarted = restart_task(herding)
    assert hanging.entered.wait(5)
    herding.runner.running.pop(T0)
    restarted.result(5)
    assert herding.states(T0) == ["RUNNING", "RESTARTING", "RUNNING"]
    come_back(herding, hanging)
    running(herding)
    assert herding.states(T0) == ["RUNNING", "RESTARTING", "RUNNING"]


@pytest.mark.parametrize("call", ["start", "stop"])
def test_a_task_that_hangs_is_deleted_with_its_connector(herding: Herding, hang: MakeHang, call: str) -> None:
    hanging = hang(call, T0)
    create(herding)
    until(lambda: herding.state(T1) == "RUNNING")
    if call == "stop":
        running(herding)
    delete(herding)
    assert hanging.entered.wait(5)
    gone(herding)
    come_back(herding, hanging)
    until(lambda: herding.runner.count("stop", T0) == 1)
    assert (herding.state(T0), herding.runner.running) == (None, {})


def test_a_task_that_hangs_in_its_start_is_paused_when_it_comes_back(herding: Herding, hang: MakeHang) -> None:
    hanging = hang("start", T0)
    create(herding)
    until(lambda: herding.state(T1) == "RUNNING")
    target(herding, TargetState.PAUSED)
    until(lambda: herding.state(T1) == "PAUSED")
    until(herding.herder.idle, "It has been given up")
    come_back(herding, hanging)
    until(lambda: herding.state(T0) == "PAUSED")
    assert herding.runner.running == {T0: True, T1: True}


def test_a_task_that_fails_late_is_nobodys(herding: Herding, hang: MakeHang) -> None:
    hanging = created(herding, hang("start", T0, error=OSError("gone")))
    restart_task(herding).result(5)
    come_back(herding, hanging)
    assert herding.states(T0) == ["RESTARTING", "RUNNING"]


# --- the end ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("call", [*OWN_CODE, "stop"])
def test_a_worker_ends_in_time_and_says_so_of_all_that_did_stop(herding: Herding, hang: MakeHang, call: str) -> None:
    create(herding, "b")
    running(herding, "b")
    created(herding, hang(call))
    ending = threading.Thread(target=herding.herder.stop)
    ending.start()
    ending.join(5)
    assert not ending.is_alive()
    assert [herding.state(instance) for instance in ("b", TaskId("b", 0))] == ["UNASSIGNED", "UNASSIGNED"]
