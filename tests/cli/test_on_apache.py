"""The command on a real Apache Kafka Connect 4.3, in real time."""

import json
import uuid
from collections.abc import Iterator
from pathlib import Path

import pytest

from connect_client import ConnectClient
from tests.cli.conftest import Drover
from tests.peer import connect_worker
from tests.waiting import eventually


@pytest.fixture(scope="module")
def apache(kafka: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[ConnectClient]:
    with connect_worker(kafka, tmp_path_factory.mktemp("cli-connect"), group="cli") as client:
        yield client


@pytest.fixture
def one(apache: ConnectClient, env: dict[str, str]) -> Drover:
    return Drover(("--connect", apache.url), env)


@pytest.fixture
def sinks(apache: ConnectClient, tmp_path: Path) -> Iterator[list[str]]:
    """Three, the last of which writes into a folder that there is; once they have told of it."""
    (tmp_path / "there").mkdir()
    run = uuid.uuid4().hex[:6]
    # A slash, a semicolon or a percent sign in a path is refused by its HTTP server.
    names = [f"cli {run} a b", f"cli {run} später", f"cli {run} a->b"]
    for name, folder in zip(names, ("missing", "missing", "there"), strict=True):
        file = str(tmp_path / folder / "out.txt")
        apache.put_config(name, {"connector.class": "FileStreamSink", "tasks.max": "1", "topics": f"cli-{run}", "file": file})
    wanted = dict(zip(names, ("FAILED", "FAILED", "RUNNING"), strict=True))
    eventually(
        lambda: (
            {name: [task.state for task in apache.status(name).tasks] for name in names} == {n: [s] for n, s in wanted.items()}
        )
    )
    yield names
    for name in set(names) & set(apache.connectors()):
        apache.delete(name)


def test_everything_failed_is_restarted(one: Drover, sinks: list[str], tmp_path: Path) -> None:
    assert one.lines("get", "connectors", "--state", "failed", "-o", "name") == sorted(sinks[:2])
    told = json.loads(one("restart", "--failed", "-o", "json", code=1).stdout)
    assert {item["name"]: item["state"] for item in told} == dict.fromkeys(sinks[:2], "failed again")
    assert all("missing/out.txt" in item["cause"] for item in told)
    (tmp_path / "missing").mkdir()
    told = json.loads(one("restart", "--failed", "-o", "json").stdout)
    assert {item["name"]: item["state"] for item in told} == dict.fromkeys(sinks[:2], "done")
    assert one.lines("get", "tasks", sinks[0], "--state", "running", "-o", "name") == [f"{sinks[0]}:0"]
    assert one("restart", "--failed").stderr == "Nothing to do.\n"


def test_a_life(one: Drover, sinks: list[str], apache: ConnectClient, tmp_path: Path) -> None:
    name = sinks[2]
    assert f"Name:       {name}" in one("describe", "connector", name).stdout
    for verb, state in (("pause", "PAUSED"), ("resume", "RUNNING"), ("stop", "STOPPED")):
        one(verb, name)
        assert apache.status(name).connector.state == state
    assert one("offsets", "reset", name, "--yes").stderr
    partition = {"kafka_topic": apache.config(name)["topics"], "kafka_partition": 0}
    one("config", "set", name, f"file={tmp_path}/there/other.txt")
    assert apache.config(name)["file"] == f"{tmp_path}/there/other.txt"
    one("resume", name)
    offsets = json.dumps([{"partition": partition, "offset": None}])
    assert "stop it first" in one.refused("offsets", "set", name, stdin=offsets, code=6)
    one("restart", name, "--tasks")
    copy = one("config", "get", name).stdout
    one("delete", name, "--yes")
    assert name not in apache.connectors()
    assert one.lines("create", "-f", "-", "--state", "stopped", stdin=copy) == [f"{name} created"]
    eventually(lambda: apache.status(name).connector.state == "STOPPED")
    assert one("create", "-f", "-", stdin=copy, code=6).stderr == f"{name}: Connector {name} already exists\n"


def test_what_there_is(one: Drover) -> None:
    assert "org.apache.kafka.connect.file.FileStreamSinkConnector" in one.lines("plugins", "-o", "name")
    assert "file" in one.lines("plugins", "FileStreamSink", "-o", "name")
    assert one.lines("get", "clusters")[1].split()[1:3] == ["live", "4.3.0"]
    one("loggers", "set", "org.apache.kafka.connect.file", "debug")
    eventually(
        lambda: "org.apache.kafka.connect.file DEBUG" in " ".join(one.lines("loggers", "get", "org.apache.kafka.connect.file"))
    )
    one("loggers", "set", "org.apache.kafka.connect.file", "info", "--worker")
