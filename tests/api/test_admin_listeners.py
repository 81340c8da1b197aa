"""`admin.listeners`: `/admin/` there and nothing else, and nowhere else."""

from typing import Any

import pytest
from django.conf import settings
from django.test import Client

from config.listeners import Listener
from connect_api.admin import LISTENER
from tests.api.conftest import Api
from workers.rest_config import rest_config

PATHS = ("/admin/loggers", "/admin;x/loggers", "/connectors", "/", "/health", "/nope")


def statuses(listener: str) -> list[int]:
    return [answered(path, {"REQUEST_URI": path, LISTENER: listener}) for path in PATHS]


def answered(path: str, environ: dict[str, Any]) -> int:
    return Client().generic("GET", path, **environ).status_code


@pytest.mark.parametrize(
    ("wanted", "main", "admin"),
    [
        (None, [200, 200, 200, 200, 200, 404], [200, 200, 200, 200, 200, 404]),
        ((), [404, 404, 200, 200, 200, 404], None),
        ((Listener("http", "127.0.0.1", 1, True),), [404, 404, 200, 200, 200, 404], [200, 200, 404, 404, 404, 404]),
    ],
)
def test_what_is_where(
    api: Api,
    monkeypatch: pytest.MonkeyPatch,
    wanted: tuple[Listener, ...] | None,
    main: list[int],
    admin: list[int] | None,
) -> None:
    monkeypatch.setattr(settings, "ADMIN_LISTENERS", wanted)
    assert statuses("") == main
    if admin is not None:
        assert statuses("admin") == admin


def test_there_are_no_headers_for_pages_or_the_operators_own(api: Api, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(settings, "ADMIN_LISTENERS", (Listener("http", "127.0.0.1", 1, True),))
    monkeypatch.setenv("CONNECT_ACCESS_CONTROL_ALLOW_ORIGIN", "*")
    monkeypatch.setenv("CONNECT_RESPONSE_HTTP_HEADERS_CONFIG", "set X-Frame-Options:DENY")
    rest_config.cache_clear()
    try:
        for listener, path, present in (("admin", "/admin/loggers/root", False), ("", "/connectors", True)):
            environ: dict[str, Any] = {"REQUEST_URI": path, LISTENER: listener, "HTTP_ORIGIN": "http://a"}
            response = Client().generic("GET", path, **environ)
            assert response.status_code == 200
            assert [name in response for name in ("Access-Control-Allow-Origin", "X-Frame-Options")] == [present, present]
    finally:
        rest_config.cache_clear()
