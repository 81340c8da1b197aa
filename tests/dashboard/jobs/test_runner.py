"""Which process works on which job."""

import threading

import pytest

from dashboard.control import leases
from dashboard.control.crew import MOST_AT_ONCE
from dashboard.jobs import claims
from dashboard.jobs.runner import Jobs
from dashboard.models import Job
from tests.dashboard.jobs.conftest import Clock, Fleet, job_of


class Held(Jobs):
    """Its jobs do nothing until they are let go."""

    def __init__(self) -> None:
        super().__init__()
        self.begun: list[int] = []
        self.let_go = threading.Event()

    def work(self, item: int, stop: threading.Event) -> None:
        self.begun.append(item)
        assert self.let_go.wait(20)


@pytest.fixture
def jobs(fleet: Fleet) -> list[int]:
    fleet.add("eu", orders="RUNNING FAILED")
    return [job_of().pk for _ in range(MOST_AT_ONCE + 2)]


def test_each_job_is_one_process_s(jobs: list[int], clock: Clock) -> None:
    first, second = Held(), Held()
    for _ in range(2):
        first.step()
        second.step()
    assert (sorted(first.begun), sorted(second.begun)) == (jobs[:MOST_AT_ONCE], jobs[MOST_AT_ONCE:])
    assert set(Job.objects.values_list("state", flat=True)) == {"running"}
    for runner in (first, second):
        runner.let_go.set()
        runner.stop()


def test_a_job_that_was_left_is_taken_up_at_once(jobs: list[int], clock: Clock) -> None:
    assert claims.claim(jobs[0], "x", clock())
    assert jobs[0] not in claims.claimable(clock())
    leases.release(claims.rows([jobs[0]]), "x")
    assert claims.claimable(clock())[0] == jobs[0]
    assert claims.claim(jobs[0], "y", clock())
    leases.release(claims.rows([jobs[0]]), "x")
    assert jobs[0] not in claims.claimable(clock()), "another's claim is not for it to release"
