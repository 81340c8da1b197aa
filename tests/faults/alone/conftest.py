"""One worker with a broker and a Redis of its own, and with connectors installed that misbehave.

One installation serves all tests of this folder: each gets it healthy and has to leave it so.
"""

import uuid
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from confluent_kafka.admin import AdminClient

from connect_client import ConnectClient
from connect_client.errors import ConnectRefused
from local import supervise
from tests.integration.conftest import source
from tests.running import RunningDrover, running
from tests.topics import values
from tests.waiting import eventually, eventually_as

PLUGINS = Path(__file__).resolve().parent.parent / "plugins"
JAVA = "org.apache.kafka.common.config.provider"
REQUEST_TIMEOUT = 8.0
BACK = 60.0


@dataclass(frozen=True)
class Alone:
    drover: RunningDrover
    client: ConnectClient
    #: A folder that config providers may read.
    secrets: Path
    admin: AdminClient

    @property
    def bootstrap(self) -> str:
        return self.drover.bootstrap_servers

    def healthy(self) -> bool:
        return self.client.health().status == "healthy"

    def states(self, name: str) -> list[str]:
        """The connector's and its tasks'; none without a status."""
        try:
            status = self.client.status(name)
        except ConnectRefused:
            return []
        return [status.connector.state, *(task.state for task in status.tasks)]

    def await_states(self, name: str, *states: str, seconds: float = 120.0) -> None:
        eventually_as(lambda: {name: ", ".join(self.states(name))}, {name: ", ".join(states)}, seconds=seconds)

    def records(self, topic: str) -> list[bytes | None]:
        return values(self.bootstrap, topic)

    def stop(self, process: str) -> None:
        """As an operator would: a clean end, and no new start."""
        with supervise.Remote(self.drover.installation) as remote:
            remote.stop_process(process)

    def start(self, process: str) -> None:
        with supervise.Remote(self.drover.installation) as remote:
            remote.start(process)


@dataclass(frozen=True)
class Copying:
    """A file that is copied into a topic line by line: what must go on whatever happens to others."""

    alone: Alone
    name: str
    file: Path

    @property
    def topic(self) -> str:
        return f"topic-{self.name}"

    def begin(self) -> None:
        self.file.touch()
        self.alone.client.create(self.name, source(self.name, self.file, self.topic))
        self.alone.await_states(self.name, "RUNNING", "RUNNING")

    def goes_on(self, seconds: float = 20.0) -> None:
        """What is written now arrives."""
        line = uuid.uuid4().hex
        with self.file.open("a") as file:
            file.write(f"{line}\n")
        eventually(lambda: line.encode() in self.alone.records(self.topic), f"What {self.name} copies", seconds)


@pytest.fixture(scope="package")
def alone_installation(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Alone]:
    secrets = tmp_path_factory.mktemp("secrets")
    settings = {
        "PYTHONPATH": str(PLUGINS),
        "DROVER_REQUEST_TIMEOUT_MS": str(round(REQUEST_TIMEOUT * 1000)),
        "CONNECT_TASK_SHUTDOWN_GRACEFUL_TIMEOUT_MS": "1000",
        "CONNECT_SESSION_TIMEOUT_MS": "6000",
        "DROVER_SPARK_DRIVER_MEMORY": "512m",
        # Of a function that hangs in Spark's own processes each holds one.
        "SPARK_MASTER": "local[4]",
        # More than hang at once in one test: nobody has to wait until another thread takes the place of one.
        "DROVER_JOB_THREADS": "10",
        "CONNECT_CONFIG_PROVIDERS": "file,dir,env",
        "CONNECT_CONFIG_PROVIDERS_FILE_CLASS": f"{JAVA}.FileConfigProvider",
        "CONNECT_CONFIG_PROVIDERS_FILE_PARAM_ALLOWED_PATHS": str(secrets),
        "CONNECT_CONFIG_PROVIDERS_DIR_CLASS": f"{JAVA}.DirectoryConfigProvider",
        "CONNECT_CONFIG_PROVIDERS_DIR_PARAM_ALLOWED_PATHS": str(secrets),
        "CONNECT_CONFIG_PROVIDERS_ENV_CLASS": f"{JAVA}.EnvVarConfigProvider",
        "CONNECT_CONFIG_PROVIDERS_ENV_PARAM_ALLOWLIST_PATTERN": "^DROVER_TEST_",
    }
    only = "broker,redis,worker,web"
    with (
        running(tmp_path_factory.mktemp("alone"), "--only", only, settings=settings) as drover,
        ConnectClient(drover.url, timeout=30) as client,
    ):
        # Whoever looks must not make what he looks for.
        admin = AdminClient({"bootstrap.servers": drover.bootstrap_servers, "allow.auto.create.topics": False})
        yield Alone(drover, client, secrets, admin)


@pytest.fixture
def alone(alone_installation: Alone) -> Iterator[Alone]:
    eventually(alone_installation.healthy, seconds=BACK)
    client = alone_installation.client
    before = set(client.connectors())
    yield alone_installation
    eventually(alone_installation.healthy, seconds=BACK)
    for name in set(client.connectors()) - before:
        client.delete(name)


@pytest.fixture
def copying(alone: Alone, tmp_path: Path) -> Copying:
    """One that runs."""
    made = Copying(alone, f"copying-{uuid.uuid4().hex[:6]}", tmp_path / "copied")
    made.begin()
    return made
