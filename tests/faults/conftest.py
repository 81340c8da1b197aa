"""Three real workers of one group, with a broker and a Redis of their own, for tests that kill, stop and cut off processes.

One installation serves all tests of this folder: each gets it healthy and has to leave it so.
"""

import itertools
import os
import signal
import subprocess
import threading
import uuid
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import httpx
import psutil
import pytest

from connect_client import ConnectClient
from local import supervise
from local.processes import WEB, manage
from tests import tally
from tests.conformance.cluster import Cluster
from tests.conformance.tail import Tail
from tests.faults.spread import TASKS, Spread
from tests.integration.conftest import source
from tests.running import PROJECT, RunningDrover, free_port, running
from tests.tally import Tallied
from tests.topics import values
from tests.waiting import eventually

WORKERS = ("worker", "worker-2", "worker-3")
SESSION_TIMEOUT = 6.0
#: A killed worker starts again by itself, and that takes the machine's cores.
BACK = 120.0
#: How long a caller of the second web process waits.
PATIENCE = 2.0
_beside = itertools.count(1)


@dataclass(frozen=True)
class Trio:
    drover: RunningDrover
    client: ConnectClient

    # --- looking ------------------------------------------------------------------------------------------------------

    def group(self) -> dict[str, Any]:
        answer: dict[str, Any] = httpx.get(f"{self.drover.url}/api/v1/workers", timeout=10).raise_for_status().json()
        return answer

    def members(self) -> set[str]:
        return {worker["worker_id"] for worker in self.group()["workers"]}

    def leader(self) -> str:
        """The name of the process that leads."""
        pid = next(worker["pid"] for worker in self.group()["workers"] if worker["leader"])
        return self.process_with(pid)

    def follower(self) -> str:
        """One that does not."""
        leader = self.leader()
        return next(name for name in WORKERS if name != leader)

    def process_with(self, pid: int) -> str:
        return next(name for name in WORKERS if self.drover.process_pid(name) == pid)

    def worker_id(self, name: str) -> str:
        pid = self.drover.process_pid(name)
        found: str = next(worker["worker_id"] for worker in self.group()["workers"] if worker["pid"] == pid)
        return found

    def places(self, names: set[str] | None = None) -> dict[str, str]:
        """Instance → worker, for all that is RUNNING; connectors by name, tasks as `name-0`."""
        shown = self.shown(names)
        return {key: seen.removeprefix("RUNNING on ") for key, seen in shown.items() if seen.startswith("RUNNING on ")}

    def shown(self, names: set[str] | None = None) -> dict[str, str]:
        """Instance → `RUNNING on <worker>`, or what state it has."""
        found: dict[str, str] = {}
        for name, connector in self.client.connectors().items():
            if connector.status is None or (names is not None and name not in names):
                continue
            status = connector.status
            seen = {name: status.connector} | {f"{name}-{task.id}": task for task in status.tasks}
            found |= {key: f"{instance.state} on {instance.worker_id}" for key, instance in seen.items()}
        return found

    def healthy(self) -> bool:
        group = self.group()
        whole = len(group["workers"]) == len(WORKERS) and not group["moving"]
        return whole and self.client.health().status == "healthy" and self.takes_writes()

    def takes_writes(self) -> bool:
        """While members still come, all is answered 409."""
        return httpx.post(f"{self.drover.url}/connectors/nobody/restart", timeout=70).status_code == 404

    def await_healthy(self, seconds: float = BACK) -> None:
        eventually(self.healthy, "Three workers", seconds)

    # --- doing --------------------------------------------------------------------------------------------------------

    def kill(self, name: str, number: int = signal.SIGKILL) -> None:
        """The worker process alone; its Spark driver notices by itself."""
        os.kill(self.drover.process_pid(name), number)

    def stop(self, name: str) -> None:
        """As an operator would: a clean end, and no new start."""
        with supervise.Remote(self.drover.installation) as remote:
            remote.stop_process(name)

    def start(self, name: str) -> None:
        with supervise.Remote(self.drover.installation) as remote:
            remote.start(name)

    @contextmanager
    def halted(self, name: str) -> Iterator[None]:
        """SIGSTOP, then SIGCONT."""
        process = psutil.Process(self.drover.process_pid(name))
        process.suspend()
        try:
            yield
        finally:
            process.resume()

    @contextmanager
    def beside(self, *command: str, **environment: str) -> Iterator[None]:
        """One more process of the installation, in the environment of its web process and what is given."""
        its_own = psutil.Process(self.drover.process_pid("web")).environ()
        log = self.drover.data_dir / "logs" / f"beside-{next(_beside)}.log"
        with log.open("wb") as output:
            process = subprocess.Popen(command, cwd=PROJECT, env={**its_own, **environment}, stdout=output, stderr=output)
        try:
            yield
        finally:
            process.terminate()
            try:
                process.wait(30)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()

    def gone(self, pid: int) -> None:
        eventually(lambda: not psutil.pid_exists(pid) or psutil.Process(pid).status() == psutil.STATUS_ZOMBIE)


