"""Apache Kafka Connect in distributed mode, as its own scripts would start it."""

import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psutil

from bench.sides import Side
from bench.waiting import Stuck, until
from connect_client import ConnectClient, ConnectError
from local import jars, java
from local.kafka import render

_STRING = "org.apache.kafka.connect.storage.StringConverter"
# Of Kafka's bin/connect-distributed.sh and kafka-run-class.sh.
_JVM = (
    *("-Xms256m", "-Xmx2g", "-server", "-XX:+UseG1GC", "-XX:MaxGCPauseMillis=20", "-XX:InitiatingHeapOccupancyPercent=35"),
    *("-XX:+ExplicitGCInvokesConcurrent", "-Djava.awt.headless=true"),
)


def properties(bootstrap_servers: str, port: int) -> dict[str, str]:
    """All that has no default, and otherwise Connect's defaults."""
    return {
        "bootstrap.servers": bootstrap_servers,
        "group.id": "bench-peer",
        "listeners": f"http://127.0.0.1:{port}",
        "key.converter": _STRING,
        "value.converter": _STRING,
        **{f"{kind}.storage.topic": f"bench-peer-{kind}" for kind in ("config", "offset", "status")},
        **{f"{kind}.storage.replication.factor": "1" for kind in ("config", "offset", "status")},
    }


def fetch_jars(project: Path) -> None:
    """Raises FetchFailed."""
    jars.fetch(project, java.find(), ["peer"], lambda fetched: None)


@contextmanager
def running(project: Path, folder: Path, bootstrap_servers: str, port: int) -> Iterator[Side]:
    """Raises Stuck: it does not start."""
    file, log = folder / "worker.properties", folder / "connect.log"
    file.write_text(render(properties(bootstrap_servers, port)))
    classes = ("-cp", f"{project / '.jars' / 'peer'}/*", "org.apache.kafka.connect.cli.ConnectDistributed")
    began = time.monotonic()
    with log.open("wb") as output:
        process = subprocess.Popen(
            [str(java.find().executable), *_JVM, *classes, str(file)], cwd=folder, stdout=output, stderr=subprocess.STDOUT
        )
    client = ConnectClient(f"http://127.0.0.1:{port}", timeout=90)

    def check() -> None:
        if process.poll() is not None:
            raise Stuck(f"Kafka Connect ended with code {process.returncode}: {log.read_text()[-2000:]}")

    try:
        ready = until(lambda: _is_healthy(client), "Kafka Connect's start", check=check)
        processes = {"connect": [psutil.Process(process.pid)]}
        yield Side("Connect", client, "bench-peer-status", lambda: processes, start_seconds=ready - began)
    finally:
        client.close()
        process.terminate()
        try:
            process.wait(30)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def _is_healthy(client: ConnectClient) -> bool:
    try:
        return client.health().healthy
    except ConnectError:
        return False
