"""What Drover keeps in Kafka is what Apache Kafka Connect keeps there: other tools read it."""

import json
import subprocess
from pathlib import Path

from connect_client import ConnectClient
from tests.integration.conftest import source
from tests.running import RunningDrover
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
