"""A real Apache Kafka Connect worker, for tests that compare or hand over."""

import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from connect_client import ConnectClient
from local import java
from tests.running import PROJECT, free_port
from tests.waiting import eventually

STRING_CONVERTER = "org.apache.kafka.connect.storage.StringConverter"


@contextmanager
def connect_worker(
    bootstrap_servers: str, folder: Path, *, group: str, topics: dict[str, str] | None = None
) -> Iterator[ConnectClient]:
    """Apache Kafka Connect 4.3, distributed, on the given internal topics (`config`, `offset`, `status`)."""
    url = f"http://127.0.0.1:{free_port()}"
    properties = {
        "bootstrap.servers": bootstrap_servers,
        "group.id": group,
        "listeners": url,
        "key.converter": STRING_CONVERTER,
        "value.converter": STRING_CONVERTER,
        "plugin.discovery": "only_scan",
        # A sink's task that stops waits for the fetch that is under way; with nothing to read that is this long.
        "consumer.fetch.max.wait.ms": "20",
    }
    for kind in ("config", "offset", "status"):
        properties[f"{kind}.storage.topic"] = (topics or {}).get(kind, f"{group}-{kind}")
        properties[f"{kind}.storage.replication.factor"] = "1"
    file = folder / "worker.properties"
    file.write_text("".join(f"{key}={value}\n" for key, value in properties.items()))
    command = [str(java.find().executable), "-Xmx512m", "-cp", str(PROJECT / ".jars" / "peer" / "*")]
    with (folder / "connect.log").open("wb") as log:
        process = subprocess.Popen(
            [*command, "org.apache.kafka.connect.cli.ConnectDistributed", str(file)], stdout=log, stderr=subprocess.STDOUT
        )
    try:
        with ConnectClient(url) as client:
            eventually(lambda: client.health().status == "healthy", 90, "Apache Kafka Connect's start")
            yield client
    finally:
        process.terminate()
        try:
            process.wait(20)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
