"""A cluster of two workers, of which one goes and comes back."""

import uuid
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

import pytest

from connect_client import ConnectClient
from dashboard.models import Cluster
from local import supervise
from tests.dashboard.resources.checklist.conftest import SINK, becomes
from tests.dashboard.resources.conftest import put, ready
from tests.peer import connect_worker
from tests.proxy import Proxy
from tests.running import running
from tests.waiting import eventually


@dataclass(frozen=True)
class Pair:
    """The first worker answers at `client`'s; the second one is stopped, as an operator would, and started."""

    client: ConnectClient
    stop: Callable[[], None]
    start: Callable[[], None]


@pytest.fixture(scope="module")
def drover_pair(kafka: str, redis_url: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Pair]:
    group = f"pair-{uuid.uuid4().hex[:6]}"
    topics = {f"CONNECT_{kind}_STORAGE_TOPIC": f"{group}-{kind.lower()}" for kind in ("CONFIG", "OFFSET", "STATUS")}
    settings = {"CONNECT_GROUP_ID": group, "DROVER_SPARK_DRIVER_MEMORY": "512m", **topics}
    flags = ("--workers", "2", "--only", "worker,worker-2,web")
    installation = running(
        tmp_path_factory.mktemp("pair"), *flags, bootstrap_servers=kafka, redis_url=redis_url, settings=settings
    )
    with installation as drover, ConnectClient(drover.url) as client, supervise.Remote(drover.installation) as remote:
        yield Pair(client, lambda: remote.stop_process("worker-2"), lambda: remote.start("worker-2"))


@pytest.fixture(scope="module")
def connect_pair(kafka: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Pair]:
    group, folders = f"pair-{uuid.uuid4().hex[:6]}", [tmp_path_factory.mktemp("pair") for _ in range(2)]
    # Else what a worker had that has gone is nobody's for five minutes.
    settings = {"scheduled.rebalance.max.delay.ms": "0"}

    def worker(folder: Path) -> None:
        second.enter_context(connect_worker(kafka, folder, group=group, settings=settings))

    with connect_worker(kafka, folders[0], group=group, settings=settings) as client, ExitStack() as second:
        worker(folders[1])
        yield Pair(client, second.close, lambda: worker(folders[1]))


@pytest.fixture(scope="module", params=["drover", "connect"])
def pair(request: pytest.FixtureRequest) -> Pair:
    found: Pair = request.getfixturevalue(f"{request.param}_pair")
    return found


@pytest.fixture(scope="module")
def connect(pair: Pair) -> ConnectClient:
    return pair.client


def test_a_connector_on_two_workers(pair: Pair, cluster: Cluster, proxy: Proxy, name: str, tmp_path: Path) -> None:
    """It is Ready with its tasks on all workers that there are, and nothing is asked for anew."""

    def is_on(workers: int) -> None:
        def so() -> bool:
            found = becomes(name, "RUNNING", "RUNNING", "RUNNING", "RUNNING")
            return len({task["worker_id"] for task in found["connectorStatus"]["tasks"]}) == workers and ready(found) == ["Ready"]

        eventually(so, f"its tasks are on {workers}")

    config = {"topics": name, "file": str(tmp_path / "out.txt")}
    put(name, cluster="real", spec={"class": SINK, "tasksMax": 3, "config": config})
    is_on(2)
    pair.stop()
    is_on(1)
    pair.start()
    is_on(2)
    assert proxy.taken() == ["POST /connectors"]
