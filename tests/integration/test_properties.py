"""Kafka Connect's own file of settings starts an installation."""

from pathlib import Path

import httpx
import pytest
from confluent_kafka.admin import AdminClient

from tests.alone import write_properties
from tests.running import running


def test_the_settings_of_a_file_reach_every_process(
    kafka: str, redis_url: str, unique: str, tmp_path: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """And the flag for the port wins over the file's `listeners`."""
    properties = {
        "bootstrap.servers": kafka,
        "listeners": "http://127.0.0.1:1",
        "group.id": f"group-{unique}",
        "config.storage.topic": f"configs-{unique}",
        "offset.storage.topic": f"offsets-{unique}",
        "offset.storage.partitions": "3",
        "status.storage.topic": f"status-{unique}",
        "status.storage.partitions": "2",
        "topic.tracking.enable": "false",
        "plugin.path": "/usr/share/java",
    }
    file = write_properties(tmp_path / "connect-distributed.properties", properties)
    # The test's own folder has too long a name to hold a socket.
    with running(tmp_path_factory.mktemp("properties"), "--properties", str(file), redis_url=redis_url) as drover:
        # Of the web process …
        assert httpx.get(f"{drover.url}/connectors/any/topics").status_code == 403
        # … and of the worker.
        assert len(httpx.get(f"{drover.url}/api/v1/workers").json()["workers"]) == 1
        made = AdminClient({"bootstrap.servers": kafka}).list_topics(timeout=10).topics
        internal = {name: len(topic.partitions) for name, topic in made.items() if unique in name}
    assert internal == {
        f"configs-{unique}": 1,
        f"offsets-{unique}": 3,
        f"status-{unique}": 2,
        f"group-{unique}-membership": 64,
    }
