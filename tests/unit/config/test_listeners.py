"""Where a web process listens, and where its own installation reaches it."""

from pathlib import Path

import pytest
from django.core.exceptions import ImproperlyConfigured

from config.listeners import Listener, inner_url, listeners_of_environment, url

VARIABLES = ("CONNECT_LISTENERS", "CONNECT_ADMIN_LISTENERS", "DROVER_HOST", "DROVER_PORT")


def read(monkeypatch: pytest.MonkeyPatch, **environment: str) -> tuple[tuple[Listener, ...], tuple[Listener, ...] | None]:
    for name in VARIABLES:
        monkeypatch.delenv(name, raising=False)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    return listeners_of_environment()


@pytest.mark.parametrize(
    ("environment", "listeners"),
    [
        ({}, [Listener("http", "127.0.0.1", 8083)]),
        ({"DROVER_PORT": "9000", "DROVER_HOST": "::1"}, [Listener("http", "::1", 9000)]),
        ({"CONNECT_LISTENERS": "https://a:1"}, [Listener("https", "a", 1)]),
        ({"CONNECT_LISTENERS": "HTTPS://a:1", "DROVER_PORT": "2"}, [Listener("https", "a", 2)]),
        (
            {"CONNECT_LISTENERS": "http://:1, https://0.0.0.0:2,http://:3"},
            [Listener("http", "127.0.0.1", 1), Listener("https", "0.0.0.0", 2), Listener("http", "127.0.0.1", 3)],
        ),
    ],
)
def test_listeners(monkeypatch: pytest.MonkeyPatch, environment: dict[str, str], listeners: list[Listener]) -> None:
    assert read(monkeypatch, **environment) == (tuple(listeners), None)


@pytest.mark.parametrize(("value", "listeners"), [("", ()), (" ", ()), ("http://:9", (Listener("http", "127.0.0.1", 9, True),))])
def test_admin_listeners(monkeypatch: pytest.MonkeyPatch, value: str, listeners: tuple[Listener, ...]) -> None:
    """Empty is not the same as unset."""
    assert read(monkeypatch, CONNECT_ADMIN_LISTENERS=value)[1] == listeners


@pytest.mark.parametrize(
    ("environment", "message"),
    [
        ({"CONNECT_LISTENERS": "8083"}, "CONNECT_LISTENERS must be like http://localhost:8083, not '8083'"),
        (
            {"CONNECT_LISTENERS": "http://a:1,http://b"},
            "CONNECT_LISTENERS must name a port for each address, and does not for http://b",
        ),
        (
            {"CONNECT_LISTENERS": "https://a:1", "CONNECT_ADMIN_LISTENERS": "http://a:1"},
            "CONNECT_LISTENERS and CONNECT_ADMIN_LISTENERS name a:1 twice",
        ),
        ({"CONNECT_ADMIN_LISTENERS": "http://b"}, "CONNECT_ADMIN_LISTENERS must name a port"),
        ({"CONNECT_ADMIN_LISTENERS": "tcp://b:1"}, "CONNECT_ADMIN_LISTENERS must be like http://localhost:8083, not 'tcp://b:1'"),
    ],
)
def test_what_cannot_be_meant(monkeypatch: pytest.MonkeyPatch, environment: dict[str, str], message: str) -> None:
    with pytest.raises(ImproperlyConfigured) as raised:
        read(monkeypatch, **environment)
    assert str(raised.value).startswith(message)


@pytest.mark.parametrize(
    ("listener", "where"),
    [
        (Listener("http", "0.0.0.0", 1), "http://127.0.0.1:1"),
        (Listener("https", "::", 1), "https://[::1]:1"),
        (Listener("http", "a", 1), "http://a:1"),
    ],
)
def test_where_this_machine_reaches_one(listener: Listener, where: str) -> None:
    assert url(listener) == where


def test_where_its_own_installation_reaches_it() -> None:
    safe, plain = Listener("https", "0.0.0.0", 1), Listener("http", "127.0.0.1", 2)
    assert inner_url((safe, plain), Path("/run")) == "http://127.0.0.1:2"
    assert inner_url((safe,), Path("/run")) == "unix:/run/web-1.sock"
