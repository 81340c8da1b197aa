"""Configs, plug-ins and log levels through the control room's own views."""

import json
from collections.abc import Callable
from datetime import UTC, datetime

import pytest

from dashboard.follow.recorder import Recorder
from dashboard.models import Cluster, ConfigVersion
from tests.cli.conftest import Drover
from tests.dashboard.configs.conftest import paper, see
from tests.dashboard.configs.paper import CONFIG, SINK, ConfigPaper
from tests.dashboard.conftest import cluster

__all__ = ["cluster", "paper", "see"]

Look = Callable[[], None]


def test_single_keys(room: Drover, paper: ConfigPaper, see: Look) -> None:
    result = room("config", "set", "eu/orders", "topics=orders,lake", "unknown.key-")
    assert result.stdout.splitlines() == ["~ topics: orders -> orders,lake", "- unknown.key = kept"]
    assert paper.config() == {**{key: value for key, value in CONFIG.items() if key != "unknown.key"}, "topics": "orders,lake"}


def test_secrets_come_back_as_they_were(room: Drover, paper: ConfigPaper, see: Look) -> None:
    told = room("config", "get", "orders").stdout
    assert "geheim" not in told
    assert "vierstellig" not in told
    room("config", "set", "orders", "-f", "-", stdin=json.dumps({**json.loads(told), "file": "/tmp/other"}))
    assert paper.config() == {**CONFIG, "file": "/tmp/other"}


def test_somebody_else_was_quicker(room: Drover, paper: ConfigPaper, see: Look, monkeypatch: pytest.MonkeyPatch) -> None:
    from cli.room import Room

    put = Room.put_config

    def late(*words: object) -> None:
        Recorder(Cluster.objects.get()).listing(paper.entries, datetime.now(UTC))
        put(*words)  # type: ignore[arg-type]

    monkeypatch.setattr(Room, "put_config", late)
    paper.hold({**CONFIG, "topics": "of-others"})
    assert "by now, not" in room.refused("config", "set", "orders", "topics=mine", code=6)
    assert paper.config()["topics"] == "of-others"


def test_create(room: Drover, paper: ConfigPaper, see: Look) -> None:
    new = {"name": "lake/1 %", "config": {"connector.class": SINK, "topics": "lake"}}
    # There is one cluster, so that it need not be said.
    result = room("create", "-f", "-", stdin=json.dumps([new, {"name": "orders", "config": CONFIG}]), code=6)
    assert result.stdout == "eu/lake/1 % created\n"
    assert "eu/orders: " in result.stderr
    assert paper.config("lake/1 %")["topics"] == "lake"
    refused = room(
        "create", "-f", "-", stdin='{"name": "x", "connector.class": "org.x.OrdersSink", "db.password": "••••••••"}', code=1
    )
    assert "db.password" in refused.stderr
    assert room("create", "-c", "us", "-f", "-", stdin=json.dumps(new), code=5).stderr == "us/lake/1 %: There is no cluster us\n"


def test_plugins(room: Drover, paper: ConfigPaper, see: Look) -> None:
    assert f"{SINK} sink 1 eu 1.2" in room.lines("plugins")
    assert room.lines("get", "plugins", "-o", "name") == room.lines("plugins", "-o", "name")
    assert room.lines("plugins", SINK, "-o", "name") == ["file", "pin"]


def test_log_levels(room: Drover, paper: ConfigPaper, see: Look) -> None:
    paper.loggers = {"root": {"level": "INFO", "last_modified": None}, "org.x": {"level": "WARN", "last_modified": 1}}
    assert [line.split()[:2] for line in room.lines("loggers", "get")[1:]] == [["root", "INFO"], ["org.x", "WARN"]]
    assert room("loggers", "set", "org.x", "debug", "-c", "eu").stderr == "org.x is DEBUG in all workers in a moment.\n"
    assert paper.loggers["org.x"]["level"] == "DEBUG"
    assert "1 logger of the worker" in room("loggers", "set", "org.x", "info", "--worker").stderr
    assert ConfigVersion.objects.exists()
