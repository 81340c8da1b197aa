"""Loops in a bounded pool. The clock is the test's: a back-off is waited for by moving it."""

import threading
from collections.abc import Callable, Iterator

import pytest

from tests.fakes import until
from tests.unit.workers.runtime.test_coalescer import Batch
from workers.connectors.base import RetriableError
from workers.runtime.scheduler import Course, Scheduler, Standing, common_key


class Clock:
    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


def unexpected(error: BaseException) -> None:
    raise AssertionError(f"failed with {error!r}")


class Steps:
    """A step that does what it is told next, and counts; at the end of its list it has nothing more to do."""

    def __init__(self, *results: bool | BaseException) -> None:
        self._results = list(results)
        self.count = 0

    def __call__(self) -> bool:
        self.count += 1
        result = self._results.pop(0) if self._results else False
        if isinstance(result, BaseException):
            raise result
        return result


class Held:
    """A step that stays until it is let go. Fails the test when it runs twice at once."""

    def __init__(self, more: bool = False) -> None:
        self.entered, self.release = threading.Event(), threading.Event()
        self.count = 0
        self.overlapped = False
        self._more = more
        self._inside = threading.Lock()

    def __call__(self) -> bool:
        self.overlapped |= not self._inside.acquire(blocking=False)
        self.count += 1
        self.entered.set()
        self.release.wait(5)
        self._inside.release()
        return self._more


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def scheduler(clock: Clock) -> Iterator[Scheduler]:
    """Two threads; what is idle is asked again after 10 s of the test's clock."""
    made = Scheduler(2, 10.0, clock)
    yield made
    made.stop()


@pytest.fixture
def pass_time(scheduler: Scheduler, clock: Clock) -> Callable[[float], None]:
    def pass_(seconds: float) -> None:
        clock.now += seconds
        with scheduler._changed:
            scheduler._changed.notify_all()

    return pass_


Pass = Callable[[float], None]


def idle(scheduler: Scheduler) -> bool:
    """Nothing runs and nothing is due."""
    with scheduler._changed:
        due = [entry for entry in scheduler._due if entry[0] <= scheduler._clock()]
        return not due and not any(loop.queued or loop.running for loop in scheduler._loops.values())


def test_a_step_runs_again_at_once_while_there_is_more_and_then_once_per_interval(scheduler: Scheduler, pass_time: Pass) -> None:
    step = Steps(True, True, False)
    scheduler.add("a", step, unexpected)
    until(lambda: idle(scheduler))
    assert step.count == 3
    pass_time(9.9)
    until(lambda: idle(scheduler))
    assert step.count == 3
    pass_time(0.2)
    until(lambda: step.count == 4)


def test_one_step_never_runs_twice_at_once(scheduler: Scheduler, pass_time: Pass) -> None:
    step = Held(more=True)
    scheduler.add("a", step, unexpected)
    assert step.entered.wait(5)
    # Every way to make it due once more.
    pass_time(100)
    threading.Thread(target=scheduler.pause, args=("a", 10), daemon=True).start()
    until(lambda: scheduler._loops["a"].paused)
    scheduler.resume("a")
    other = Steps()
    scheduler.add("other", other, unexpected)
    until(lambda: other.count, "The other thread is free and would have taken it")
    assert step.count == 1
    step.release.set()
    until(lambda: step.count > 50)
    assert not step.overlapped


def test_as_many_steps_as_there_are_threads_run_at_once(scheduler: Scheduler) -> None:
    steps = [Held() for _ in range(3)]
    for number, step in enumerate(steps):
        scheduler.add(number, step, unexpected)
    assert steps[0].entered.wait(5)
    assert steps[1].entered.wait(5)
    assert not steps[2].entered.is_set()
    steps[0].release.set()
    assert steps[2].entered.wait(5)
    steps[1].release.set()
    steps[2].release.set()


def test_a_busy_loop_does_not_keep_others_waiting() -> None:
    scheduler = Scheduler(1, 10.0)
    try:
        scheduler.add("busy", lambda: True, unexpected)
        quiet = Steps()
        scheduler.add("quiet", quiet, unexpected)
        until(lambda: quiet.count)
    finally:
        scheduler.stop()


# --- failures ---------------------------------------------------------------------------------------------------------


def test_what_will_pass_is_tried_again_later_and_later(scheduler: Scheduler, pass_time: Pass) -> None:
    step = Steps(RetriableError("1"), RetriableError("2"), False, RetriableError("3"), False)
    scheduler.add("a", step, unexpected)
    for seconds, count in [(0.29, 1), (0.02, 2), (0.58, 2), (0.03, 3), (10.1, 4), (0.29, 4), (0.02, 5)]:
        until(lambda: idle(scheduler))
        pass_time(seconds)
        until(lambda: idle(scheduler))
        assert step.count == count, "0.3 s, 0.6 s; after a success 0.3 s again"


