"""How requests are written: any name a connector may have, and exactly the parameters of KIP-745."""

import pytest

from connect_client import calls
from connect_client.shapes import PartitionOffset


@pytest.mark.parametrize(
    ("name", "path"),
    [
        ("orders", "/connectors/orders/status"),
        ("sp ace", "/connectors/sp%20ace/status"),
        ("a/b", "/connectors/a%2Fb/status"),
        ("..", "/connectors/%2E%2E/status"),
        ("50%", "/connectors/50%25/status"),
        ("q?x#y;z", "/connectors/q%3Fx%23y%3Bz/status"),
        ("a+b", "/connectors/a%2Bb/status"),
        ("größe", "/connectors/gr%C3%B6%C3%9Fe/status"),
    ],
)
def test_names_are_encoded(name: str, path: str) -> None:
    assert calls.status(name).target == path


@pytest.mark.parametrize(
    ("call", "method", "target"),
    [
        (calls.connectors(), "GET", "/connectors?expand=info&expand=status"),
        (calls.restart("a", only_failed=True), "POST", "/connectors/a/restart?includeTasks=true&onlyFailed=true"),
        (calls.restart("a", only_failed=False), "POST", "/connectors/a/restart?includeTasks=true&onlyFailed=false"),
        (calls.restart_task("a", 3), "POST", "/connectors/a/tasks/3/restart"),
        (calls.pause("a"), "PUT", "/connectors/a/pause"),
        (calls.stop("a"), "PUT", "/connectors/a/stop"),
        (calls.delete("a"), "DELETE", "/connectors/a"),
        (calls.delete("a", include_offsets=True), "DELETE", "/connectors/a?includeOffsets=true"),
        (calls.offsets("a"), "GET", "/connectors/a/offsets"),
        (calls.positions("a b"), "GET", "/api/v1/connectors/a%20b/positions"),
        (calls.positions("a", 7), "GET", "/api/v1/connectors/a/positions?time=7"),
        (calls.alter_offsets("a", []), "PATCH", "/connectors/a/offsets"),
        (calls.reset_offsets("a"), "DELETE", "/connectors/a/offsets"),
        (calls.loggers(), "GET", "/admin/loggers"),
        (calls.set_level("a.B$c/d", "DEBUG", cluster=True), "PUT", "/admin/loggers/a.B%24c%2Fd?scope=cluster"),
        (calls.set_level("root", "DEBUG", cluster=False), "PUT", "/admin/loggers/root"),
        (calls.plugins(connectors_only=False), "GET", "/connector-plugins?connectorsOnly=false"),
    ],
)
def test_requests(call: calls.Call, method: str, target: str) -> None:
    assert (call.method, call.target) == (method, target)


def test_bodies_with_offsets() -> None:
    at = [PartitionOffset({"filename": "/f"}, {"position": 1}), PartitionOffset({"filename": "/g"}, None)]
    raw = [
        {"partition": {"filename": "/f"}, "offset": {"position": 1}},
        {"partition": {"filename": "/g"}, "offset": None},
    ]
    assert calls.alter_offsets("a", at).body == {"offsets": raw}
    assert calls.create("a", {"x": "1"}).body == {"name": "a", "config": {"x": "1"}}
    assert calls.create("a", {}, initial_state="STOPPED", offsets=at).body == {
        "name": "a",
        "config": {},
        "initial_state": "STOPPED",
        "offsets": raw,
    }


def test_only_a_creation_may_mean_something_else_by_409() -> None:
    assert not calls.create("a", {}).retry_conflict
    assert calls.put_config("a", {}).retry_conflict
