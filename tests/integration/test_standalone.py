"""`manage.py standalone` on a real broker and a real Spark: no Redis, no topics of its own (KIP-980, KIP-745)."""

import signal
import socket
import subprocess
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import httpx
from confluent_kafka.admin import AdminClient

from tests import tally
from tests.alone import Alone, alone, command, drover_standalone, write_json, write_properties
from tests.conformance.cluster import states_of
from tests.integration.conftest import sink, source, write_lines
from tests.running import PROJECT
from tests.tally import CONNECTOR, Tallied
from tests.topics import values
from tests.waiting import eventually


def topics(kafka: str) -> set[str]:
    return set(AdminClient({"bootstrap.servers": kafka}).list_topics(timeout=10).topics) - {"__consumer_offsets"}


def states(worker: Alone, name: str) -> dict[str | int, str]:
    return states_of(httpx.get(f"{worker.client.url}/connectors/{name}/status").json())


# Spark starts twice.
def test_each_kind_of_file_the_rest_api_and_a_killed_worker(kafka: str, unique: str, tmp_path: Path) -> None:
    """A source from properties, a sink from a JSON config, a stopped source from the body of a request. Killed and started again,
    they go on where they were, and nothing is there twice."""
    lines, copy, topic, other = tmp_path / "in.txt", tmp_path / "out.txt", f"alone-{unique}", f"other-{unique}"
    files = write_files(tmp_path, source("in", lines, topic), sink("out", copy, topic), source("late", lines, other))
    offsets = tmp_path / "connect.offsets"
    before = topics(kafka)
    write_lines(lines, 5000)

    with alone(kafka, tmp_path, *files) as worker:
        worker.await_healthy()
        url = worker.client.url
        assert sorted(worker.client.connectors()) == ["in", "late", "out"]
        for name in ("in", "out"):
            assert states(worker, name) == {CONNECTOR: "RUNNING", 0: "RUNNING"}
        assert states(worker, "late") == {CONNECTOR: "STOPPED"}
        eventually(lambda: copy.exists() and copy.read_bytes() == lines.read_bytes(), "The copy")
        assert values(kafka, other) == []

        # By REST: create, pause, resume, restart.
        made = {"name": "made", "config": source("made", lines, f"made-{unique}"), "initial_state": "PAUSED"}
        assert httpx.post(f"{url}/connectors", json=made, timeout=30).json()["tasks"] == []
        assert states(worker, "made") == {CONNECTOR: "PAUSED"}
        assert httpx.put(f"{url}/connectors/in/pause", timeout=30).status_code == 202
        assert states(worker, "in") == {CONNECTOR: "PAUSED", 0: "PAUSED"}
        assert httpx.put(f"{url}/connectors/in/resume", timeout=30).status_code == 202
        assert httpx.post(f"{url}/connectors/in/restart?includeTasks=true", timeout=30).status_code == 202
        assert states(worker, "in") == {CONNECTOR: "RUNNING", 0: "RUNNING"}
        assert httpx.put(f"{url}/connectors/late/resume", timeout=30).status_code == 202
        eventually(lambda: values(kafka, other) == lines.read_bytes().splitlines(), "What the resumed source had to say")
        position = f'\\"position\\":{lines.stat().st_size}'
        eventually(lambda: offsets.read_text().count(position) == 2, what="The offsets of both sources")
        figures = httpx.get(f"{url}/metrics").text
        assert 'kafka_connect_connector_metrics_status{connector="made",status="paused"} 1' in figures
        worker.kill()

    write_lines(lines, 5000, 5000)
    with alone(kafka, tmp_path, *files) as worker:
        worker.await_healthy()
        # What was made by REST was in memory.
        assert sorted(worker.client.connectors()) == ["in", "late", "out"]
        assert states(worker, "late") == {CONNECTOR: "STOPPED"}
        eventually(lambda: copy.read_bytes() == lines.read_bytes(), "The rest of the copy")
        assert worker.end(signal.SIGINT) == 0
    assert values(kafka, topic) == lines.read_bytes().splitlines()
    assert len(values(kafka, other)) == 5000
    assert topics(kafka) - before == {topic, other}, "it makes no topics but its data's"


