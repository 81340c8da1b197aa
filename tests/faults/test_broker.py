"""Kafka that goes away, and hands that write where only the leader should: F8, F12, F13, F14, F17, F31."""

import json
import signal
import time
import uuid
from pathlib import Path

import httpx
import psutil
import pytest
from confluent_kafka.admin import AdminClient, AlterConfigOpType, ConfigEntry, ConfigResource, ResourceType

from tests.faults.conftest import SESSION_TIMEOUT, WORKERS, MakeFlow, Trio
from tests.integration.conftest import source
from tests.topics import messages, produce, records
from tests.waiting import eventually
from workers.storage.kafka import Kafka

CONFIGS = "connect-configs"


def test_a_broker_that_is_restarted(trio: Trio, make_flow: MakeFlow) -> None:
    """F8: nothing is lost and everything goes on by itself."""
    flow = make_flow(4)
    psutil.Process(trio.drover.process_pid("broker")).terminate()
    eventually(trio.healthy)
    flow.await_running()
    flow.assert_complete(twice=True)


def cut_offs(trio: Trio, name: str) -> int:
    return trio.drover.log(name).count("Cut off from the group")


def test_a_broker_that_is_away_for_longer_than_a_session(trio: Trio, make_flow: MakeFlow) -> None:
    """F8: workers stop their tasks themselves; writes and `/health` say so; it all comes back alone."""
    flow = make_flow(4)
    before = [cut_offs(trio, name) for name in WORKERS]
    pids = [trio.drover.process_pid(name) for name in WORKERS]
    trio.stop("broker")
    try:
        eventually(
            lambda: all(cut_offs(trio, name) > seen for name, seen in zip(WORKERS, before, strict=True)),
            seconds=SESSION_TIMEOUT * 3,
        )
        health = httpx.get(f"{trio.drover.url}/health", timeout=30)
        assert health.status_code in {500, 503}
        assert trio.client.status(flow.names[0]).name == flow.names[0], "reads work"
    finally:
        trio.start("broker")
    trio.await_healthy()
    flow.await_running()
    assert [trio.drover.process_pid(name) for name in WORKERS] == pids, "nobody died of it"
    flow.assert_complete(twice=True)


def test_a_leader_that_is_fenced_steps_down_and_leads_again(trio: Trio, make_flow: MakeFlow) -> None:
    """F12: two would-be leaders. The one that comes second fences the first; what the first is asked meanwhile is refused or
    carried out, and never by halves."""
    (name,) = make_flow(1).names
    other = Kafka(trio.drover.bootstrap_servers).writer("usurper", "connect-cluster-connect-cluster")
    other.init_transactions(20)
    answer = httpx.put(f"{trio.drover.url}/connectors/{name}/pause", timeout=70)
    assert answer.status_code in {500, 409}
    if answer.status_code == 500:
        assert "Failed to write to config topic" in answer.json()["message"]
    assert trio.client.status(name).connector.state == "RUNNING", "nothing was changed"
    eventually(lambda: httpx.put(f"{trio.drover.url}/connectors/{name}/pause", timeout=70).status_code == 202)
    eventually(lambda: trio.client.status(name).tasks[0].state == "PAUSED")


def create(trio: Trio, folder: Path) -> str:
    name = f"by-hand-{uuid.uuid4().hex[:6]}"
    (folder / "in").touch()
    trio.client.create(name, source(name, folder / "in", f"topic-{name}"))
    eventually(lambda: [task.state for task in trio.client.status(name).tasks] == ["RUNNING"])
    return name


def restart_all(trio: Trio) -> None:
    """As after a power failure."""
    pids = [trio.drover.process_pid(name) for name in WORKERS]
    for pid in pids:
        psutil.Process(pid).kill()
    for pid in pids:
        trio.gone(pid)
    trio.await_healthy()


def test_task_configs_without_their_commit_are_not_used(trio: Trio, tmp_path: Path) -> None:
    """F13: also not by workers that start from there. The old set stays."""
    name = create(trio, tmp_path)
    half = {"properties": {"file": str(tmp_path / "other"), "topic": "other", "task.class": "x"}}
    produce(trio.drover.bootstrap_servers, CONFIGS, (f"task-{name}-0", json.dumps(half)))
    restart_all(trio)
    eventually(lambda: [task.state for task in trio.client.status(name).tasks] == ["RUNNING"])
    tasks = httpx.get(f"{trio.drover.url}/connectors/{name}/tasks", timeout=10).json()
    assert [task["config"]["file"] for task in tasks] == [str(tmp_path / "in")]


