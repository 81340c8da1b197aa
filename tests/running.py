"""Starts and stops real installations through `manage.py`, as a user would. For fixtures; not a test module."""

import fcntl
import itertools
import os
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import TextIO

import psutil

from config.env import name_of
from connect_client import ConnectClient
from local import java, kafka, leftovers, supervise
from local.installation import Installation, this_installation
from local.probes import kafka_answers
from local.start import make_folders
from tests.waiting import eventually

PROJECT = Path(__file__).resolve().parent.parent
MANAGE = (sys.executable, str(PROJECT / "manage.py"))
# What an installation takes: web, Kafka, Kafka's controller, Redis.
PORTS_EACH = 4
# Below those that the kernel gives to whoever connects; a block for each process of tests.
PORTS = (20_000, 32_000)
BLOCK = 500
# What the developer's own shell may name; a test's installation is to know only what the test gives it.
PASSWORD = "a password of tests"
# In the data folder of those installations that are given one.
CLUSTERS_FILE, NO_CLUSTERS = "clusters.yaml", "clusters: []"
PARTS = ("KAFKA_BOOTSTRAP_SERVERS", "REDIS_URL", "DATABASE_URL", "SPARK_MASTER", "DROVER_HOST", "DROVER_SECRET_KEY")


@dataclass(frozen=True)
class RunningDrover:
    """An installation that is up. `username` and `password` sign in to the control room."""

    url: str
    port: int
    bootstrap_servers: str
    redis_url: str
    data_dir: Path
    username: str = "admin"
    password: str = PASSWORD

    @contextmanager
    def client(self) -> Iterator[ConnectClient]:
        """The REST API; connectors that are made meanwhile are deleted at the end."""
        with ConnectClient(self.url) as client:
            before = set(client.connectors())
            yield client
            for name in set(client.connectors()) - before:
                client.delete(name)

    @property
    def installation(self) -> Installation:
        return replace(this_installation(), data=self.data_dir, port=self.port)

    def process_pid(self, name: str) -> int:
        """Of `broker`, `redis`, `worker`, `web` or `control`; 0 while it does not run."""
        with supervise.Remote(self.installation) as remote:
            return int(remote.processes()[name]["pid"])

    def processes(self) -> list[psutil.Process]:
        """All that belong to it, grand-children and the supervisor included."""
        return leftovers.find(self.data_dir)

    def log(self, name: str) -> str:
        return (self.data_dir / "logs" / f"{name}.log").read_text()

    def complaints(self, most: int = 15) -> dict[str, str]:
        """The last warnings and errors in each of its logs."""
        found = {}
        for file in sorted((self.data_dir / "logs").glob("*.log")):
            lines = [line for line in file.read_text(errors="replace").splitlines() if " WARNING " in line or " ERROR " in line]
            if lines:
                found[file.stem] = "\n".join(lines[-most:])
        return found


