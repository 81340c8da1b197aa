"""A whole cluster changes hands, from Apache Kafka Connect to Drover and back, on the same topics (docs/takeover.md)."""

from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

import httpx
from confluent_kafka import Producer

from connect_client import ConnectClient, PartitionOffset
from tests.integration.conftest import appending, sink, source, wait_for_more
from tests.peer import connect_worker
from tests.running import running
from tests.topics import create_topic, values
from tests.waiting import eventually, eventually_as


@dataclass(frozen=True)
class Pipeline:
    """From a file through a topic of one partition into another file."""

    topic: str
    folder: Path

    @property
    def source(self) -> str:
        return f"{self.topic}-source"

    @property
    def sink(self) -> str:
        return f"{self.topic}-sink"

    @property
    def input(self) -> Path:
        return self.folder / f"{self.topic}-in.txt"

    @property
    def output(self) -> Path:
        return self.folder / f"{self.topic}-out.txt"

    @property
    def configs(self) -> dict[str, dict[str, str]]:
        return {
            self.source: source(self.source, self.input, self.topic),
            self.sink: sink(self.sink, self.output, self.topic),
        }

    def write(self) -> None:
        with self.input.open("a") as file:
            file.write(f"after {self.input.stat().st_size} bytes\n")

    def wait_for_all(self) -> None:
        eventually(lambda: self.output.read_bytes() == self.input.read_bytes(), f"All of {self.output.name}")


def states(client: ConnectClient) -> dict[str, str]:
    """The connector's, and then its tasks'."""
    found = {name: client.status(name) for name in client.connectors()}
    return {name: " ".join([it.connector.state, *(task.state for task in it.tasks)]) for name, it in found.items()}


def lay_to_rest(client: ConnectClient, kafka: str, pipeline: Pipeline) -> None:
    """Stops the sink and pauses the source. There is a record that the sink has not seen, and a line that the source has not."""
    client.stop(pipeline.sink)
    eventually(lambda: states(client)[pipeline.sink] == "STOPPED")
    pipeline.write()
    end = PartitionOffset({"filename": str(pipeline.input)}, {"position": pipeline.input.stat().st_size})
    eventually(lambda: client.offsets(pipeline.source) == [end])
    client.pause(pipeline.source)
    eventually(lambda: states(client)[pipeline.source] == "PAUSED PAUSED")
    pipeline.write()
    expect_at_rest(client, kafka, pipeline)


def expect_at_rest(client: ConnectClient, kafka: str, pipeline: Pipeline) -> None:
    lines = pipeline.input.read_bytes().splitlines(keepends=True)
    assert pipeline.output.read_bytes() == b"".join(lines[:-2])
    assert values(kafka, pipeline.topic) == [line.rstrip(b"\n") for line in lines[:-1]]
    assert client.offsets(pipeline.source) == [
        PartitionOffset({"filename": str(pipeline.input)}, {"position": len(b"".join(lines[:-1]))})
    ]
    assert client.offsets(pipeline.sink) == [
        PartitionOffset({"kafka_topic": pipeline.topic, "kafka_partition": 0}, {"kafka_offset": len(lines) - 2})
    ]


def wake(client: ConnectClient, pipeline: Pipeline) -> None:
    for name in (pipeline.source, pipeline.sink):
        client.resume(name)
    pipeline.wait_for_all()


def take_back_a_write(kafka: str, group: str) -> None:
    """As a leader of Drover's that could not finish it."""
    producer = Producer({"bootstrap.servers": kafka, "transactional.id": f"connect-cluster-{group}"})
    producer.init_transactions(20)
    producer.begin_transaction()
    producer.produce(f"{group}-config", key="connector-ghost", value='{"properties":{"name":"ghost"}}')
    producer.flush(20)
    producer.abort_transaction(20)


def test_there_and_back(kafka: str, redis_url: str, unique: str, tmp_path: Path) -> None:
    """What ran runs on, paused stays paused and stopped stopped, each exactly where it was; what failed fails, and says so."""
    moving, resting = Pipeline(f"moving-{unique}", tmp_path), Pipeline(f"resting-{unique}", tmp_path)
    failing, group = f"failing-{unique}", f"taken-{unique}"
    configs = {**moving.configs, **resting.configs, failing: sink(failing, tmp_path / "nowhere" / "out.txt", moving.topic)}
    for pipeline in (moving, resting):
        create_topic(kafka, pipeline.topic, 1)
    resting.write()
    # Each record once is what they promise of a stop that is in time.
    patient = {"task.shutdown.graceful.timeout.ms": "30000"}
    for name in ("before", "after"):
        (tmp_path / name).mkdir()

    def expect_taken_over(client: ConnectClient) -> None:
        """Then the pipeline at rest goes on, and is laid to rest anew for whoever comes next."""
        assert {name: client.config(name) for name in client.connectors()} == configs
        wanted = {moving.source: "RUNNING RUNNING", moving.sink: "RUNNING RUNNING", failing: "RUNNING FAILED"}
        wanted |= {resting.source: "PAUSED PAUSED", resting.sink: "STOPPED"}
        eventually_as(lambda: states(client), wanted)
        for pipeline in (moving, resting):
            for name in pipeline.configs:
                # What was seen before belongs to it, too (KIP-558).
                assert httpx.get(f"{client.url}/connectors/{name}/topics").json() == {name: {"topics": [pipeline.topic]}}
        wait_for_more(moving.output)
        expect_at_rest(client, kafka, resting)
        wake(client, resting)
        lay_to_rest(client, kafka, resting)
        for _ in range(3):
            # Whoever comes next is to be heard, however much has been assigned here since this last failed.
            client.stop(failing)
            eventually(lambda: states(client)[failing] == "STOPPED")
            client.resume(failing)
            eventually(lambda: states(client)[failing] == "RUNNING FAILED")

    with ExitStack() as appended:
        # Also while nobody runs.
        appended.enter_context(appending(moving.input))
        with connect_worker(kafka, tmp_path / "before", group=group, settings=patient) as client:
            for name, config in configs.items():
                eventually(lambda name=name, config=config: client.create(name, config))  # type: ignore[misc]
            eventually_as(lambda: states(client), dict.fromkeys(configs, "RUNNING RUNNING") | {failing: "RUNNING FAILED"})
            resting.wait_for_all()
            lay_to_rest(client, kafka, resting)
            wait_for_more(moving.output)

        settings = ("--properties", str(tmp_path / "before" / "worker.properties"))
        with running(tmp_path / "drover", *settings, redis_url=redis_url) as drover, ConnectClient(drover.url) as client:
            expect_taken_over(client)

        take_back_a_write(kafka, group)
        committed = {"isolation.level": "read_committed"}
        with connect_worker(kafka, tmp_path / "after", group=group, settings=patient | committed) as client:
            expect_taken_over(client)
            wake(client, resting)
            appended.close()
            moving.wait_for_all()
    for pipeline in (moving, resting):
        assert values(kafka, pipeline.topic) == pipeline.input.read_bytes().splitlines()
