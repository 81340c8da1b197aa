"""How requests are written: any name a connector may have, and exactly the parameters of KIP-745."""

import pytest

from connect_client import calls


@pytest.mark.parametrize(
    ("name", "path"),
    [
        ("orders", "/connectors/orders/status"),
        ("sp ace", "/connectors/sp%20ace/status"),
        ("a/b", "/connectors/a%2Fb/status"),
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
        (calls.plugins(connectors_only=False), "GET", "/connector-plugins?connectorsOnly=false"),
    ],
)
def test_requests(call: calls.Call, method: str, target: str) -> None:
    assert (call.method, call.target) == (method, target)


def test_only_a_creation_may_mean_something_else_by_409() -> None:
    assert not calls.create("a", {}).retry_conflict
    assert calls.put_config("a", {}).retry_conflict
