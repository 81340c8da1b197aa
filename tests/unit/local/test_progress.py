import pytest
from supervisor.states import ProcessStates

from local.processes import ProcessSpec, Runs
from local.progress import DEATHS_ALLOWED, Progress, awaited, failure, note_deaths, startable

ALONE = ProcessSpec("alone", ("true",), Runs())
FIRST = ProcessSpec("first", ("true",), Runs())
SECOND = ProcessSpec("second", ("true",), Runs(), after=("first", "alone"))
PLAN = (ALONE, FIRST, SECOND)


@pytest.mark.parametrize(
    ("started", "ready", "names"),
    [
        ((), (), ["alone", "first"]),
        (("alone", "first"), (), []),
        (("alone", "first"), ("first",), []),
        (("alone", "first"), ("first", "alone"), ["second"]),
        (("alone", "first", "second"), ("first", "alone"), []),
    ],
)
def test_startable(started: tuple[str, ...], ready: tuple[str, ...], names: list[str]) -> None:
    progress = Progress(started=dict.fromkeys(started, 0.0), ready=dict.fromkeys(ready, 1.0))
    assert [spec.name for spec in startable(PLAN, progress)] == names


def test_awaited() -> None:
    progress = Progress(started={"alone": 0.0, "first": 0.0}, ready={"first": 1.0})
    assert awaited(PLAN, progress) == [ALONE]


def info(state: int, start: int) -> dict[str, int]:
    return {"state": state, "start": start}


def test_each_death_counts_once() -> None:
    progress = Progress(ready={"alone": 1.0, "first": 1.0})
    seen = {"alone": info(ProcessStates.BACKOFF, 100), "first": info(ProcessStates.RUNNING, 100)}
    note_deaths(progress, seen)
    note_deaths(progress, seen)
    assert progress.deaths == {"alone": {100}}
    note_deaths(progress, {"alone": info(ProcessStates.EXITED, 107)})
    assert progress.deaths == {"alone": {100, 107}}
    # What died has to show anew that it is ready.
    assert progress.ready == {"first": 1.0}


def test_a_process_that_keeps_dying_fails_the_start() -> None:
    progress = Progress(started={"alone": 0.0}, deaths={"alone": set(range(DEATHS_ALLOWED - 1))})
    assert failure(PLAN, progress, now=1.0, timeout=60) is None
    progress.deaths["alone"].add(999)
    failed = failure(PLAN, progress, now=1.0, timeout=60)
    assert failed is not None
    assert (failed.name, str(failed)) == ("alone", "alone keeps dying")


def test_a_process_that_is_not_ready_in_time_fails_the_start() -> None:
    progress = Progress(started={"alone": 0.0, "first": 30.0}, ready={"alone": 1.0})
    assert failure(PLAN, progress, now=90.0, timeout=60) is None
    failed = failure(PLAN, progress, now=90.1, timeout=60)
    assert failed is not None
    assert (failed.name, str(failed)) == ("first", "first was not ready within 60 s")
