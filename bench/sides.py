"""What is compared: two servers that speak one REST API."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import psutil

from bench.waiting import Stuck, until
from connect_client import ConnectClient, ConnectNotFound, ConnectorStatus


@dataclass(frozen=True, slots=True)
class Side:
    """`processes` are the side's own, by part."""

    name: str
    client: ConnectClient
    status_topic: str
    processes: Callable[[], Mapping[str, Sequence[psutil.Process]]]
    start_seconds: float = 0.0

    @contextmanager
    def connector(self, name: str, config: Mapping[str, str]) -> Iterator[None]:
        """Created, and afterwards deleted and gone."""
        self.client.create(name, config)
        try:
            yield
        finally:
            self.client.delete(name)
            until(lambda: self.is_gone(name), f"{self.name}: the deletion of {name}")

    def is_gone(self, name: str) -> bool:
        try:
            self.client.status(name)
        except ConnectNotFound:
            return True
        return False

    def assert_runs(self, name: str) -> None:
        """Raises Stuck when the connector or a task of it has failed."""
        try:
            status = self.client.status(name)
        except ConnectNotFound:
            return
        for state, trace in _parts(status):
            if state == "FAILED":
                raise Stuck(f"{self.name}: {name} failed: {trace}")

    def is_running(self, name: str) -> bool:
        """With its one task."""
        try:
            status = self.client.status(name)
        except ConnectNotFound:
            return False
        return bool(status.tasks) and all(state == "RUNNING" for state, _ in _parts(status))


def _parts(status: ConnectorStatus) -> list[tuple[str, str | None]]:
    """State and trace of the connector and of each task."""
    return [(status.connector.state, status.connector.trace), *((task.state, task.trace) for task in status.tasks)]


def source(file: Path, topic: str) -> dict[str, str]:
    return {
        "connector.class": "org.apache.kafka.connect.file.FileStreamSourceConnector",
        "tasks.max": "1",
        "file": str(file),
        "topic": topic,
    }


def sink(file: Path, topic: str) -> dict[str, str]:
    return {
        "connector.class": "org.apache.kafka.connect.file.FileStreamSinkConnector",
        "tasks.max": "1",
        "file": str(file),
        "topics": topic,
    }
