"""Workers that leave, die or are cut off: F1, F2, F4, F10, F11."""

import signal
import threading
import time
from collections import Counter

import psutil

from connect_client import ConnectConflict, ConnectError
from tests.faults.conftest import BACK, SESSION_TIMEOUT, WORKERS, MakeFlow, Trio
from tests.waiting import eventually, eventually_as


def spread(places: dict[str, str]) -> list[int]:
    """How many connectors and how many tasks each worker has, as the difference between most and least."""
    connectors = Counter(worker for instance, worker in places.items() if not instance.endswith("-0"))
    tasks = Counter(worker for instance, worker in places.items() if instance.endswith("-0"))
    return [max(count.values()) - min(count.values()) for count in (connectors, tasks)]


def test_a_killed_worker_s_sixty_tasks_run_elsewhere_within_the_session_and_ten_seconds(trio: Trio, make_flow: MakeFlow) -> None:
    """F2, and the homecoming: when the worker is back it gets its own, and nothing else has moved."""
    flow = make_flow(60)
    before = trio.places()
    assert (len(before), len(set(before.values()))) == (120, 3)
    assert all(difference <= 1 for difference in spread(before))
    name = trio.follower()
    victim = trio.worker_id(name)
    killed = time.monotonic()
    trio.kill(name)

    def unmoved() -> dict[str, str]:
        return {key: seen for key, seen in trio.shown().items() if not seen.startswith("RUNNING") or seen.endswith(f" {victim}")}

    eventually_as(unmoved, {}, "All of it running elsewhere", seconds=SESSION_TIMEOUT + 10)
    took = time.monotonic() - killed
    assert took < SESSION_TIMEOUT + 10
    meanwhile = trio.places()
    stayed = {instance: worker for instance, worker in before.items() if worker != victim}
    assert {instance: meanwhile[instance] for instance in stayed} == stayed, "only the dead worker's instances moved"
    eventually_as(trio.places, before, "Everything where it was", seconds=BACK)
    flow.assert_complete(twice=True)


def test_the_leader_is_killed(trio: Trio, make_flow: MakeFlow) -> None:
    """F2: what is asked meanwhile waits for the next leader and is answered by it."""
    flow = make_flow(6)
    name = trio.leader()
    trio.kill(name)
    asked = time.monotonic()
    trio.client.pause(flow.names[0])
    assert time.monotonic() - asked < SESSION_TIMEOUT + 10
    eventually(lambda: trio.client.status(flow.names[0]).tasks[0].state == "PAUSED", seconds=SESSION_TIMEOUT + 10)
    trio.client.resume(flow.names[0])
    flow.await_running(SESSION_TIMEOUT + 20)
    flow.assert_complete(twice=True)


def test_workers_bounced_one_after_another(trio: Trio, make_flow: MakeFlow) -> None:
    """F1: no line is lost and none comes twice; meanwhile the API answers, if need be with a 409."""
    flow = make_flow(6)
    answers: list[str] = []
    over = threading.Event()

    def ask() -> None:
        while not over.is_set():
            for call in (trio.client.pause, trio.client.resume):
                try:
                    call(flow.names[0])
                except ConnectConflict:
                    answers.append("409")
                except ConnectError as error:
                    answers.append(str(error))
                else:
                    answers.append("2xx")
            over.wait(0.5)

    asking = threading.Thread(target=ask, daemon=True)
    asking.start()
    for name in WORKERS:
        pid = trio.drover.process_pid(name)
        trio.kill(name, signal.SIGTERM)
        trio.gone(pid)
        flow.await_running()
        trio.await_healthy()
    over.set()
    asking.join()
    assert set(answers) <= {"2xx", "409"}
    assert "2xx" in answers
    flow.await_running()
    flow.assert_complete(twice=False)


def test_all_workers_at_once(trio: Trio, make_flow: MakeFlow) -> None:
    """F4: what was paused or stopped still is, and what ran goes on."""
    flow = make_flow(4)
    running, paused, stopped, _ = flow.names
    trio.client.pause(paused)
    trio.client.stop(stopped)
    eventually(lambda: trio.client.status(paused).tasks[0].state == "PAUSED" and not trio.client.status(stopped).tasks)
    pids = [trio.drover.process_pid(name) for name in WORKERS]
    for pid in pids:
        psutil.Process(pid).kill()
    for pid in pids:
        trio.gone(pid)
    trio.await_healthy()
    wanted = {running: "RUNNING", f"{running}-0": "RUNNING", paused: "PAUSED", f"{paused}-0": "PAUSED", stopped: "STOPPED"}

    def states() -> dict[str, str]:
        return {key: seen.partition(" on ")[0] for key, seen in trio.shown({running, paused, stopped}).items()}

    # Each gets its place first, and takes it up then.
    eventually_as(states, wanted, "As it was wanted")
    trio.client.resume(paused)
    trio.client.resume(stopped)
    flow.await_running()
    flow.assert_complete(twice=True)


def test_a_worker_halted_for_longer_than_its_session(trio: Trio, make_flow: MakeFlow) -> None:
    """F10, F11: its instances run elsewhere; when it goes on it notices before it writes, and what it says is not believed."""
    flow = make_flow(6)
    for name in (trio.follower(), trio.leader()):
        victim = trio.worker_id(name)
        with trio.halted(name):
            eventually(
                lambda victim=victim: len(trio.places()) == 12 and victim not in trio.places().values(),  # type: ignore[misc]
                seconds=SESSION_TIMEOUT + 15,
            )
        trio.await_healthy()
        flow.await_running()
        eventually(lambda: all(difference <= 1 for difference in spread(trio.places())), what="Balance")
    flow.assert_complete(twice=True)