@pytest.fixture(scope="package")
def trio_installation(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Trio]:
    settings = {
        "CONNECT_SESSION_TIMEOUT_MS": str(round(SESSION_TIMEOUT * 1000)),
        "DROVER_SPARK_DRIVER_MEMORY": "512m",
        "DROVER_REQUEST_TIMEOUT_MS": "60000",
        # A worker's first job takes seconds where three of them share two cores; cut off, it would be repeated.
        "CONNECT_TASK_SHUTDOWN_GRACEFUL_TIMEOUT_MS": "15000",
        **tally.ENVIRONMENT,
    }
    only = ",".join(("broker", "redis", *WORKERS, "web"))
    with (
        running(tmp_path_factory.mktemp("trio"), "--workers", "3", "--only", only, settings=settings) as drover,
        ConnectClient(drover.url, timeout=70) as client,
    ):
        yield Trio(drover, client)


@pytest.fixture
def trio(trio_installation: Trio) -> Iterator[Trio]:
    trio_installation.await_healthy()
    client = trio_installation.client
    before = set(client.connectors())
    yield trio_installation
    trio_installation.await_healthy()
    for name in set(client.connectors()) - before:
        client.delete(name)


@dataclass
class Flow:
    """Files that go on growing by numbered lines while they are copied into topics, one connector each."""

    trio: Trio
    folder: Path
    count: int
    unique: str = field(default_factory=lambda: uuid.uuid4().hex[:6])
    _written: int = 0
    _stop: threading.Event = field(default_factory=threading.Event)
    _thread: threading.Thread | None = None

    @property
    def names(self) -> list[str]:
        return [f"flow-{self.unique}-{number}" for number in range(self.count)]

    def topic(self, name: str) -> str:
        return f"topic-{name}"

    def begin(self) -> None:
        for name in self.names:
            file = self.folder / name
            file.touch()
            self.trio.client.create(name, source(name, file, self.topic(name)))
        self._thread = threading.Thread(target=self._write, daemon=True)
        self._thread.start()
        self.await_running()

    def _write(self) -> None:
        for number in itertools.count():
            for name in self.names:
                with (self.folder / name).open("a") as file:
                    file.write(f"{number}\n")
            self._written = number + 1
            # A line is a Spark job, and more than twenty a second is all that two cores can do: a worker that starts again, and
            # those who take over meanwhile, must get most of them.
            if self._stop.wait(max(0.05, self.count / 6)):
                return

    def await_running(self, seconds: float = 120.0) -> None:
        wanted = {*self.names, *(f"{name}-0" for name in self.names)}
        eventually(lambda: set(self.trio.places(set(self.names))) == wanted, "All of it running", seconds)

    def end(self) -> None:
        """Writes no more."""
        self._stop.set()
        assert self._thread is not None
        self._thread.join()

    def assert_complete(self, *, twice: bool, seconds: float = 120.0) -> None:
        """Every line in its topic, none missing; `twice` says whether some may be there more than once."""
        self.end()
        everything = [str(number).encode() for number in range(self._written)]
        for name in self.names:
            eventually(lambda name=name: self._arrived(name)[-1:] == everything[-1:], f"The last line of {name}", seconds)  # type: ignore[misc]
            arrived = self._arrived(name)
            assert sorted(set(arrived), key=lambda line: int(line or b"-1")) == everything, f"a gap in {name}"
            if not twice:
                assert arrived == everything, f"{name} has lines twice"

    def _arrived(self, name: str) -> list[bytes | None]:
        return values(self.trio.drover.bootstrap_servers, self.topic(name))


