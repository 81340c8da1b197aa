"""Which batches one job does, and what becomes of the others when it fails. Threads are the test's: work runs when it says so."""

import threading
from collections import deque
from collections.abc import Callable, Hashable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import Any

import pytest

from tests.fakes import until
from workers.runtime.coalescer import Coalescer, PartlyDone, Ticket, chosen


class Life:
    """One that may write until it is over."""

    def __init__(self) -> None:
        self.over = False
        self.jobs: list[str | None] = []
        self.on_cancel: Callable[[], None] = lambda: None

    def joins(self, common: str | None) -> None:
        self.jobs.append(common)

    def session(self) -> Any: ...

    def cancel(self) -> None:
        self.on_cancel()

    def check(self) -> None:
        if self.over:
            raise PermissionError("over")

    def committing(self) -> AbstractContextManager[None]:
        return nullcontext()


class Batch:
    """Fails in every job that holds it, as a poisoned one does, if it is bad. Notes with whom it was done."""

    def __init__(
        self, name: str, key: Hashable = "kind", spans: Mapping[Hashable, tuple[int, int]] = {}, *, bad: bool = False
    ) -> None:
        self.name = name
        self.life = Life()
        self.key = key
        self.spans = spans
        self.bad = bad
        #: Whether a job of several says which of them are done although it fails.
        self.knows = False
        self.written: list[list[str]] = []
        self.during: Callable[[], object] = lambda: None

    def run(self) -> None:
        self._run([self])

    def run_all(self, batches: Sequence["Batch"]) -> None:
        self._run(batches)

    def _run(self, batches: Sequence["Batch"]) -> None:
        self.during()
        bad = [batch.name for batch in batches if batch.bad]
        if bad and (len(batches) == 1 or not self.knows):
            raise ValueError(f"poisoned by {bad[0]}")
        done = [batch for batch in batches if not batch.bad]
        for batch in done:
            batch.written.append([other.name for other in batches])
        if bad:
            raise PartlyDone(done)


class Bench:
    """Runs what was submitted when it is told to, and knows how each batch ended."""

    def __init__(self) -> None:
        self.common: deque[Callable[[], object]] = deque()
        self.alone: deque[Callable[[], object]] = deque()
        self.ended: dict[str, str] = {}
        self.coalescer = Coalescer(self.common.append, self.alone.append)

    def take(self, *batches: Batch) -> list[Ticket]:
        return [self.coalescer.take(batch, batch.key, self._ending(batch.name)) for batch in batches]

    def _ending(self, name: str) -> Callable[[BaseException | None], None]:
        def end(error: BaseException | None) -> None:
            assert name not in self.ended, f"{name} ended twice"
            self.ended[name] = "" if error is None else str(error)

        return end

    def run(self) -> None:
        while self.common or self.alone:
            (self.common or self.alone).popleft()()


@pytest.fixture
def bench() -> Bench:
    return Bench()


def names(tickets: Sequence[Ticket]) -> list[str]:
    return [ticket.batch.name for ticket in tickets if isinstance(ticket.batch, Batch)]


@pytest.mark.parametrize(
    ("spans", "most", "expected"),
    [
        ([], 5, ""),
        ([{}, {}, {}], 5, "abc"),
        ([{}, {}, {}], 2, "ab"),
        ([{"t": (0, 9)}, {"u": (0, 9)}, {"v": (0, 9)}], 5, "abc"),
        # Several read the same, which is read once: but not what lies between those who are far apart.
        ([{"t": (0, 5)}, {"t": (3, 9)}, {"t": (0, 10)}], 5, "abc"),
        ([{"t": (0, 5)}, {"t": (90, 95)}, {"u": (0, 5)}], 5, "ac"),
        ([{"t": (0, 5)}, {"t": (4, 10)}, {"t": (8, 13)}, {"t": (2, 3)}], 5, "abd"),
        ([{"t": (0, 5), "u": (0, 5)}, {"t": (0, 5), "u": (50, 55)}, {"u": (50, 55)}], 5, "a"),
        ([{"t": (0, 50)}, {"u": (0, 5)}], 5, "ab"),
    ],
)
def test_who_is_in_the_next_job(spans: Sequence[Mapping[Hashable, tuple[int, int]]], most: int, expected: str) -> None:
    waiting = [Ticket(Batch(name, spans=span), lambda error: None) for name, span in zip("abcd", spans, strict=False)]
    assert "".join(names(chosen(waiting, most, longest=10))) == expected


def test_one_that_comes_to_an_idle_worker_is_done_at_once_and_by_itself(bench: Bench) -> None:
    batch = Batch("a")
    bench.take(batch)
    bench.run()
    assert (batch.written, bench.ended) == ([["a"]], {"a": ""})


def test_those_that_came_before_a_job_began_are_done_by_it(bench: Bench) -> None:
    batches = [Batch(name) for name in "abc"]
    bench.take(*batches)
    bench.run()
    assert [batch.written for batch in batches] == [[["a", "b", "c"]]] * 3
    assert bench.ended == dict.fromkeys("abc", "")
    assert len({batch.life.jobs[0] for batch in batches}) == 1


def test_those_that_come_during_a_job_are_the_next_one(bench: Bench) -> None:
    first, second, third = Batch("a"), Batch("b"), Batch("c")
    first.during = lambda: bench.take(second, third)
    bench.take(first)
    bench.run()
    assert (first.written, second.written, third.written) == ([["a"]], [["b", "c"]], [["b", "c"]])
    assert first.life.jobs != second.life.jobs