def free_port() -> int:
    """A port that is free like the ones that follow it, for one installation to take. No other process is given the same; in this
    one they are given in turn."""
    _, ports = _own_ports()
    for base in itertools.islice(ports, BLOCK // PORTS_EACH):
        if all(_is_free(port) for port in range(base, base + PORTS_EACH)):
            return base
    raise AssertionError("no free range of ports")


@cache
def _own_ports() -> tuple[TextIO, Iterator[int]]:
    """The lock is held for as long as this process lives."""
    for start in range(*PORTS, BLOCK):
        lock = (Path(tempfile.gettempdir()) / f"drover-tests-ports-{start}").open("a")
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            lock.close()
            continue
        return lock, itertools.cycle(range(start, start + BLOCK, PORTS_EACH))
    raise AssertionError("no free block of ports")


def _is_free(port: int) -> bool:
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", port))
        except OSError:
            return False
        return True


def clean_environment(**named: str) -> dict[str, str]:
    """What fails is not restarted by itself, unless `named` says so: a test looks at what it has made fail."""
    kept = {name: value for name, value in os.environ.items() if name.removesuffix("_FILE") not in PARTS}
    return {**kept, "DROVER_ADMIN_PASSWORD": PASSWORD, "DROVER_AUTO_RESTART": "false", **named}


def manage(
    *arguments: str, environment: Mapping[str, str] | None = None, timeout: float = 110
) -> subprocess.CompletedProcess[str]:
    """Runs a `manage.py` command to its end."""
    return subprocess.run(
        [*MANAGE, *arguments],
        cwd=PROJECT,
        env=dict(environment or clean_environment()),
        capture_output=True,
        text=True,
        timeout=timeout,
        check=False,
    )


def describe(port: int, data_dir: Path, bootstrap_servers: str | None = None, redis_url: str | None = None) -> RunningDrover:
    return RunningDrover(
        url=f"http://127.0.0.1:{port}",
        port=port,
        bootstrap_servers=bootstrap_servers or f"127.0.0.1:{port + 1}",
        redis_url=redis_url or f"redis://127.0.0.1:{port + 3}/0",
        data_dir=data_dir,
    )


@contextmanager
def running(
    data_dir: Path,
    *flags: str,
    bootstrap_servers: str | None = None,
    redis_url: str | None = None,
    settings: Mapping[str, str] = {},
) -> Iterator[RunningDrover]:
    """`manage.py up --detach` with a free port; at the end `manage.py down`, after which no process may be left."""
    drover = describe(free_port(), data_dir.resolve(), bootstrap_servers, redis_url)
    named = {"KAFKA_BOOTSTRAP_SERVERS": bootstrap_servers, "REDIS_URL": redis_url}
    environment = clean_environment(**{name: value for name, value in named.items() if value}, **settings)
    started = manage("up", "--detach", "--port", str(drover.port), "--data-dir", str(data_dir), *flags, environment=environment)
    assert started.returncode == 0, f"manage.py up failed:\n{started.stdout}\n{started.stderr}"
    try:
        yield drover
    finally:
        stopped = manage("down", "--data-dir", str(data_dir))
        left = drover.processes()
        leftovers.end(drover.data_dir)
    assert stopped.returncode == 0, stopped.stderr
    assert left == [], f"manage.py down left {left}"


@contextmanager
def web_beside(drover: RunningDrover, settings: Mapping[str, str]) -> Iterator[str]:
    """One more web process of an installation, with settings by Kafka Connect's keys; its URL."""
    port = free_port()
    environment = clean_environment(
        KAFKA_BOOTSTRAP_SERVERS=drover.bootstrap_servers,
        REDIS_URL=drover.redis_url,
        DROVER_DATA_DIR=str(drover.data_dir),
        DROVER_PORT=str(port),
        **{f"CONNECT_{name_of(key)}": value for key, value in settings.items()},
    )
    process = subprocess.Popen([*MANAGE, "web"], cwd=PROJECT, env=environment)
    try:
        with ConnectClient(f"http://127.0.0.1:{port}") as client:
            eventually(lambda: client.health().status == "healthy", "One more web process")
        yield f"http://127.0.0.1:{port}"
    finally:
        process.terminate()
        assert process.wait(20) == 0


@contextmanager
def guarded_broker(data_dir: Path) -> Iterator[str]:
    """The bootstrap servers of a broker of its own that keeps access rules; whoever asks may do everything."""
    installation = _of_a_broker(data_dir)
    rules = "org.apache.kafka.metadata.authorizer.StandardAuthorizer"
    with _broker(installation, {"authorizer.class.name": rules, "super.users": "User:ANONYMOUS"}):
        yield installation.bootstrap_servers


@contextmanager
def scram_broker(data_dir: Path, certificate: Path) -> Iterator[tuple[str, str]]:
    """Bootstrap servers of a broker of its own: one for whoever asks, one for users with a password (SCRAM-SHA-512), whom the
    test makes, by TLS. `certificate`: PEM, its key before it."""
    installation = _of_a_broker(data_dir)
    for_all, for_users = installation.bootstrap_servers, f"127.0.0.1:{installation.kafka_port + 2}"
    listeners = f"PLAINTEXT://{for_all},USERS://{for_users}"
    settings = {
        "listeners": f"{listeners},CONTROLLER://127.0.0.1:{installation.controller_port}",
        "advertised.listeners": listeners,
        "listener.security.protocol.map": "PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT,USERS:SASL_SSL",
        "sasl.enabled.mechanisms": "SCRAM-SHA-512",
        "listener.name.users.ssl.keystore.type": "PEM",
        "listener.name.users.ssl.keystore.location": str(certificate),
        "listener.name.users.scram-sha-512.sasl.jaas.config": (
            "org.apache.kafka.common.security.scram.ScramLoginModule required;"
        ),
    }
    with _broker(installation, settings):
        yield for_all, for_users


def _of_a_broker(data_dir: Path) -> Installation:
    installation = describe(free_port(), data_dir.resolve()).installation
    return replace(installation, bootstrap_servers=f"127.0.0.1:{installation.kafka_port}")


@contextmanager
def _broker(installation: Installation, settings: Mapping[str, str]) -> Iterator[None]:
    make_folders(installation)
    found = java.find()
    kafka.prepare(installation, found, settings)
    with (installation.logs / "broker.log").open("wb") as log:
        process = subprocess.Popen(kafka.command(installation, found), stdout=log, stderr=log)
        try:
            eventually(lambda: kafka_answers(installation.bootstrap_servers, 1), "A broker of its own")
            yield
        finally:
            process.terminate()
            assert process.wait(30) in (0, 143)