def write_files(folder: Path, properties: dict[str, str], config: dict[str, str], request: dict[str, str]) -> list[Path]:
    """One of each kind."""
    return [
        write_properties(folder / "in.properties", properties),
        write_json(folder / "out.json", config),
        write_json(folder / "late.json", {"name": request["name"], "config": request, "initial_state": "stopped"}),
    ]


def test_it_says_that_it_is_starting_until_its_connectors_have_started(kafka: str, unique: str, tmp_path: Path) -> None:
    """KIP-1017: the REST API is there meanwhile."""
    tallied = Tallied(f"tally-{unique}", tmp_path)
    tallied.want(1)
    file = write_properties(tmp_path / "tally.properties", tallied.config())
    with alone(kafka, tmp_path, file, **tally.ENVIRONMENT) as worker:
        with tallied.held("start", CONNECTOR):
            eventually(lambda: tallied.entries() != [], "The connector's start")
            response = httpx.get(f"{worker.client.url}/health")
            assert (response.status_code, response.json()["status"]) == (503, "starting")
        worker.await_healthy()
        assert states(worker, tallied.name) == {CONNECTOR: "RUNNING", 0: "RUNNING"}
        assert worker.end(signal.SIGTERM) == 0
    assert {(verb, instance) for _, verb, instance in tallied.entries()} == {
        (verb, instance) for verb in ("start", "stop") for instance in (CONNECTOR, 0)
    }


def test_a_connector_that_cannot_be_created_ends_the_worker(kafka: str, unique: str, tmp_path: Path) -> None:
    """As Kafka Connect does, with its exit code. What had started is stopped."""
    tallied = Tallied(f"tally-{unique}", tmp_path)
    tallied.want(1)
    good = write_properties(tmp_path / "good.properties", tallied.config())
    bad = write_properties(tmp_path / "bad.properties", {"name": "bad", "connector.class": "FileStreamSource"})
    with alone(kafka, tmp_path, good, bad, **tally.ENVIRONMENT) as worker:
        assert worker.process.wait(90) == 3
    assert f"CommandError: {bad}: Connector configuration is invalid" in worker.log.read_text()
    assert ("stop", 0) in {(verb, instance) for _, verb, instance in tallied.entries()}


def test_a_port_that_is_taken(kafka: str, tmp_path: Path) -> None:
    """Told before anybody has waited for Spark."""
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        _, line, environment = command(kafka, tmp_path, port=port)
        done = subprocess.run(line, cwd=PROJECT, env=environment, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 1
    assert done.stderr.startswith(f"CommandError: 127.0.0.1:{port} cannot be listened on (Address already in use)")


def test_a_restart_stops_all_then_shows_all_as_restarting_then_starts_all(kafka: str, unique: str, tmp_path: Path) -> None:
    """KIP-745, "Standalone Runtime"; and the answer comes when that is done."""
    tallied = Tallied(f"tally-{unique}", tmp_path)
    tallied.want(2)
    everything = [CONNECTOR, 0, 1]

    with drover_standalone(kafka, tmp_path, **tally.ENVIRONMENT) as client, ThreadPoolExecutor(1) as pool:
        path = f"{client.url}/connectors/{tallied.name}"

        def all_are(state: str) -> bool:
            return states_of(httpx.get(f"{path}/status").json()) == dict.fromkeys(everything, state)

        assert httpx.put(f"{path}/config", json=tallied.config(), timeout=30).status_code == 201
        eventually(lambda: all_are("RUNNING"))
        before = len(tallied.entries())
        with tallied.held("start"):
            with tallied.held("stop", 1):
                answer = pool.submit(httpx.post, f"{path}/restart?includeTasks=true", timeout=30)
                eventually(lambda: len(tallied.entries()) == before + 3)
                assert all_are("RUNNING")
            eventually(lambda: len(tallied.entries()) == before + 6)
            assert all_are("RESTARTING")
            assert not answer.done()
        assert answer.result().status_code == 202
        eventually(lambda: all_are("RUNNING"))
        done = [(verb, instance) for _, verb, instance in tallied.entries()[before:]]
        assert [verb for verb, _ in done] == ["stop"] * 3 + ["start"] * 3
        for verb in ("stop", "start"):
            assert {instance for does, instance in done if does == verb} == set(everything)