def test_other_kinds_have_jobs_of_their_own(bench: Bench) -> None:
    batches = [Batch("a", key=1), Batch("b", key=2), Batch("c", key=1), Batch("d", key=None), Batch("e", key=None)]
    bench.take(*batches)
    bench.run()
    assert [batch.written[0] for batch in batches] == [["a", "c"], ["b"], ["a", "c"], ["d"], ["e"]]


def test_who_reads_something_else_of_the_same_is_in_the_job_after(bench: Bench) -> None:
    batches = [Batch("a", spans={"t": (0, 5)}), Batch("b", spans={"t": (9000, 9005)}), Batch("c", spans={"u": (0, 5)})]
    bench.take(*batches)
    bench.run()
    assert [batch.written[0] for batch in batches] == [["a", "c"], ["b"], ["a", "c"]]


def test_a_failed_job_is_taken_apart_and_only_the_culprit_fails(bench: Bench) -> None:
    batches = [Batch("a"), Batch("b", bad=True), Batch("c")]
    bench.take(*batches)
    bench.run()
    assert bench.ended == {"a": "", "b": "poisoned by b", "c": ""}
    assert [batch.written for batch in batches] == [[["a"]], [], [["c"]]]
    # Nobody is cancelled any more with those of the job that failed.
    assert [batch.life.jobs[-1] for batch in batches] == [None] * 3


def test_what_is_done_of_a_failed_job_is_not_done_again(bench: Bench) -> None:
    batches = [Batch("a"), Batch("b", bad=True), Batch("c")]
    for batch in batches:
        batch.knows = True
    bench.take(*batches)
    bench.run()
    assert bench.ended == {"a": "", "b": "poisoned by b", "c": ""}
    assert [batch.written for batch in batches] == [[["a", "b", "c"]], [], [["a", "b", "c"]]]
    assert [batch.life.jobs[-1] is None for batch in batches] == [False, True, False]


def test_one_that_was_stopped_before_the_job_began_is_left_out(bench: Bench) -> None:
    stopped, other = Batch("a"), Batch("b")
    bench.take(stopped, other)
    stopped.life.over = True
    bench.run()
    assert (bench.ended, stopped.written, other.written) == ({"a": "over", "b": ""}, [], [["b"]])


def test_one_whose_stop_cancels_the_job_takes_nobody_with_it(bench: Bench) -> None:
    stopped, other = Batch("a"), Batch("b")

    def cancelled() -> None:
        stopped.life.over = True
        raise InterruptedError("the job was cancelled")

    stopped.during = cancelled
    bench.take(stopped, other)
    bench.run()
    assert (bench.ended, stopped.written, other.written) == ({"a": "over", "b": ""}, [], [["b"]])


@pytest.mark.parametrize("key", ["kind", None])
def test_what_is_withdrawn_in_time_is_never_begun(bench: Bench, key: Hashable) -> None:
    batches = [Batch("a", key), Batch("b", key)]
    withdrawn, _ = bench.take(*batches)
    assert bench.coalescer.withdraw(withdrawn)
    bench.run()
    assert (batches[0].written, batches[1].written, bench.ended) == ([], [["b"]], {"b": ""})


@pytest.mark.parametrize("key", ["kind", None])
def test_what_has_begun_cannot_be_withdrawn(bench: Bench, key: Hashable) -> None:
    batch, answers = Batch("a", key), list[bool]()
    batch.during = lambda: answers.append(bench.coalescer.withdraw(ticket))
    [ticket] = bench.take(batch)
    bench.run()
    assert (answers, bench.coalescer.withdraw(ticket), batch.written) == ([False], False, [["a"]])


def test_a_job_that_hangs_is_cancelled_and_keeps_only_who_hangs() -> None:
    """A target that does not answer, or a topic that is not there."""
    threads: list[threading.Thread] = []
    ended: list[str] = []

    def submit(work: Callable[[], object]) -> None:
        threads.append(threading.Thread(target=work, daemon=True))
        threads[-1].start()

    cancelled, release = threading.Event(), threading.Event()

    def hang() -> None:
        if hanging.life.jobs[-1] is None:
            release.wait(10)
        else:
            assert cancelled.wait(10)
            raise InterruptedError("the job was cancelled")

    hanging, other, late = Batch("hanging"), Batch("other"), Batch("late")
    hanging.during = hang
    hanging.life.on_cancel = cancelled.set
    coalescer = Coalescer(lambda work: held.append(work) if hold else submit(work), submit, patience=0.05)
    held, hold = list[Callable[[], object]](), True
    for batch in (hanging, other):
        coalescer.take(batch, "kind", lambda error, name=batch.name: ended.append(name))  # type: ignore[misc]
    hold = False
    submit(held[0])
    until(lambda: ended == ["other"])
    coalescer.take(late, "kind", lambda error: ended.append("late"))
    until(lambda: ended == ["other", "late"])
    assert other.written == [["other"]]
    release.set()
    until(lambda: ended == ["other", "late", "hanging"])


def test_a_job_that_does_not_even_end_when_it_is_cancelled_keeps_no_newcomer_waiting() -> None:
    release, ended = threading.Event(), list[str]()

    def submit(work: Callable[[], object]) -> None:
        threading.Thread(target=work, daemon=True).start()

    hanging, late = Batch("hanging"), Batch("late")
    hanging.during = lambda: release.wait(10)
    coalescer = Coalescer(submit, submit, patience=0.05)
    coalescer.take(hanging, "kind", lambda error: ended.append("hanging"))
    until(lambda: hanging.life.jobs)
    coalescer.take(late, "kind", lambda error: ended.append("late"))
    until(lambda: ended == ["late"])
    release.set()
    until(lambda: ended == ["late", "hanging"])
