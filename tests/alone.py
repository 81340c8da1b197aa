"""Starts and ends real standalone workers through `manage.py standalone`, as a user would. Not a test module."""

import json
import os
import signal
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import psutil

from connect_client import ConnectClient
from tests.running import MANAGE, PROJECT, clean_environment, free_port
from tests.waiting import eventually


def write_properties(file: Path, properties: Mapping[str, str]) -> Path:
    file.write_text("".join(f"{key}={value}\n" for key, value in properties.items()))
    return file


def write_json(file: Path, value: object) -> Path:
    file.write_text(json.dumps(value, indent=2))
    return file


def command(
    bootstrap_servers: str, folder: Path, *connectors: Path, port: int | None = None
) -> tuple[str, list[str], dict[str, str]]:
    """Its URL, its command line and its environment. All that it keeps is in `folder`, for the next one there."""
    url = f"http://127.0.0.1:{port or free_port()}"
    properties = {
        "bootstrap.servers": bootstrap_servers,
        "listeners": url,
        "offset.storage.file.filename": str(folder / "connect.offsets"),
    }
    file = write_properties(folder / "worker.properties", properties)
    # It needs no Redis: there nobody listens.
    environment = clean_environment(
        REDIS_URL="redis://127.0.0.1:1/0", DROVER_DATA_DIR=str(folder / "data"), DROVER_SPARK_DRIVER_MEMORY="512m"
    )
    return url, [*MANAGE, "standalone", str(file), *map(str, connectors)], environment


@dataclass
class Alone:
    process: subprocess.Popen[bytes]
    client: ConnectClient
    log: Path

    def await_healthy(self) -> None:
        def healthy() -> bool:
            assert self.process.poll() is None, self.log.read_text()
            return self.client.health().status == "healthy"

        eventually(healthy, "A standalone worker's start")

    def end(self, number: signal.Signals) -> int:
        """Its exit code, after a signal that it obeys in its own time. Ctrl-C reaches all that a command has started."""
        belonging = psutil.Process(self.process.pid).children(recursive=True)
        if number is signal.SIGINT:
            os.killpg(self.process.pid, number)
        else:
            self.process.send_signal(number)
        code = self.process.wait(60)
        _, left = psutil.wait_procs(belonging, 20)
        assert left == []
        return code

    def kill(self) -> None:
        """At once, and Spark follows by itself."""
        belonging = psutil.Process(self.process.pid).children(recursive=True)
        self.process.kill()
        self.process.wait(10)
        _, left = psutil.wait_procs(belonging, 20)
        assert left == []


@contextmanager
def alone(bootstrap_servers: str, folder: Path, *connectors: Path, **settings: str) -> Iterator[Alone]:
    """On its way; whoever gets it waits, and ends it if it is to end in a way of its own."""
    url, line, environment = command(bootstrap_servers, folder, *connectors)
    with (folder / "alone.log").open("ab") as log:
        process = subprocess.Popen(line, cwd=PROJECT, env={**environment, **settings}, stdout=log, stderr=log, process_group=0)
    try:
        with ConnectClient(url) as client:
            yield Alone(process, client, folder / "alone.log")
    finally:
        if process.poll() is None:
            process.terminate()
            try:
                process.wait(60)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()


@contextmanager
def drover_standalone(bootstrap_servers: str, folder: Path, **settings: str) -> Iterator[ConnectClient]:
    """One that is up, without a connector."""
    with alone(bootstrap_servers, folder, **settings) as worker:
        worker.await_healthy()
        yield worker.client
        assert worker.end(signal.SIGTERM) == 0