def test_what_will_not_pass_ends_the_loop_and_is_told_once(scheduler: Scheduler, pass_time: Pass) -> None:
    step, told = Steps(ValueError("bad")), list[BaseException]()
    scheduler.add("a", step, told.append)
    until(lambda: told)
    pass_time(1000)
    until(lambda: idle(scheduler))
    assert ([str(error) for error in told], step.count) == (["bad"], 1)
    assert scheduler.remove("a", 1)


def test_a_step_that_ends_its_thread_is_a_failure_too(scheduler: Scheduler) -> None:
    told: list[BaseException] = []
    scheduler.add("a", Steps(SystemExit(1)), told.append)
    until(lambda: told)
    assert isinstance(told[0], SystemExit)


def test_a_failure_leaves_the_thread_to_others(scheduler: Scheduler) -> None:
    told: list[BaseException] = []
    for number in range(5):
        scheduler.add(number, Steps(ValueError(str(number))), told.append)
    until(lambda: len(told) == 5)
    step = Steps()
    scheduler.add("next", step, unexpected)
    until(lambda: step.count)


def test_where_there_are_very_many_each_rests_for_longer(clock: Clock) -> None:
    """A thousand looks a second: 25 loops need 25 ms, which is three times their interval. Those that are paused need none."""
    scheduler = Scheduler(2, 0.01, clock)
    steps = [Steps() for _ in range(25)]

    def looks(seconds: float) -> set[int]:
        clock.now += seconds
        with scheduler._changed:
            scheduler._changed.notify_all()
        until(lambda: idle(scheduler))
        return {step.count for step in steps[:10]}

    try:
        for number, step in enumerate(steps):
            scheduler.add(number, step, unexpected)
        until(lambda: idle(scheduler))
        assert looks(0.1) == {2}
        assert looks(0.029) == {2}
        assert looks(0.003) == {3}
        for number in range(10, 25):
            scheduler.pause(number, 10)
        assert looks(0.032) == {4}
        assert looks(0.011) == {5}
    finally:
        scheduler.stop()


# --- pause, resume, remove --------------------------------------------------------------------------------------------


def test_a_paused_loop_rests_until_it_is_resumed(scheduler: Scheduler, pass_time: Pass) -> None:
    step = Steps()
    scheduler.add("a", step, unexpected, paused=True)
    pass_time(100)
    until(lambda: idle(scheduler))
    assert step.count == 0
    scheduler.resume("a")
    until(lambda: step.count == 1)
    scheduler.pause("a", 10)
    pass_time(100)
    until(lambda: idle(scheduler))
    assert step.count == 1


def test_a_pause_waits_for_the_running_step(scheduler: Scheduler) -> None:
    step = Held(more=True)
    scheduler.add("a", step, unexpected)
    assert step.entered.wait(5)
    pausing = threading.Thread(target=scheduler.pause, args=("a", 10), daemon=True)
    pausing.start()
    until(lambda: scheduler._loops["a"].paused)
    assert pausing.is_alive()
    step.release.set()
    pausing.join(5)
    assert not pausing.is_alive()
    assert step.count == 1, "more was there, and stays there"


def test_a_retry_that_waits_is_paused_too(scheduler: Scheduler, pass_time: Pass) -> None:
    step = Steps(RetriableError("later"))
    scheduler.add("a", step, unexpected)
    until(lambda: step.count and idle(scheduler))
    scheduler.pause("a", 10)
    pass_time(100)
    until(lambda: idle(scheduler))
    assert step.count == 1


def test_resuming_twice_does_not_double_the_loop(scheduler: Scheduler, pass_time: Pass) -> None:
    step = Steps()
    scheduler.add("a", step, unexpected)
    until(lambda: step.count and idle(scheduler))
    scheduler.pause("a", 10)
    scheduler.resume("a")
    scheduler.resume("a")
    until(lambda: step.count == 2 and idle(scheduler))
    pass_time(10.1)
    until(lambda: idle(scheduler))
    assert step.count == 3


def test_a_pause_does_not_wait_for_ever(scheduler: Scheduler) -> None:
    step = Held(more=True)
    scheduler.add("a", step, unexpected)
    assert step.entered.wait(5)
    scheduler.pause("a", 0.01)
    assert scheduler._loops["a"].running
    step.release.set()
    until(lambda: idle(scheduler))
    assert step.count == 1