def test_a_commit_whose_task_configs_are_missing_has_them_made_anew(trio: Trio, tmp_path: Path) -> None:
    """F14: compaction may leave a commit without what it commits to."""
    name = create(trio, tmp_path)
    produce(trio.drover.bootstrap_servers, CONFIGS, (f"commit-{name}", json.dumps({"tasks": 2})))
    restart_all(trio)
    eventually(lambda: [task.state for task in trio.client.status(name).tasks] == ["RUNNING"])
    assert len(httpx.get(f"{trio.drover.url}/connectors/{name}/tasks", timeout=10).json()) == 1


def test_a_connector_created_anew_never_sees_its_predecessor_s_tasks(trio: Trio, tmp_path: Path) -> None:
    """F14, with compaction really run on the config topic."""
    name = create(trio, tmp_path)
    trio.client.delete(name)
    admin = AdminClient({"bootstrap.servers": trio.drover.bootstrap_servers})

    def configure(operation: AlterConfigOpType) -> None:
        eager = {
            "min.cleanable.dirty.ratio": "0.0",
            "segment.ms": "100",
            "delete.retention.ms": "0",
            "max.compaction.lag.ms": "1",
        }
        entries = [ConfigEntry(key, value, incremental_operation=operation) for key, value in eager.items()]
        resource = ConfigResource(ResourceType.TOPIC, CONFIGS, incremental_configs=entries)
        admin.incremental_alter_configs([resource])[resource].result(10)

    configure(AlterConfigOpType.SET)
    try:

        def compacted() -> bool:
            # A new segment begins with a record, and only what lies in closed ones is compacted.
            produce(trio.drover.bootstrap_servers, CONFIGS, ("restart-connector-nobody", json.dumps({})))
            return not any(
                message.key() == f"connector-{name}".encode() for message in messages(trio.drover.bootstrap_servers, CONFIGS)
            )

        eventually(compacted, "Compaction")
    finally:
        configure(AlterConfigOpType.DELETE)
    assert Kafka(trio.drover.bootstrap_servers).first_offsets(CONFIGS, [0]) == {0: 0}, "it does not look like one cut short"
    restart_all(trio)
    (tmp_path / "other").write_text("1\n2\n")
    trio.client.create(name, source(name, tmp_path / "other", f"topic-{name}-2"))
    eventually(lambda: [task.state for task in trio.client.status(name).tasks] == ["RUNNING"])
    (task,) = httpx.get(f"{trio.drover.url}/connectors/{name}/tasks", timeout=10).json()
    assert task["config"]["file"] == str(tmp_path / "other")


def test_a_restart_request_of_the_past_is_not_carried_out_by_who_starts(trio: Trio, tmp_path: Path) -> None:
    """F17."""
    name = create(trio, tmp_path)
    trio.client.restart(name, only_failed=False)
    eventually(lambda: [task.state for task in trio.client.status(name).tasks] == ["RUNNING"])
    follower = trio.follower()
    trio.stop(follower)
    seen = len(records(trio.drover.bootstrap_servers, "connect-status"))
    trio.start(follower)
    trio.await_healthy()
    later = list(messages(trio.drover.bootstrap_servers, "connect-status"))[seen:]
    states = [json.loads(value)["state"] for message in later if (value := message.value()) is not None]
    assert "RESTARTING" not in states
    assert all("Restarting" not in line for line in trio.drover.log(follower).splitlines()[-30:])


def test_a_connector_deleted_while_its_worker_is_away_stays_deleted(trio: Trio, make_flow: MakeFlow) -> None:
    """F31."""
    flow = make_flow(3)
    places = trio.places(set(flow.names))
    follower = trio.follower()
    mine = next(name for name in flow.names if places[name] == trio.worker_id(follower))
    pid = trio.drover.process_pid(follower)
    trio.kill(follower, signal.SIGKILL)
    trio.gone(pid)
    deleted = time.monotonic()
    trio.client.delete(mine)
    assert time.monotonic() - deleted < 20
    trio.await_healthy()
    assert mine not in trio.client.connectors()
    eventually(lambda: httpx.get(f"{trio.drover.url}/connectors/{mine}/status", timeout=10).status_code == 404)
    assert not any(mine in {task["connector"] for task in worker["tasks"]} for worker in trio.group()["workers"])


@pytest.mark.parametrize("topic", ["connect-configs"])
def test_the_topics_hold_no_more_than_there_is_to_say(trio: Trio, topic: str) -> None:
    """The truth stays small: a restart rewrites one key, and compaction keeps one of it."""
    keys = [message.key() for message in messages(trio.drover.bootstrap_servers, topic)]
    assert len(set(keys)) < 2000
