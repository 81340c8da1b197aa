"""One life of a task in the job engine: when it may begin and commit, and what becomes of it when it does not stop in time."""

import threading
from collections.abc import Callable, Iterator
from contextlib import nullcontext
from types import SimpleNamespace
from typing import Any, cast

import pytest

from tests.fakes import until
from workers.herder.ports import TaskSpec
from workers.herder.values import TaskId
from workers.runtime.faults import is_retriable
from workers.runtime.job_engine import EngineTask, NotNow
from workers.runtime.scheduler import Scheduler


class Spark:
    """Takes the place of the session: notes the groups that jobs run in, and those that are cancelled."""

    def __init__(self) -> None:
        self.groups: list[str] = []
        self.cancelled: list[str] = []
        self.sparkContext = SimpleNamespace(
            setJobGroup=lambda group, description, **options: self.groups.append(group),
            setLocalProperty=lambda key, value: None,
            cancelJobGroup=self.cancelled.append,
        )


class Job:
    """`on` runs in place of a call's own work."""

    def __init__(self) -> None:
        self.calls: list[str] = []
        self.on: dict[str, Callable[[], object]] = {}

    def _note(self, call: str) -> None:
        self.calls.append(call)
        self.on.get(call, lambda: None)()

    def start(self) -> None:
        self._note("start")

    def step(self) -> bool:
        self._note("step")
        return False

    def close(self) -> None:
        self._note("close")


class Engine:
    """A task on a scheduler of its own; `clock` is the test's."""

    def __init__(self) -> None:
        self.now = 0.0
        self.lease = True
        self.spark = Spark()
        self.scheduler = Scheduler(2, 10.0, lambda: self.now)
        self.started: list[str] = []
        self.failures: list[BaseException] = []

    def task(self) -> EngineTask:
        """Not begun."""
        recorder = SimpleNamespace(attempt=lambda passes: nullcontext())
        worker = SimpleNamespace(begun=lambda task: None, ended=lambda task: None)
        created = SimpleNamespace(concealment=SimpleNamespace(marking=nullcontext))
        spec = TaskSpec(TaskId("a", 0), {}, {}, 1)
        parts = (spec, created, self.spark, self.scheduler, lambda: self.lease, recorder, worker)
        return EngineTask(*cast(Any, parts))

    def begin(self, job: Job, *, paused: bool = False) -> EngineTask:
        task = self.task()
        task.begin(cast(Any, job), lambda: self.started.append("started"), self.failures.append, paused=paused)
        return task

    def pass_time(self, seconds: float) -> None:
        self.now += seconds
        with self.scheduler._changed:
            self.scheduler._changed.notify_all()

    def rest(self) -> None:
        def idle() -> bool:
            with self.scheduler._changed:
                due = [entry for entry in self.scheduler._due if entry[0] <= self.now]
                return not due and not any(loop.queued or loop.running for loop in self.scheduler._loops.values())

        until(idle, "Nothing runs and nothing is due")


@pytest.fixture
def engine() -> Iterator[Engine]:
    made = Engine()
    yield made
    made.scheduler.stop()


def test_its_own_start_comes_once_and_before_its_first_step(engine: Engine) -> None:
    job = Job()
    engine.begin(job)
    engine.rest()
    engine.pass_time(10.1)
    engine.rest()
    assert (job.calls, engine.started) == (["start", "step", "step"], ["started"])


def test_one_that_is_paused_starts_when_it_is_resumed(engine: Engine) -> None:
    job = Job()
    task = engine.begin(job, paused=True)
    engine.rest()
    assert (job.calls, engine.started) == ([], [])
    task.resume()
    engine.rest()
    assert (job.calls, engine.started) == (["start", "step"], ["started"])


def test_without_a_lease_nothing_begins_not_even_its_start(engine: Engine) -> None:
    engine.lease = False
    job = Job()
    engine.begin(job)
    engine.rest()
    assert job.calls == []
    engine.lease = True
    engine.pass_time(10.1)
    engine.rest()
    assert job.calls == ["start", "step"]


def test_a_lease_that_is_lost_during_a_step_keeps_it_from_committing_and_ends_nothing(engine: Engine) -> None:
    job, committed = Job(), list[bool]()
    task = engine.task()

    def step() -> None:
        task.check()
        committed.append(True)

    def lose() -> None:
        engine.lease = False
        step()

    job.on["step"] = lose
    task.begin(cast(Any, job), lambda: None, engine.failures.append, paused=False)
    engine.rest()
    assert (committed, engine.failures) == ([], [])
    engine.lease = True
    job.on["step"] = step
    engine.pass_time(100)
    engine.rest()
    assert (committed, engine.failures) == ([True], [])


def test_not_now_passes_by_itself() -> None:
    assert is_retriable(NotNow("cut off"))


def test_one_that_stops_in_time_is_closed_and_nothing_is_cancelled(engine: Engine) -> None:
    job = Job()
    task = engine.begin(job)
    engine.rest()
    task.stop(5)
    engine.pass_time(100)
    engine.rest()
    assert (job.calls, engine.spark.cancelled) == (["start", "step", "close"], [])


def test_one_that_never_started_has_nothing_to_close(engine: Engine) -> None:
    job = Job()
    engine.begin(job, paused=True).stop(5)
    assert job.calls == []


def hang(job: Job, call: str) -> tuple[threading.Event, threading.Event]:
    entered, release = threading.Event(), threading.Event()

    def stay() -> None:
        entered.set()
        release.wait(10)

    job.on[call] = stay
    return entered, release


def test_one_that_does_not_stop_in_time_is_cancelled_and_commits_no_more(engine: Engine) -> None:
    job = Job()
    entered, release = hang(job, "step")
    task = engine.begin(job)
    assert entered.wait(5)
    task.stop(0.01)
    assert engine.spark.cancelled == engine.spark.groups
    with pytest.raises(NotNow):
        task.check()
    release.set()


def test_the_next_life_is_not_cancelled_with_the_last_one(engine: Engine) -> None:
    stuck, job = Job(), Job()
    entered, release = hang(stuck, "step")
    former = engine.begin(stuck)
    assert entered.wait(5)
    task = engine.begin(job)
    until(lambda: job.calls == ["start", "step"])
    former.stop(0.01)
    assert len(set(engine.spark.groups)) == 2
    assert engine.spark.cancelled == [engine.spark.groups[0]]
    task.check()
    release.set()


def test_one_that_comes_back_late_from_its_start_does_nothing_and_is_closed(engine: Engine) -> None:
    """Its successor is at it by then, here or elsewhere."""
    job = Job()
    entered, release = hang(job, "start")
    task = engine.begin(job)
    assert entered.wait(5)
    task.stop(0.01)
    release.set()
    until(lambda: not engine.scheduler._pool._busy)
    assert (job.calls, engine.failures) == (["start", "close"], [])
