"""Levels of loggers in three workers behind two web processes (KIP-495, KIP-976; docs/decisions/0018-log-levels.md)."""

import uuid

import pytest

from tests.conformance.cluster import Cluster
from tests.faults.conftest import WORKERS, Trio
from tests.waiting import eventually


@pytest.fixture
def name() -> str:
    return f"org.example.{uuid.uuid4().hex[:8]}"


def who_set(trio: Trio, name: str, level: str) -> set[str]:
    """By their logs, into which a line comes a moment after it was written."""
    line = f"Setting level of namespace {name!r} and children to {level}"
    logs = trio.drover.data_dir / "logs"
    return {process for process in ("web", *WORKERS) if line in (logs / f"{process}.log").read_text(errors="replace")}


def level(web: Cluster, name: str) -> str:
    return str(web.request("GET", f"/admin/loggers/{name}").json().get("level"))


def test_every_worker_behind_the_web_process_that_is_asked(trio: Trio, cluster: Cluster, other: Cluster, name: str) -> None:
    assert cluster.request("PUT", f"/admin/loggers/{name}", {"level": "DEBUG"}).json() == [name]
    eventually(lambda: who_set(trio, name, "DEBUG") == {"web", *WORKERS}, "All have set it")
    # The other one has not changed its own, and shows what the workers have.
    assert level(other, name) == "DEBUG"
    assert cluster.request("PUT", f"/admin/loggers/{name}", {"level": "DEBUG"}).json() == []


def test_the_whole_cluster_follows_the_record(trio: Trio, cluster: Cluster, other: Cluster, name: str) -> None:
    assert other.request("PUT", f"/admin/loggers/{name}?scope=cluster", {"level": "ERROR"}).status_code == 204
    assert level(other, name) == "ERROR"
    eventually(lambda: who_set(trio, name, "ERROR") == {"web", *WORKERS}, "All have followed")
    assert level(cluster, name) == "ERROR"


def test_a_worker_that_hangs_is_named_and_the_others_have_changed(trio: Trio, cluster: Cluster, name: str) -> None:
    hanging = trio.follower()
    worker_id = trio.worker_id(hanging)
    with trio.halted(hanging):
        answer = cluster.request("PUT", f"/admin/loggers/{name}", {"level": "DEBUG"})
        shown = cluster.request("GET", f"/admin/loggers/{name}")
    assert answer.status_code == 500
    assert answer.json()["message"].startswith(f"Worker {worker_id} did not set the level: Request timed out")
    assert shown.json()["level"] == "DEBUG"
    eventually(lambda: set(WORKERS) - {hanging} <= who_set(trio, name, "DEBUG"), "The others have set it")