def test_an_unknown_key_is_nobodys_business(scheduler: Scheduler) -> None:
    scheduler.pause("nobody", 10)
    scheduler.resume("nobody")
    assert scheduler.remove("nobody", 0) is True


def test_a_removed_loop_runs_no_more_and_its_key_is_free(scheduler: Scheduler, pass_time: Pass) -> None:
    step = Steps()
    scheduler.add("a", step, unexpected)
    until(lambda: step.count and idle(scheduler))
    assert scheduler.remove("a", 1)
    again = Steps()
    scheduler.add("a", again, unexpected)
    until(lambda: again.count)
    pass_time(100)
    until(lambda: again.count == 2 and idle(scheduler))
    assert step.count == 1


def test_the_removal_of_a_step_that_hangs_gives_up_in_time(scheduler: Scheduler) -> None:
    step, told = Held(more=True), list[BaseException]()
    scheduler.add("a", step, told.append)
    assert step.entered.wait(5)
    assert scheduler.remove("a", 0.01) is False
    # Its successor may run beside what was abandoned, which says and does nothing any more.
    successor = Steps()
    scheduler.add("a", successor, unexpected)
    until(lambda: successor.count)
    step.release.set()
    until(lambda: not scheduler._pool._busy)
    assert (step.count, told) == (1, [])


def test_an_abandoned_step_that_fails_late_is_not_told_of(scheduler: Scheduler) -> None:
    told: list[BaseException] = []
    entered, release = threading.Event(), threading.Event()

    def step() -> bool:
        entered.set()
        release.wait(5)
        raise ValueError("too late")

    scheduler.add("a", step, told.append)
    assert entered.wait(5)
    assert not scheduler.remove("a", 0.01)
    release.set()
    until(lambda: not scheduler._pool._busy)
    assert told == []


def test_a_key_cannot_be_taken_twice(scheduler: Scheduler) -> None:
    scheduler.add("a", Steps(), unexpected)
    with pytest.raises(AssertionError, match="a runs already"):
        scheduler.add("a", Steps(), unexpected)


def test_after_the_stop_nothing_begins(clock: Clock) -> None:
    scheduler = Scheduler(1, 0.0, clock)
    scheduler.stop()
    step = Steps()
    scheduler.add("a", step, unexpected)
    assert step.count == 0


# --- steps with batches -----------------------------------------------------------------------------------------------


class Courses:
    """A step that has these batches, one a step, and notes what came after each."""

    def __init__(self, *batches: Batch) -> None:
        self._batches = list(batches)
        self.notes: list[str] = []

    def __call__(self) -> Course:
        if not self._batches:
            return False
        batch = self._batches.pop(0)
        try:
            yield batch
        except GeneratorExit:
            self.notes.append(f"{batch.name} called off")
            raise
        except BaseException as error:
            self.notes.append(f"{batch.name} failed")
            raise error
        self.notes.append(f"{batch.name} done")
        return True


class Gate:
    """Keeps a batch's job from ending."""

    def __init__(self, batch: Batch) -> None:
        self.entered, self.release = threading.Event(), threading.Event()
        batch.during = self._stay

    def _stay(self) -> None:
        self.entered.set()
        self.release.wait(5)


@pytest.mark.parametrize(
    ("key", "standing", "expected"),
    [
        (None, Standing.NEW, None),
        (None, Standing.PROVEN, None),
        ("kind", Standing.NEW, ("kind", Standing.NEW)),
        ("kind", Standing.PROVEN, ("kind", Standing.PROVEN)),
        ("kind", Standing.SUSPECT, None),
    ],
)
def test_with_whom_a_batch_may_be_done(key: object, standing: Standing, expected: object) -> None:
    assert common_key(Batch("a", key=key), standing) == expected


def test_a_step_goes_on_when_its_batch_is_done(scheduler: Scheduler) -> None:
    step = Courses(Batch("1"), Batch("2", key=None))
    scheduler.add("a", step, unexpected)
    until(lambda: step.notes == ["1 done", "2 done"])
    until(lambda: idle(scheduler))


def test_while_a_batch_is_done_its_step_holds_no_thread(scheduler: Scheduler) -> None:
    batches = [Batch(str(number), key=number) for number in range(4)]
    gates = [Gate(batch) for batch in batches[:1]]
    steps = [Courses(batch) for batch in batches]
    for number, step in enumerate(steps):
        scheduler.add(number, step, unexpected)
    until(lambda: all(step.notes for step in steps[1:]))
    assert steps[0].notes == []
    gates[0].release.set()
    until(lambda: steps[0].notes)


