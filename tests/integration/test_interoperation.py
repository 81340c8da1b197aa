"""What Drover keeps in Kafka is what Apache Kafka Connect keeps there: other tools read it, and a real worker can take over."""

import json
import subprocess
from pathlib import Path

import httpx
from confluent_kafka import Producer
from confluent_kafka.admin import AdminClient, NewTopic

from connect_client import ConnectClient
from tests.integration.conftest import sink, source, write_lines
from tests.peer import connect_worker
from tests.running import RunningDrover
from tests.topics import messages
from tests.waiting import eventually


def kcat(drover: RunningDrover, topic: str, name: str) -> dict[str, object]:
    """The newest value of each key that holds `name`, as kcat prints it."""
    printed = subprocess.run(
        ["kcat", "-b", drover.bootstrap_servers, "-C", "-t", topic, "-e", "-q", "-f", "%k\t%s\n"],
        capture_output=True,
        text=True,
        # Other tests leave in the shared topics what no reader understands.
        errors="replace",
        check=True,
        timeout=30,
    ).stdout
    pairs = (line.split("\t", 1) for line in printed.split("\n") if name in line.partition("\t")[0])
    return {key: json.loads(value) if value else None for key, value in pairs}


def test_kcat_shows_kafka_connects_records(drover: RunningDrover, client: ConnectClient, unique: str, tmp_path: Path) -> None:
    name, config = f"kcat-{unique}", source(f"kcat-{unique}", tmp_path / "in.txt", f"topic-{unique}")
    client.create(name, config)
    eventually(lambda: [task.state for task in client.status(name).tasks] == ["RUNNING"])
    client.pause(name)
    # Each is paused by itself, the connector and its task.
    eventually(lambda: [task.state for task in client.status(name).tasks] == ["PAUSED"])
    eventually(lambda: client.status(name).connector.state == "PAUSED")

    configs = kcat(drover, "connect-configs", name)
    assert configs[f"connector-{name}"] == {"properties": config}
    task_class = "org.apache.kafka.connect.file.FileStreamSourceTask"
    assert configs[f"task-{name}-0"] == {"properties": {**config, "task.class": task_class}}
    assert configs[f"commit-{name}"] == {"tasks": 1}
    assert configs[f"target-state-{name}"] == {"state": "PAUSED", "state.v2": "PAUSED"}

    statuses = kcat(drover, "connect-status", name)
    for key in (f"status-connector-{name}", f"status-task-{name}-0"):
        status = statuses[key]
        assert isinstance(status, dict)
        assert list(status) == ["state", "trace", "worker_id", "generation", "version"]
        assert (status["state"], status["trace"]) == ("PAUSED", None)


def copy_topic(drover: RunningDrover, old: str, new: str) -> str:
    """The same records in the same partitions of a new compacted topic."""
    admin = AdminClient({"bootstrap.servers": drover.bootstrap_servers})
    partitions = len(admin.list_topics(old, timeout=10).topics[old].partitions)
    admin.create_topics([NewTopic(new, partitions, 1, config={"cleanup.policy": "compact"})])[new].result(10)
    producer = Producer({"bootstrap.servers": drover.bootstrap_servers})
    for message in messages(drover.bootstrap_servers, old):
        producer.produce(new, key=message.key(), value=message.value(), partition=message.partition() or 0)
    assert producer.flush(30) == 0
    return new


def test_apache_kafka_connect_takes_over_from_copies_of_the_topics(
    drover: RunningDrover, client: ConnectClient, unique: str, tmp_path: Path
) -> None:
    input_file, output_file, topic = tmp_path / "in.txt", tmp_path / "out.txt", f"handed-{unique}"
    names = f"source-{unique}", f"sink-{unique}"
    write_lines(input_file, 100, first=100)
    client.create(names[0], source(names[0], input_file, topic))
    client.create(names[1], sink(names[1], output_file, topic))
    eventually(lambda: output_file.exists() and output_file.read_bytes() == input_file.read_bytes())
    configs = {name: client.config(name) for name in names}
    topics = {
        kind: copy_topic(drover, f"connect-{plural}", f"{kind}-{unique}")
        for kind, plural in (("config", "configs"), ("offset", "offsets"), ("status", "status"))
    }
    for name in names:
        client.delete(name)

    with connect_worker(drover.bootstrap_servers, tmp_path, group=f"peer-{unique}", topics=topics) as peer:
        assert {name: peer.config(name) for name in names} == configs
        # What Drover says of the topics in use is read there (KIP-558).
        for name in names:
            assert httpx.get(f"{peer.url}/connectors/{name}/topics").json() == {name: {"topics": [topic]}}
        eventually(lambda: [task.state for name in names for task in peer.status(name).tasks] == ["RUNNING"] * 2, 60)
        # It goes on where Drover stood: the old lines do not come again, and the new one does.
        with input_file.open("ab") as file:
            file.write(b"one more line\n")
        eventually(lambda: output_file.read_bytes() == input_file.read_bytes(), 60)
