"""A bounded pool in which whoever hangs keeps only himself from going on."""

import threading
from collections.abc import Callable, Iterator

import pytest

from tests.fakes import until
from workers.elastic_pool import ElasticPool

PATIENCE = 0.1


class Held:
    """Work that stays until it is let go."""

    def __init__(self) -> None:
        self.entered, self.release, self.left = threading.Event(), threading.Event(), threading.Event()
        self.thread = threading.current_thread()

    def __call__(self) -> None:
        self.thread = threading.current_thread()
        self.entered.set()
        self.release.wait(10)
        self.left.set()


def of_pools() -> set[threading.Thread]:
    return {thread for thread in threading.enumerate() if thread.name.startswith("test")}


Make = Callable[[int, float], ElasticPool]


@pytest.fixture
def make() -> Iterator[Make]:
    pools: list[ElasticPool] = []

    def made(threads: int, patience: float = PATIENCE) -> ElasticPool:
        pools.append(ElasticPool(threads, "test", patience))
        return pools[-1]

    yield made
    for pool in pools:
        pool.stop()


def held(pool: ElasticPool, count: int = 1) -> list[Held]:
    works = [Held() for _ in range(count)]
    for work in works:
        pool.submit(work)
    return works


def test_everything_is_done_in_the_order_it_came_by_one_thread(make: Make) -> None:
    pool, done, threads = make(1, 60.0), list[int](), set[threading.Thread]()

    def work(number: int) -> None:
        threads.add(threading.current_thread())
        done.append(number)

    for number in range(100):
        pool.submit(lambda n=number: work(n))  # type: ignore[misc]
    until(lambda: len(done) == 100)
    assert (done, len(threads)) == (list(range(100)), 1)


def test_as_many_run_side_by_side_as_it_has_threads_and_no_more(make: Make) -> None:
    pool = make(3, 60.0)
    works = held(pool, 4)
    for work in works[:3]:
        assert work.entered.wait(5)
    assert not works[3].entered.is_set()
    works[1].release.set()
    assert works[3].entered.wait(5)
    for work in works:
        work.release.set()


def test_what_hangs_does_not_keep_others_from_running(make: Make) -> None:
    pool = make(2, PATIENCE)
    hanging, behind = held(pool, 2), held(pool, 2)
    for work in (*hanging, *behind):
        assert work.entered.wait(5)
    done = threading.Event()
    pool.submit(done.set)
    assert done.wait(5), "those behind may hang, too"
    for work in (*hanging, *behind):
        work.release.set()


def test_what_hangs_alone_is_left_to_itself(make: Make) -> None:
    """A long piece of work is nobody's harm while nothing waits: no thread is made for its sake."""
    pool = make(1, 0.01)
    (work,) = held(pool)
    assert work.entered.wait(5)
    before = of_pools()
    assert not work.left.wait(0.05)
    assert of_pools() <= before
    work.release.set()


def test_what_comes_later_than_the_patience_of_one_that_hangs_runs_all_the_same(make: Make) -> None:
    pool = make(1, 0.01)
    (hanging,) = held(pool)
    assert hanging.entered.wait(5)
    assert not hanging.left.wait(0.05)
    done = threading.Event()
    pool.submit(done.set)
    assert done.wait(5)
    hanging.release.set()


def test_two_that_come_at_once_do_not_wait_for_one_another_while_threads_are_free(make: Make) -> None:
    """The idle thread takes one of them only, and that one may hang."""
    pool = make(4, 60.0)
    for _ in range(30):
        ready = threading.Event()
        pool.submit(ready.set)
        assert ready.wait(5)
        until(lambda: pool._idle)
        hanging, quick = Held(), threading.Event()
        pool.submit(hanging)
        pool.submit(quick.set)
        ran = quick.wait(1)
        hanging.release.set()
        assert hanging.left.wait(5)
        assert ran


def test_what_waits_for_a_thread_is_not_forgotten_when_the_last_idle_one_hangs_too(
    make: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever watches may look while that one is still idle."""
    pool = make(2, PATIENCE)
    (first,) = held(pool)
    ready = threading.Event()
    pool.submit(ready.set)
    assert ready.wait(5)
    until(lambda: pool._idle)
    second, quick = Held(), threading.Event()
    with monkeypatch.context() as slow:
        slow.setattr(pool._work, "notify", lambda: None)
        pool.submit(second)
        pool.submit(quick.set)
        # The watcher has had a look.
        until(lambda: pool._watched._waiters)  # type: ignore[attr-defined]
    with pool._lock:
        pool._work.notify()
    assert second.entered.wait(5)
    ran = quick.wait(2)
    first.release.set()
    second.release.set()
    assert ran


def test_a_thread_that_comes_back_late_ends(make: Make) -> None:
    pool = make(1, PATIENCE)
    (late,) = held(pool)
    done = threading.Event()
    pool.submit(done.set)
    assert done.wait(5)
    assert late.thread.is_alive()
    late.release.set()
    late.thread.join(5)
    assert not late.thread.is_alive()
    again = held(pool, 2)
    assert again[0].entered.wait(5)
    assert not again[1].entered.is_set(), "there is one thread, as before"
    for work in again:
        work.release.set()


def test_what_raises_harms_nobody(make: Make, caplog: pytest.LogCaptureFixture) -> None:
    pool, done = make(1, 60.0), threading.Event()

    def boom() -> None:
        raise SystemExit("goodbye")

    pool.submit(boom)
    pool.submit(done.set)
    assert done.wait(5)
    assert "goodbye" in caplog.text


def test_after_the_stop_nothing_begins_and_idle_threads_end(make: Make) -> None:
    pool = make(2, PATIENCE)
    (work,) = held(pool)
    assert work.entered.wait(5)
    idle: list[threading.Thread] = []
    pool.submit(lambda: idle.append(threading.current_thread()))
    until(lambda: idle and pool._idle)
    pool.stop()
    idle[0].join(5)
    assert not idle[0].is_alive()
    late = held(pool)[0]
    work.release.set()
    work.thread.join(5)
    assert not work.thread.is_alive()
    assert not late.entered.is_set()


def test_the_stop_drops_what_is_queued_and_waits_for_nobody(make: Make) -> None:
    pool = make(1, 60.0)
    running, queued = held(pool, 2)
    assert running.entered.wait(5)
    pool.stop()
    running.release.set()
    running.thread.join(5)
    assert not queued.entered.is_set()


def test_no_thread_keeps_the_process(make: Make) -> None:
    (work,) = held(make(1, PATIENCE))
    assert work.entered.wait(5)
    assert work.thread.daemon
    work.release.set()