def test_backlogs_keep_nobody_from_the_common_jobs(scheduler: Scheduler) -> None:
    """There are two threads for jobs of one's own, and both are taken."""
    backlogs = [Batch(f"backlog {number}", key=None) for number in range(3)]
    gates = [Gate(batch) for batch in backlogs]
    for batch in backlogs:
        scheduler.add(batch.name, Courses(batch), unexpected)
    until(lambda: sum(gate.entered.is_set() for gate in gates) == 2)
    trickle = Courses(*(Batch(str(number)) for number in range(20)))
    scheduler.add("trickle", trickle, unexpected)
    until(lambda: len(trickle.notes) == 20)
    for gate in gates:
        gate.release.set()
    until(lambda: idle(scheduler))


def test_who_has_failed_is_alone_until_it_succeeds(scheduler: Scheduler, pass_time: Pass) -> None:
    class Passing(Batch):
        def _run(self, batches: object) -> None:
            raise RetriableError("no leader")

    first, second, third = Passing("1"), Batch("2"), Batch("3")
    step = Courses(first, second, third)
    scheduler.add("a", step, unexpected)
    until(lambda: step.notes == ["1 failed"] and idle(scheduler))
    pass_time(0.31)
    until(lambda: step.notes == ["1 failed", "2 done", "3 done"])
    assert first.life.jobs[0] is not None, "one that is new may be with others that are"
    assert (second.life.jobs, third.life.jobs[0] is None) == ([None], False)


def test_a_look_that_fails_says_nothing_of_the_batches(scheduler: Scheduler, pass_time: Pass) -> None:
    """Kafka was away for a moment, for all: they need not come back one by one."""
    looks, batches = Steps(False, RetriableError("nobody there"), False, False), [Batch("1"), Batch("2")]

    def step() -> Course:
        more = looks()
        if looks.count % 2:
            yield batches.pop(0)
        return more

    scheduler.add("a", step, unexpected)
    for seconds in (10.1, 0.31):
        until(lambda: idle(scheduler))
        pass_time(seconds)
    until(lambda: not batches and idle(scheduler))
    assert scheduler._loops["a"].standing is Standing.PROVEN
    assert looks.count == 3


def test_what_a_batch_fails_with_ends_the_loop_as_any_failure(scheduler: Scheduler) -> None:
    told: list[BaseException] = []
    scheduler.add("a", Courses(Batch("1", bad=True)), told.append)
    until(lambda: told)
    assert str(told[0]) == "poisoned by 1"


def test_a_pause_calls_off_what_has_not_begun(scheduler: Scheduler) -> None:
    first, second = Batch("1"), Batch("2")
    gate, waiting = Gate(first), Courses(second, Batch("3"))
    scheduler.add("first", Courses(first), unexpected)
    assert gate.entered.wait(5)
    scheduler.add("second", waiting, unexpected)
    until(lambda: scheduler._loops["second"].ticket)
    scheduler.pause("second", 10)
    assert (waiting.notes, scheduler._loops["second"].running) == (["2 called off"], False)
    gate.release.set()
    scheduler.resume("second")
    until(lambda: waiting.notes == ["2 called off", "3 done"])
    assert second.written == []


def test_a_pause_waits_for_what_has_begun(scheduler: Scheduler) -> None:
    batch = Batch("1")
    gate, step = Gate(batch), Courses(batch, Batch("2"))
    scheduler.add("a", step, unexpected)
    assert gate.entered.wait(5)
    pausing = threading.Thread(target=scheduler.pause, args=("a", 10), daemon=True)
    pausing.start()
    until(lambda: scheduler._loops["a"].paused)
    assert pausing.is_alive()
    gate.release.set()
    pausing.join(5)
    assert (pausing.is_alive(), step.notes) == (False, ["1 done"])


def test_the_removal_of_one_in_a_common_job_does_not_disturb_the_other(scheduler: Scheduler) -> None:
    first, stopped, other = Batch("1"), Batch("2"), Batch("3")
    gate, stay = Gate(first), Gate(stopped)
    scheduler.add("first", Courses(first), unexpected)
    assert gate.entered.wait(5)
    steps = {"stopped": Courses(stopped), "other": Courses(other)}
    for name, step in steps.items():
        scheduler.add(name, step, unexpected)
        until(lambda name=name: scheduler._loops[name].ticket)  # type: ignore[misc]
    other.during = stay._stay
    gate.release.set()
    assert stay.entered.wait(5)
    assert not scheduler.remove("stopped", 0.01)
    stay.release.set()
    until(lambda: steps["other"].notes == ["3 done"])
    until(lambda: idle(scheduler))
