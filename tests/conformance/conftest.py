"""The same cases on two clusters: `cluster` is Drover in one run of a test and Apache Kafka Connect in the other.

What Apache Kafka Connect does is the reference; a case that fails on Drover alone is a bug in Drover.
"""

import shutil
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import httpx
import pytest

from tests.conformance.cluster import BEACON, Cluster, Connect
from tests.conformance.tail import Tail
from tests.peer import connect_worker
from tests.running import RunningDrover

SOURCE = "org.apache.kafka.connect.file.FileStreamSourceConnector"
SINK = "org.apache.kafka.connect.file.FileStreamSinkConnector"


@pytest.fixture(scope="package")
def drover_cluster(drover: RunningDrover) -> Iterator[Cluster]:
    with looked_at("drover", drover.url, drover.bootstrap_servers, "connect-configs", "connect-status") as cluster:
        yield cluster


@pytest.fixture(scope="package")
def apache_cluster(kafka: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    group = "conformance"
    with (
        connect_worker(kafka, tmp_path_factory.mktemp("apache"), group=group) as client,
        looked_at("apache", client.url, kafka, f"{group}-config", f"{group}-status") as cluster,
    ):
        yield cluster


@contextmanager
def looked_at(cluster_id: str, url: str, bootstrap_servers: str, configs: str, statuses: str) -> Iterator[Cluster]:
    """With a connector to ask the herder through that no test looks at. It is left there: so late, other tests may have taken
    the broker away."""
    tails = Tail(bootstrap_servers, configs), Tail(bootstrap_servers, statuses)
    with httpx.Client(base_url=url, timeout=60, trust_env=False) as http:
        cluster = Cluster(cluster_id, http, *tails)
        cluster.put_config(BEACON, {"connector.class": SOURCE, "file": "/nonexistent", "topic": BEACON, "tasks.max": "1"})
        cluster.wait_for(BEACON, "RUNNING", "RUNNING")
        yield cluster
    for tail in tails:
        tail.close()


@pytest.fixture(params=["drover", "apache"])
def cluster(request: pytest.FixtureRequest) -> Cluster:
    found: Cluster = request.getfixturevalue(f"{request.param}_cluster")
    return found


@dataclass
class FileConnectors:
    """Makes connectors with names of their own, and deletes them at the end. `folder` is the test's own."""

    cluster: Connect
    folder: Path
    made: list[str] = field(default_factory=list)

    def name(self) -> str:
        """A new name, for a connector that will be deleted at the end if it comes to be."""
        self.made.append(f"c-{uuid.uuid4().hex[:8]}")
        return self.made[-1]

    def output(self, name: str) -> Path:
        """The folder whose presence a sink's tasks need."""
        return self.folder / name

    def sink_config(self, name: str, tasks: int) -> dict[str, str]:
        return {
            "connector.class": SINK,
            "tasks.max": str(tasks),
            "file": str(self.output(name) / "out.txt"),
            "topics": name,
            "name": name,
        }

    def sink(self, tasks: int = 3, failed: int = 0) -> str:
        """A sink whose last `failed` tasks have failed because their folder is missing."""
        name = self.name()
        states = ["RUNNING"] * (tasks - failed) + ["FAILED"] * failed
        if failed == 0:
            self.mend(name)
        self.cluster.put_config(name, self.sink_config(name, tasks))
        if 0 < failed < tasks:
            self.cluster.wait_for(name, "RUNNING", *["FAILED"] * tasks)
            self.mend(name)
            for task in range(tasks - failed):
                assert self.cluster.request("POST", f"/connectors/{name}/tasks/{task}/restart").status_code == 204
            self.cluster.wait_for(name, "RUNNING", *states)
            self.break_(name)
        self.cluster.wait_for(name, "RUNNING", *states)
        return name

    def mend(self, name: str) -> None:
        """A sink's tasks can start from now on."""
        self.output(name).mkdir()

    def break_(self, name: str) -> None:
        """A sink's tasks fail from now on when they start; those that run do not notice."""
        shutil.rmtree(self.output(name))

    def source_config(self, name: str) -> dict[str, str]:
        return {
            "connector.class": SOURCE,
            "tasks.max": "1",
            "file": str(self.folder / f"{name}.txt"),
            "topic": name,
            "name": name,
        }

    def source(self) -> str:
        """A source of one task."""
        name = self.name()
        self.cluster.put_config(name, self.source_config(name))
        self.cluster.wait_for(name, "RUNNING", "RUNNING")
        return name

    def delete_all(self) -> None:
        for name in self.made:
            self.cluster.delete(name)


@dataclass
class Connectors(FileConnectors):
    cluster: Cluster

    def failed_source(self) -> str:
        """A source whose connector instance has failed and whose task runs.

        REST refuses a config that cannot start, so another hand writes one to the config topic: without `topic`.
        """
        name = self.source()
        config = self.source_config(name)
        del config["topic"]
        self.cluster.configs.produce((f"connector-{name}", {"properties": config}))
        self.cluster.wait_for(name, "FAILED", "RUNNING")
        return name


@pytest.fixture
def connectors(cluster: Cluster, tmp_path: Path) -> Iterator[Connectors]:
    connectors = Connectors(cluster, tmp_path)
    yield connectors
    connectors.delete_all()


@pytest.fixture(scope="package")
def healthy_connectors() -> dict[str, str]:
    """One for each cluster that was asked for one, by the cluster's id."""
    return {}


@pytest.fixture
def healthy(cluster: Cluster, healthy_connectors: dict[str, str], tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A sink with one task that runs, the same for all tests that leave it so."""
    if cluster.id not in healthy_connectors:
        healthy_connectors[cluster.id] = Connectors(cluster, tmp_path_factory.mktemp("healthy")).sink(tasks=1)
    name = healthy_connectors[cluster.id]
    yield name
    cluster.wait_for(name, "RUNNING", "RUNNING")
