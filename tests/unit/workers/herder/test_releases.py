"""What a worker tells the leader it has stopped: never more than it has."""

from concurrent.futures import Future
from typing import Any

from workers.herder.releases import Releases

Stop = Future[Any]


class Told:
    """Releases whose every end is taken up at once, as on the herder's thread; `told` is what the leader hears."""

    def __init__(self) -> None:
        self.told: list[int] = []
        self.releases = Releases(self._finish)

    def _finish(self, epoch: int) -> None:
        reached = self.releases.finish(epoch)
        if reached is not None:
            self.told.append(reached)


def stopped() -> Stop:
    stop: Stop = Future()
    stop.set_result(None)
    return stop


def test_what_has_stopped_already_is_told_at_once() -> None:
    worker = Told()
    worker.releases.await_all(5, [stopped()])
    assert worker.told == [5]


def test_nothing_is_told_of_an_epoch_before_the_last_of_it_has_stopped() -> None:
    worker, stops = Told(), [Stop(), Stop(), Stop()]
    worker.releases.await_all(5, stops)
    for stop in stops[:2]:
        stop.set_result(None)
    assert max(worker.told, default=-1) < 5
    stops[2].set_result(None)
    assert worker.told[-1] == 5


def test_one_that_ends_in_an_error_has_stopped() -> None:
    worker, stop = Told(), Stop()
    worker.releases.await_all(5, [stop])
    stop.set_exception(RuntimeError("did not stop cleanly"))
    assert worker.told == [5]


def test_an_earlier_epoch_that_still_stops_something_holds_back_the_later() -> None:
    worker, early, late = Told(), Stop(), Stop()
    worker.releases.await_all(5, [early])
    worker.releases.await_all(8, [late])
    late.set_result(None)
    assert max(worker.told, default=-1) < 5
    early.set_result(None)
    assert worker.told[-1] == 8


def test_what_is_said_only_grows_and_is_said_once() -> None:
    worker, late = Told(), Stop()
    worker.releases.await_all(5, [stopped()])
    worker.releases.await_all(5, [stopped()])
    worker.releases.await_all(8, [late])
    worker.releases.await_all(5, [stopped()])
    late.set_result(None)
    worker.releases.await_all(6, [stopped()])
    assert worker.told == sorted(set(worker.told))
    assert (worker.told[0], worker.told[-1]) == (5, 8)


def test_an_epoch_that_took_nothing_is_not_spoken_of() -> None:
    worker = Told()
    worker.releases.await_all(5, [])
    assert worker.told == []
