"""The same connector files on the command lines of two standalone workers (KIP-980, Standalone mode CLI; facts §17.1)."""

from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from connect_client import ConnectClient
from tests.alone import alone, write_json, write_properties
from tests.conformance.cluster import Connect
from tests.conformance.conftest import SOURCE
from tests.peer import connect_standalone

#: Connector → what becomes of it.
EXPECTED = {
    "properties": ["RUNNING", "RUNNING"],
    "config": ["RUNNING", "RUNNING"],
    "request": ["RUNNING", "RUNNING"],
    "running": ["RUNNING", "RUNNING"],
    "paused": ["PAUSED"],
    "stopped": ["STOPPED"],
}


def config(folder: Path, name: str) -> dict[str, str]:
    return {
        "name": name,
        "connector.class": SOURCE,
        "tasks.max": "1",
        "file": str(folder / f"{name}.txt"),
        "topic": f"files-{folder.name}-{name}",
    }


def files(folder: Path) -> list[Path]:
    """Their names say nothing of what they are."""
    unnamed = {key: value for key, value in config(folder, "request").items() if key != "name"}
    return [
        write_properties(folder / "1.json", config(folder, "properties")),
        write_json(folder / "2.properties", {**config(folder, "config"), "tasks.max": 1}),
        write_json(folder / "3.properties", {"name": "request", "config": unnamed, "what is this": ["unknown"]}),
        *(
            write_json(folder / f"{state}.txt", {"name": state, "config": config(folder, state), "initial_state": state})
            for state in ("running", "paused", "stopped")
        ),
    ]


@pytest.fixture(params=["drover", "apache"])
def client(request: pytest.FixtureRequest, kafka: str, tmp_path: Path) -> Iterator[ConnectClient]:
    if request.param == "apache":
        with connect_standalone(kafka, tmp_path, *files(tmp_path)) as client:
            yield client
    else:
        with alone(kafka, tmp_path, *files(tmp_path)) as worker:
            worker.await_healthy()
            yield worker.client


def test_what_becomes_of_each_kind(client: ConnectClient, tmp_path: Path) -> None:
    with httpx.Client(base_url=client.url, timeout=60, trust_env=False) as http:
        worker = Connect("either", http)
        assert sorted(http.get("/connectors").json()) == sorted(EXPECTED)
        for name, states in EXPECTED.items():
            worker.wait_for(name, *states)
            assert http.get(f"/connectors/{name}/config").json() == config(tmp_path, name)
            assert len(http.get(f"/connectors/{name}/tasks").json()) == len(states) - 1
            assert http.put(f"/connectors/{name}/resume").status_code == 202
            worker.wait_for(name, "RUNNING", "RUNNING")
