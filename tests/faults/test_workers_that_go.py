"""Workers that die: F2."""

import time
from collections import Counter
from collections.abc import Callable

from tests.faults.conftest import SESSION_TIMEOUT, Flow, Trio
from tests.waiting import eventually

MakeFlow = Callable[[int], Flow]


def spread(places: dict[str, str]) -> list[int]:
    """How many connectors and how many tasks each worker has, as the difference between most and least."""
    connectors = Counter(worker for instance, worker in places.items() if not instance.endswith("-0"))
    tasks = Counter(worker for instance, worker in places.items() if instance.endswith("-0"))
    return [max(count.values()) - min(count.values()) for count in (connectors, tasks)]


def test_a_killed_worker_s_sixty_tasks_run_elsewhere_within_the_session_and_ten_seconds(trio: Trio, make_flow: MakeFlow) -> None:
    """F2, and nothing else has moved."""
    flow = make_flow(60)
    before = trio.places()
    assert (len(before), len(set(before.values()))) == (120, 3)
    assert all(difference <= 1 for difference in spread(before))
    name = trio.follower()
    victim = trio.worker_id(name)
    killed = time.monotonic()
    trio.kill(name)

    def moved() -> bool:
        places = trio.places()
        return len(places) == 120 and victim not in places.values()

    eventually(moved, SESSION_TIMEOUT + 10)
    took = time.monotonic() - killed
    assert took < SESSION_TIMEOUT + 10
    meanwhile = trio.places()
    stayed = {instance: worker for instance, worker in before.items() if worker != victim}
    assert {instance: meanwhile[instance] for instance in stayed} == stayed, "only the dead worker's instances moved"
    flow.assert_complete(twice=True)


def test_the_leader_is_killed(trio: Trio, make_flow: MakeFlow) -> None:
    """F2: what is asked meanwhile waits for the next leader and is answered by it."""
    flow = make_flow(6)
    name = trio.leader()
    trio.kill(name)
    asked = time.monotonic()
    trio.client.pause(flow.names[0])
    assert time.monotonic() - asked < SESSION_TIMEOUT + 10
    eventually(lambda: trio.client.status(flow.names[0]).tasks[0].state == "PAUSED", SESSION_TIMEOUT + 10)
    trio.client.resume(flow.names[0])
    flow.await_running(SESSION_TIMEOUT + 20)
    flow.assert_complete(twice=True)
