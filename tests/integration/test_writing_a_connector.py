"""The worked example of docs/writing-a-connector.md: a package of its own, installed beside Drover, against a real Kafka."""

import json
import shutil
import signal
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import httpx
import pytest

from connect_client import PartitionOffset
from connect_client.errors import ConnectRefused
from tests.alone import Alone, alone, write_json
from tests.running import PROJECT
from tests.topics import create_topic, records
from tests.waiting import eventually

EXAMPLE = PROJECT / "docs" / "examples" / "sqlite-connector"
# Spark starts twice.


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the example in it, as pip leaves it, and a plug-in that cannot be imported."""
    target = tmp_path_factory.mktemp("plugins")
    source = shutil.copytree(EXAMPLE, tmp_path_factory.mktemp("source"), dirs_exist_ok=True)
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--no-build-isolation", "--disable-pip-version-check"]
    subprocess.run([*pip, "--target", str(target), str(source)], check=True, timeout=120)
    broken = target / "broken-1.0.dist-info"
    broken.mkdir()
    (broken / "METADATA").write_text("Metadata-Version: 2.1\nName: broken\nVersion: 1.0\n")
    (broken / "entry_points.txt").write_text("[drover.connectors]\nBroken = broken_connector:Source\n")
    return target


@pytest.fixture
def database(tmp_path: Path) -> Path:
    path = tmp_path / "shop.db"
    change(path, "CREATE TABLE orders (id INTEGER PRIMARY KEY, what TEXT)")
    insert(path, "orders", range(1, 25_001))
    return path


def change(path: Path, statement: str, rows: list[tuple[object, ...]] | None = None) -> None:
    with closing(sqlite3.connect(path)) as opened, opened:
        opened.executemany(statement, rows if rows is not None else [()])


def insert(path: Path, table: str, ids: range) -> None:
    change(path, f"INSERT INTO {table} VALUES (?, ?)", [(id, f"{table} {id} žluťoučký") for id in ids])


def rows(path: Path, query: str) -> list[tuple[object, ...]]:
    with closing(sqlite3.connect(path)) as opened:
        return opened.execute(query).fetchall()


def states(worker: Alone, name: str) -> list[str]:
    return [task.state for task in worker.client.status(name).tasks]


@pytest.fixture
def configs(kafka: str, unique: str, database: Path, tmp_path: Path) -> dict[str, dict[str, str]]:
    for table in ("orders", "users"):
        create_topic(kafka, f"{unique}.{table}", 1)
    return {
        "in": {
            "name": "in",
            "connector.class": "SqliteSource",
            "tasks.max": "2",
            "database": str(database),
            "topic.prefix": f"{unique}.",
        },
        "out": {
            "name": "out",
            "connector.class": "SqliteSink",
            "tasks.max": "1",
            "topics": f"{unique}.orders,{unique}.users",
            "database": str(tmp_path / "copy.db"),
            "table": "copied",
        },
    }


def test_the_example_runs(
    kafka: str, unique: str, tmp_path: Path, installed: Path, database: Path, configs: dict[str, dict[str, str]]
) -> None:
    """Rows through topics into another database, through a kill; a table that comes later; offsets that are put back."""
    files = [write_json(tmp_path / f"{name}.json", config) for name, config in configs.items()]
    copy = tmp_path / "copy.db"
    with alone(kafka, tmp_path, *files, PYTHONPATH=str(installed)) as worker:
        worker.await_healthy()
        told_of_plugins(worker)
        errors_name_their_key(worker, configs["in"], tmp_path)
        eventually(lambda: len(records(kafka, f"{unique}.orders")) > 0)
        worker.kill()
    insert(database, "orders", range(25_001, 30_001))
    with alone(kafka, tmp_path, *files, PYTHONPATH=str(installed)) as worker:
        worker.await_healthy()
        change(database, "CREATE TABLE users (id INTEGER PRIMARY KEY, what TEXT)")
        insert(database, "users", range(1, 11))
        wanted = [(str(id), f"orders {id} žluťoučký") for id in range(1, 30_001)] + [
            (str(id), f"users {id} žluťoučký") for id in range(1, 11)
        ]
        eventually(lambda: copied(copy) == set(wanted), "The copy")
        eventually(lambda: states(worker, "in") == ["RUNNING", "RUNNING"], "A task for the table that came later")
        # At least once into the topic, once into the table.
        there = [(key, value) for name in ("orders", "users") for key, value in records(kafka, f"{unique}.{name}")]
        assert len(rows(copy, "SELECT * FROM copied")) == len(there)
        assert list(dict.fromkeys(int(key) for key, _ in records(kafka, f"{unique}.orders") if key)) == list(range(1, 30_001))

        worker.client.stop("in")
        eventually(lambda: worker.client.status("in").connector.state == "STOPPED")
        with pytest.raises(ConnectRefused, match="the id that was read last"):
            worker.client.alter_offsets("in", [PartitionOffset({"table": "users"}, {"id": "x"})])
        worker.client.alter_offsets("in", [PartitionOffset({"table": "users"}, {"id": 7})])
        worker.client.resume("in")
        eventually(lambda: [int(key or 0) for key, _ in records(kafka, f"{unique}.users")] == [*range(1, 11), 8, 9, 10])
        assert worker.end(signal.SIGTERM) == 0


def copied(path: Path) -> set[tuple[object, object]]:
    return {(key, json.loads(str(value))["what"]) for key, value in rows(path, "SELECT key, value FROM copied")}


def told_of_plugins(worker: Alone) -> None:
    """What is installed is listed; what cannot be imported is named with its reason."""
    listed = {plugin.class_name: plugin.version for plugin in worker.client.plugins()}
    assert listed["sqlite_connector.SqliteSourceConnector"] == "1.0"
    group = worker.client.workers()
    (member,) = group.workers  # type: ignore[union-attr]
    assert [(plugin.name, plugin.reason) for plugin in member.failed_plugins] == [
        ("Broken", "ModuleNotFoundError: No module named 'broken_connector'")
    ]
    assert "Connector plug-in Broken (broken_connector:Source) cannot be loaded" in worker.log.read_text()


def errors_name_their_key(worker: Alone, config: dict[str, str], folder: Path) -> None:
    path = f"{worker.client.url}/connector-plugins/SqliteSource/config/validate"

    def asked(**other: str) -> dict[str, dict[str, object]]:
        answer = httpx.put(path, json=config | other, timeout=30).json()
        return {item["value"]["name"]: item["value"] for item in answer["configs"]}

    assert asked()["tables"]["recommended_values"] == ["orders"]
    missing = folder / "none.db"
    wrong = {name: value["errors"] for name, value in asked(database=str(missing)).items() if value["errors"]}
    assert wrong == {"database": [f"Invalid value {missing} for configuration database: There is no such file"]}
