"""The fleet on paper of the jobs, and what restarts by itself what fails there."""

from collections.abc import Callable
from datetime import timedelta

import pytest

from dashboard.models import AutoRestart, RestartPolicy
from dashboard.restarting.runner import Restarting
from tests.dashboard.jobs.conftest import Clock, Fleet, clock, fleet
from tests.waiting import eventually

__all__ = ["clock", "fleet"]

RESTART = "POST /connectors/{}/restart?includeTasks=true&onlyFailed=true"


@pytest.fixture
def policy(db: None) -> RestartPolicy:
    """The one that the migration makes."""
    return RestartPolicy.objects.get_or_create(name="Everything")[0]


@pytest.fixture
def runner(fleet: Fleet, clock: Clock, policy: RestartPolicy, monkeypatch: pytest.MonkeyPatch) -> Restarting:
    # What is done by hand is done by the same clock.
    monkeypatch.setattr("dashboard.actions._now", clock)
    return Restarting(clock=clock)


def heard(runner: Restarting) -> None:
    """All that was asked for has been answered; it is not written down yet."""
    eventually(lambda: runner._answers.qsize() == len(runner._asking))


def look(runner: Restarting, fleet: Fleet) -> None:
    """The followers look, and so does the runner; what it asks for is answered and written down."""
    fleet.look()
    runner.step()
    heard(runner)
    runner.step()


def goes_by(
    runner: Restarting, fleet: Fleet, clock: Clock, time: timedelta, meanwhile: Callable[[], None] = lambda: None
) -> None:
    """In steps of ten seconds."""
    for _ in range(time // timedelta(seconds=10)):
        clock.forward(10)
        meanwhile()
        look(runner, fleet)


def row(connector: str = "orders") -> AutoRestart:
    return AutoRestart.objects.get(connector=connector)


def is_kept(connector: str = "orders") -> bool:
    """Whether anything is."""
    return AutoRestart.objects.filter(connector=connector).exists()
