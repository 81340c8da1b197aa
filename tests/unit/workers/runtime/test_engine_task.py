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
from workers.runtime.life import Stepwise
from workers.runtime.scheduler import Course, Scheduler


class Spark:
    """Takes the place of the session: notes the groups that jobs run in, and those that are cancelled."""

    def __init__(self) -> None:
        self.groups: list[str] = []
        self.cancelled: list[str] = []
        self.sparkContext = SimpleNamespace(
            setJobGroup=lambda group, description, **options: self.groups.append(group),
            setLocalProperty=lambda key, value: None,
            _jsc=SimpleNamespace(sc=lambda: SimpleNamespace(cancelJobGroupAndFutureJobs=self.cancelled.append)),
        )


class Job(Stepwise):
    """`on` runs in place of a call's own work."""

    def __init__(self) -> None:
        self.calls: list[str] = []
        self.on: dict[str, Callable[[], object]] = {}

    def _note(self, call: str) -> None:
        self.calls.append(call)
        self.on.get(call, lambda: None)()

    def start(self) -> None:
        self._note("start")

    def step(self) -> Course:
        self._note("step")
        yield from ()
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

    def begin(self, job: Job, task: EngineTask | None = None, *, paused: bool = False) -> EngineTask:
        task = task or self.task()
        task.begin(cast(Any, job), lambda: self.started.append("started"), self.failures.append)
        if not paused:
            task.resume()
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
    engine.begin(job, task)
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


def hang(job: Job, call: str, task: EngineTask | None = None) -> tuple[threading.Event, threading.Event]:
    """In a job of Spark's, if the task is named."""
    entered, release = threading.Event(), threading.Event()

    def stay() -> None:
        if task is not None:
            task.session()
        entered.set()
        release.wait(10)

    job.on[call] = stay
    return entered, release


def test_who_looks_and_finds_nothing_says_nothing_to_spark(engine: Engine) -> None:
    engine.begin(Job())
    engine.rest()
    engine.pass_time(10.1)
    engine.rest()
    assert engine.spark.groups == []


def test_one_that_does_not_stop_in_time_is_cancelled_and_commits_no_more(engine: Engine) -> None:
    job, task = Job(), engine.task()
    entered, release = hang(job, "step", task)
    engine.begin(job, task)
    assert entered.wait(5)
    task.stop(0.01)
    assert engine.spark.cancelled == engine.spark.groups
    with pytest.raises(NotNow):
        task.check()
    release.set()


def test_one_in_a_common_job_that_does_not_stop_in_time_has_that_cancelled(engine: Engine) -> None:
    """The others are done again, each alone."""
    job, task = Job(), engine.task()
    task.joins("common job 7")
    entered, release = hang(job, "step", task)
    engine.begin(job, task)
    assert entered.wait(5)
    task.stop(0.01)
    assert engine.spark.groups == ["common job 7"]
    assert {"common job 7", task._group} == set(engine.spark.cancelled)
    release.set()


def test_one_that_has_left_a_common_job_is_not_cancelled_with_it(engine: Engine) -> None:
    job, task = Job(), engine.task()
    task.joins("common job 7")
    task.joins(None)
    entered, release = hang(job, "step", task)
    engine.begin(job, task)
    assert entered.wait(5)
    task.stop(0.01)
    assert engine.spark.groups == engine.spark.cancelled == [task._group]
    release.set()


def test_who_gives_it_up_waits_for_its_commit(engine: Engine) -> None:
    """What is committed is committed before it counts as stopped: nobody alters offsets in between (KIP-875)."""
    job, task, committed = Job(), engine.task(), list[bool]()
    entered, release = threading.Event(), threading.Event()

    def commit() -> None:
        with task.committing():
            entered.set()
            release.wait(10)
            committed.append(True)

    job.on["step"] = commit
    engine.begin(job, task)
    assert entered.wait(5)
    stopping = threading.Thread(target=task.stop, args=(0.01,))
    stopping.start()
    stopping.join(0.1)
    assert (stopping.is_alive(), committed) == (True, [])
    release.set()
    stopping.join(5)
    assert (stopping.is_alive(), committed) == (False, [True])
    with pytest.raises(NotNow), task.committing():
        committed.append(True)
    assert committed == [True]


def test_the_next_life_is_not_cancelled_with_the_last_one(engine: Engine) -> None:
    stuck, job, former = Job(), Job(), engine.task()
    entered, release = hang(stuck, "step", former)
    engine.begin(stuck, former)
    assert entered.wait(5)
    task = engine.task()
    job.on["step"] = task.session
    engine.begin(job, task)
    until(lambda: job.calls == ["start", "step"])
    former.stop(0.01)
    until(lambda: len(set(engine.spark.groups)) == 2)
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
