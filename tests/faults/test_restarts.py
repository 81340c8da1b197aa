"""Restarts under concurrency: F16."""

import json
from concurrent.futures import ThreadPoolExecutor

import httpx

from tests.faults.conftest import Flow, MakeFlow, Trio
from tests.topics import messages
from tests.waiting import eventually


def states(trio: Trio, key: str) -> list[str | None]:
    """Every state that was written of an instance."""
    found = [
        message.value() for message in messages(trio.drover.bootstrap_servers, "connect-status") if message.key() == key.encode()
    ]
    return [None if value is None else json.loads(value)["state"] for value in found]


def test_fifty_restarts_of_one_connector_at_once(trio: Trio, make_flow: MakeFlow) -> None:
    """F16: each is accepted, and each has a start after it; what anybody sees is RESTARTING, then RUNNING."""
    flow: Flow = make_flow(1)
    (name,) = flow.names
    before = {key: len(states(trio, key)) for key in (f"status-connector-{name}", f"status-task-{name}-0")}
    url = f"{trio.drover.url}/connectors/{name}/restart?includeTasks=true"
    with ThreadPoolExecutor(16) as pool:
        answers = list(pool.map(lambda _: httpx.post(url, timeout=70), range(50)))
    assert {answer.status_code for answer in answers} == {202}
    for answer in answers:
        body = answer.json()
        assert (body["connector"]["state"], [task["state"] for task in body["tasks"]]) == ("RESTARTING", ["RESTARTING"])
    flow.await_running()
    eventually(lambda: all(states(trio, key)[-1] == "RUNNING" for key in before))
    for key, seen in before.items():
        later = states(trio, key)[seen:]
        assert set(later) == {"RESTARTING", "RUNNING"}
        assert later.count("RUNNING") <= 50
    flow.assert_complete(twice=False)


def test_a_hundred_connectors_at_once_restart_side_by_side(trio: Trio, make_flow: MakeFlow) -> None:
    """All of them, wherever they run, from one caller each."""
    flow = make_flow(30)
    with ThreadPoolExecutor(16) as pool:
        answers = list(
            pool.map(
                lambda name: httpx.post(f"{trio.drover.url}/connectors/{name}/restart?includeTasks=true", timeout=70).status_code,
                flow.names,
            )
        )
    assert set(answers) == {202}
    flow.await_running(30)
    for name in flow.names:
        assert states(trio, f"status-task-{name}-0")[-2:] == ["RESTARTING", "RUNNING"]
    flow.assert_complete(twice=False)
