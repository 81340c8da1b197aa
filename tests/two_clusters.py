"""Drover and a real Apache Kafka Connect side by side, and sixty tasks that really fail. For tests; not a test module."""

import os
import signal
import uuid
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

from connect_client import ConnectClient
from tests import peer
from tests.running import free_port
from tests.waiting import eventually

# Of each cluster: nine sinks of three tasks, and three of one. The last of these is not mended with the others.
TASKS = {number: 3 if number < 9 else 1 for number in range(12)}
HOPELESS = 11


@dataclass(frozen=True)
class Side:
    """A cluster and its sinks, whose files' folders do not exist yet."""

    cluster: str
    client: ConnectClient
    prefix: str
    folder: Path

    def name(self, number: int) -> str:
        return f"{self.prefix}-{number:02}"

    def key(self, number: int) -> str:
        return f"{self.cluster}/{self.name(number)}"

    def file(self, number: int) -> Path:
        return self.folder / self.cluster / str(number) / "out.txt"

    def make(self) -> None:
        for number, tasks in TASKS.items():
            config = {"connector.class": "FileStreamSink", "tasks.max": str(tasks), "topics": self.name(number)}
            self.client.create(self.name(number), {**config, "file": str(self.file(number))})

    def states(self) -> list[str]:
        """Of all tasks that there are."""
        entries = [entry for name, entry in self.client.connectors().items() if name.startswith(self.prefix)]
        return [task.state for entry in entries if entry.status for task in entry.status.tasks]

    def all_failed(self) -> bool:
        return self.states() == ["FAILED"] * 30

    def mend(self) -> None:
        """All but the hopeless one."""
        for number in TASKS:
            if number != HOPELESS:
                self.file(number).parent.mkdir(parents=True)

    def mend_the_last(self) -> None:
        self.file(HOPELESS).parent.mkdir(parents=True)


class Apache:
    """A worker of Apache Kafka Connect that can be killed and started again at its address, after which there is another
    `client`."""

    def __init__(self, kafka: str, folder: Path, group: str, settings: Mapping[str, str]) -> None:
        self.group, self.settings = group, settings
        self._kafka, self._folder = kafka, folder
        self._port = free_port()
        self._running = ExitStack()
        self.start()

    def start(self) -> ConnectClient:
        worker = peer.connect_worker(self._kafka, self._folder, group=self.group, settings=self.settings, port=self._port)
        self.client = self._running.enter_context(worker)
        return self.client

    def kill(self) -> None:
        os.kill(int((self._folder / peer.PID).read_text()), signal.SIGKILL)
        self._running.close()

    def close(self) -> None:
        self._running.close()


@contextmanager
def apache_connect(kafka: str, folder: Path, settings: Mapping[str, str] = {}) -> Iterator[Apache]:
    apache = Apache(kafka, folder, f"apache-{uuid.uuid4().hex[:6]}", settings)
    try:
        yield apache
    finally:
        apache.close()


def failed_sides(folder: Path, **clients: ConnectClient) -> list[Side]:
    """By the names of their clusters; once all of their tasks have failed."""
    prefix = f"two-{uuid.uuid4().hex[:6]}"
    sides = [Side(cluster, client, prefix, folder) for cluster, client in clients.items()]
    for side in sides:
        side.make()
    for side in sides:
        eventually(side.all_failed, f"30 failed tasks of {side.cluster}")
    return sides
