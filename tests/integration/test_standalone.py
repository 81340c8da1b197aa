"""A standalone worker on a real broker and a real Spark, each life in a process of its own: no Redis, no topics of its own."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from confluent_kafka.admin import AdminClient

from tests.integration.conftest import source, write_lines
from tests.running import PROJECT, clean_environment
from tests.topics import values
from tests.waiting import eventually

#: Starts a standalone worker with one source, says so, and stops when its input ends.
LIFE = """
import json, sys
import django
django.setup()
from workers import assembly
from workers.config import worker_config

config, connector = worker_config(), json.loads(sys.argv[1])
worker = assembly.standalone(config, config.offsets_file)
worker.start()
created = worker.herder.create_connector(connector["name"], connector, None)
worker.herder.ready()
print(worker.herder.health().status, len(created.tasks), worker.herder.kafka_cluster_id(), flush=True)
sys.stdin.read()
worker.stop()
print("stopped", flush=True)
"""


class Life:
    def __init__(self, kafka: str, folder: Path, config: dict[str, str]) -> None:
        environment = clean_environment(
            DJANGO_SETTINGS_MODULE="config.settings",
            KAFKA_BOOTSTRAP_SERVERS=kafka,
            # Where nobody listens.
            REDIS_URL="redis://127.0.0.1:1/0",
            DROVER_DATA_DIR=str(folder / "data"),
            CONNECT_GROUP_ID=f"alone-{config['name']}",
            DROVER_WORKER_ID="alone:8083",
        )
        self._process = subprocess.Popen(
            [sys.executable, "-c", LIFE, json.dumps(config)],
            cwd=PROJECT,
            env={**os.environ, **environment},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def said(self) -> str:
        assert self._process.stdout is not None
        return self._process.stdout.readline().strip()

    def stop(self) -> None:
        assert self._process.stdin is not None
        self._process.stdin.close()
        assert self.said() == "stopped"
        assert self._process.wait(30) == 0
        assert self._process.stdout is not None
        self._process.stdout.close()

    def kill(self) -> None:
        if self._process.poll() is None:
            self._process.kill()
            self._process.wait(30)


def topics(kafka: str) -> set[str]:
    return set(AdminClient({"bootstrap.servers": kafka}).list_topics(timeout=10).topics) - {"__consumer_offsets"}


# Spark starts twice.
@pytest.mark.timeout(240)
def test_a_source_goes_on_where_it_was_after_a_restart_and_nothing_is_there_twice(
    kafka: str, unique: str, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    file, topic = tmp_path / "in.txt", f"alone-{unique}"
    before = topics(kafka)
    for count in (5000, 10000):
        write_lines(file, 5000, count - 5000)
        life = Life(kafka, tmp_path, source(f"source-{unique}", file, topic))
        request.addfinalizer(life.kill)
        status, tasks, cluster = life.said().split()
        assert (status, tasks, len(cluster)) == ("healthy", "1", 22)
        eventually(lambda count=count: len(values(kafka, topic)) >= count, 60)  # type: ignore[misc]
        life.stop()
        assert values(kafka, topic) == file.read_bytes().splitlines()

    offsets = (tmp_path / "data" / "connect.offsets").read_text()
    assert f'\\"position\\":{file.stat().st_size}' in offsets
    assert topics(kafka) - before == {topic}, "it makes no topics but its data's"