#: Makes a flow of so many files, and waits until all of it runs.
MakeFlow = Callable[[int], Flow]


@pytest.fixture
def make_flow(trio: Trio, tmp_path: Path) -> Iterator[MakeFlow]:
    flows: list[Flow] = []

    def make(count: int) -> Flow:
        flow = Flow(trio, tmp_path, count)
        flows.append(flow)
        flow.begin()
        return flow

    yield make
    for flow in flows:
        flow.end()


# --- a connector on three workers ---------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def cluster(trio_installation: Trio) -> Iterator[Cluster]:
    """As the first web process shows it."""
    servers = trio_installation.drover.bootstrap_servers
    tails = Tail(servers, "connect-configs"), Tail(servers, "connect-status")
    with httpx.Client(base_url=trio_installation.drover.url, timeout=70, trust_env=False) as http:
        yield Cluster("trio", http, *tails)
    for tail in tails:
        tail.close()


@pytest.fixture(scope="module")
def other(trio_installation: Trio, cluster: Cluster) -> Iterator[Cluster]:
    """The same cluster behind a second web process, whose callers wait for two seconds only."""
    port = free_port()
    command = manage(trio_installation.drover.installation, WEB)
    patience = str(round(PATIENCE * 1000))
    with (
        trio_installation.beside(*command, DROVER_PORT=str(port), DROVER_REQUEST_TIMEOUT_MS=patience),
        httpx.Client(base_url=f"http://127.0.0.1:{port}", timeout=70, trust_env=False) as http,
    ):
        eventually(lambda: http.get("/health").status_code == 200, "The second web process")
        yield replace(cluster, id="other", http=http)


@pytest.fixture(scope="module")
def make_spread(
    trio_installation: Trio, cluster: Cluster, tmp_path_factory: pytest.TempPathFactory
) -> Callable[[str, int], Spread]:
    def make(kind: str, tasks: int) -> Spread:
        tallied = Tallied(f"{kind}-{uuid.uuid4().hex[:6]}", tmp_path_factory.mktemp(kind))
        spread = Spread(trio_installation, cluster, tallied)
        spread.create(tasks)
        return spread

    return make


@pytest.fixture(scope="module")
def beacon(trio_installation: Trio, make_spread: Callable[[str, int], Spread]) -> Iterator[Spread]:
    """On every worker, for `barrier`."""
    trio_installation.await_healthy()
    beacon = make_spread("beacon", 3)
    yield beacon
    beacon.cluster.delete(beacon.name)


@pytest.fixture
def spread(make_spread: Callable[[str, int], Spread], beacon: Spread) -> Spread:
    """A connector with two tasks on each worker."""
    spread = make_spread("spread", len(TASKS))
    assert sorted(Counter(spread.owners()[task] for task in TASKS).values()) == [2, 2, 2]
    return spread


@pytest.fixture
def barrier(beacon: Spread) -> Callable[[], None]:
    """Returns when every worker has met everything that was asked, or written to the config topic, until now."""

    def barrier() -> None:
        owners, watch = beacon.owners(), beacon.cluster.watch(beacon.name)
        assert len({owners[task] for task in range(3)}) == 3, owners
        assert beacon.cluster.request("POST", beacon.path("restart?includeTasks=true")).status_code == 202
        for instance in owners:
            watch.expect_end(instance, "RUNNING")

    return barrier
