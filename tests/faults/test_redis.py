"""Redis that forgets, dies, or delivers twice; and a leader that dies with a question in its hands: F3, F5, F6, F7."""

import threading
import time
import uuid

import httpx
import pytest
import redis
from celery import Celery

from connect_client import ConnectRefused
from tests.faults.conftest import SESSION_TIMEOUT, Flow, MakeFlow, Trio
from tests.integration.conftest import source
from tests.topics import messages, values
from tests.waiting import eventually


def records_of(trio: Trio, key: str) -> int:
    """How many records of that key the config topic holds."""
    found = messages(trio.drover.bootstrap_servers, "connect-configs")
    return sum(message.key() == key.encode() for message in found)


def said_of(trio: Trio, flow: Flow) -> int:
    """How many states of the flow's connectors and tasks were written."""
    keys = {f"status-connector-{name}" for name in flow.names} | {f"status-task-{name}-0" for name in flow.names}
    return sum((message.key() or b"").decode() in keys for message in messages(trio.drover.bootstrap_servers, "connect-status"))


class Asking:
    """A request made on a thread of its own; `status` is what came of it."""

    def __init__(self, method: str, url: str) -> None:
        self.status: int | None = None
        self._thread = threading.Thread(target=self._ask, args=(method, url), daemon=True)
        self._thread.start()

    def _ask(self, method: str, url: str) -> None:
        self.status = httpx.request(method, url, timeout=70).status_code

    def wait(self, seconds: float) -> int | None:
        self._thread.join(seconds)
        return self.status


def test_a_question_in_the_hands_of_a_leader_that_is_killed_is_carried_out_once(trio: Trio, make_flow: MakeFlow) -> None:
    """F3: within a minute, by the next leader."""
    (name,) = make_flow(1).names
    key = f"target-state-{name}"
    leader = trio.leader()
    before = records_of(trio, key)
    with trio.halted(leader):
        # Taken from the queue by one who does nothing with it any more.
        asking = Asking("PUT", f"{trio.drover.url}/connectors/{name}/pause")
        assert asking.wait(1.0) is None
        trio.kill(leader)
    assert asking.wait(60) == 202
    eventually(lambda: trio.client.status(name).tasks[0].state == "PAUSED")
    assert records_of(trio, key) == before + 1


def test_without_redis_tasks_go_on_reads_work_and_writes_are_refused_at_once(trio: Trio, make_flow: MakeFlow) -> None:
    """F6, and F5's other half: it is killed, and comes back empty."""
    flow = make_flow(3)
    trio.stop("redis")
    try:
        before = {name: len(values(trio.drover.bootstrap_servers, flow.topic(name))) for name in flow.names}
        asked = time.monotonic()
        with pytest.raises(ConnectRefused, match="Redis cannot be reached") as refused:
            trio.client.pause(flow.names[0])
        assert (refused.value.status, time.monotonic() - asked < 5) == (503, True)
        assert trio.client.status(flow.names[0]).connector.state == "RUNNING"
        eventually(
            lambda: all(len(values(trio.drover.bootstrap_servers, flow.topic(name))) > before[name] + 20 for name in flow.names),
            what="Lines that arrive without Redis",
        )
    finally:
        trio.start("redis")
    eventually(lambda: trio.client.health().status == "healthy")
    trio.client.pause(flow.names[0])
    trio.client.resume(flow.names[0])
    flow.assert_complete(twice=False)


def test_redis_that_forgets_everything_loses_nothing(trio: Trio, make_flow: MakeFlow) -> None:
    """F5: no running task stops, and what is asked at that moment is answered."""
    flow = make_flow(4)
    places = trio.places(set(flow.names))
    client = redis.Redis.from_url(trio.drover.redis_url)
    before = said_of(trio, flow)
    over = threading.Event()

    def flush() -> None:
        while not over.wait(0.02):
            client.flushall()

    flushing = threading.Thread(target=flush, daemon=True)
    flushing.start()
    answers = [httpx.put(f"{trio.drover.url}/connectors/{flow.names[0]}/resume", timeout=70).status_code for _ in range(20)]
    over.set()
    flushing.join()
    assert set(answers) == {202}
    assert trio.places(set(flow.names)) == places
    assert said_of(trio, flow) == before, "nobody has stopped or started"
    flow.assert_complete(twice=False)


def test_a_message_that_comes_three_times_counts_once(trio: Trio, make_flow: MakeFlow) -> None:
    """F7."""
    (name,) = make_flow(1).names
    key = f"restart-connector-{name}"
    before = records_of(trio, key)
    app = Celery(broker=trio.drover.redis_url)
    request = uuid.uuid4().hex
    arguments = {"connector": name, "only_failed": False, "include_tasks": True}
    for _ in range(3):
        app.send_task(
            "workers.herder.request", [request, "restart_connector", arguments, 30.0, False], queue="connect-cluster.herder"
        )
    eventually(lambda: records_of(trio, key) == before + 1)
    # Whatever came after the three has been taken after them.
    trio.client.resume(name)
    assert records_of(trio, key) == before + 1


def test_a_request_that_was_given_up_is_not_carried_out(trio: Trio, tmp_path_factory: pytest.TempPathFactory) -> None:
    """F15's other side: after a time-out nothing is recorded. Its asker withdraws it as the web process would."""
    name = f"late-{uuid.uuid4().hex[:6]}"
    request = uuid.uuid4().hex
    client = redis.Redis.from_url(trio.drover.redis_url)
    client.set(f"drover:claim:{request}", "withdrawn", ex=60)
    config = source(name, tmp_path_factory.mktemp("late") / "in", f"topic-{name}")
    arguments = {"name": name, "config": config, "initial_state": None}
    app = Celery(broker=trio.drover.redis_url)
    app.send_task("workers.herder.request", [request, "create_connector", arguments, 30.0, False], queue="connect-cluster.herder")
    eventually(lambda: client.llen("connect-cluster.herder") == 0, seconds=SESSION_TIMEOUT)
    trio.client.health()
    assert name not in trio.client.connectors()
