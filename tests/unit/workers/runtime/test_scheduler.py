"""Loops in a bounded pool. The clock is the test's: a back-off is waited for by moving it."""

import threading
from collections.abc import Callable, Iterator

import pytest

from tests.fakes import until
from workers.connectors.base import RetriableError
from workers.runtime.scheduler import Scheduler


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
