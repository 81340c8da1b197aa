"""What holds for every endpoint: methods, media types, paths, the shape of errors (facts §1)."""

import pytest
from django.conf import settings

from tests.api.conftest import Api
from tests.api.expect import expect_error

#: Each path with the methods it serves.
ENDPOINTS = {
    "/": "GET",
    "/health": "GET",
    "/connector-plugins": "GET",
    "/connectors": "GET POST",
    "/connectors/a": "GET DELETE",
    "/connectors/a/config": "GET PUT PATCH",
    "/connectors/a/status": "GET",
    "/connectors/a/pause": "PUT",
    "/connectors/a/resume": "PUT",
    "/connectors/a/stop": "PUT",
    "/connectors/a/restart": "POST",
    "/connectors/a/topics": "GET",
    "/connectors/a/topics/reset": "PUT",
    "/connectors/a/tasks": "GET",
    "/connectors/a/tasks/0/status": "GET",
    "/connectors/a/tasks/0/restart": "POST",
}
WRONG = [
    (method, path)
    for path, served in ENDPOINTS.items()
    for method in ("GET", "POST", "PUT", "PATCH", "DELETE")
    if method not in served.split()
]
READ = [path for path, served in ENDPOINTS.items() if "GET" in served.split()]
WITHOUT_BODY = [
    (method, path)
    for path in ENDPOINTS
    if path.endswith(("pause", "resume", "stop", "restart", "reset"))
    for method in ENDPOINTS[path].split()
]


@pytest.mark.parametrize(("method", "path"), WRONG)
def test_another_method_is_405(api: Api, method: str, path: str) -> None:
    api.create()
    response = api.request(method, path)
    expect_error(response, 405, "HTTP 405 Method Not Allowed")
    assert "Allow" not in response, "as in Kafka Connect"
    assert api.herding.state() == "RUNNING"


@pytest.mark.parametrize("path", READ)
def test_head_is_get_without_the_body(api: Api, path: str) -> None:
    api.create()
    response = api.request("HEAD", path)
    assert (response.status_code, response.content, response["Content-Type"]) == (200, b"", "application/json")


@pytest.mark.parametrize("path", ["/connectors/no", "/connectors/no/status", "/nope"])
def test_head_of_what_is_not_there(api: Api, path: str) -> None:
    response = api.request("HEAD", path)
    assert (response.status_code, response.content) == (404, b"")


@pytest.mark.parametrize(("path", "served"), ENDPOINTS.items())
def test_options_lists_the_methods(api: Api, path: str, served: str) -> None:
    response = api.request("OPTIONS", path)
    methods = {"OPTIONS", *served.split(), *({"HEAD"} if "GET" in served.split() else ())}
    assert (response.status_code, response["Content-Type"]) == (200, "text/plain")
    assert set(response["Allow"].split(",")) == methods
    assert response.content.decode().split(", ") == response["Allow"].split(",")


@pytest.mark.parametrize("path", READ)
@pytest.mark.parametrize("slash", ["", "/"])
def test_one_slash_at_the_end_is_accepted(api: Api, path: str, slash: str) -> None:
    api.create()
    assert api.get(path.rstrip("/") + slash or "/").status_code == 200


@pytest.mark.parametrize(
    "path",
    [
        "/nope",
        "/Connectors",
        "/connectors/a/nope",
        "/connectors/a/status/more",
        "/connectors/a/tasks/0",
        "/connectors/a/tasks-config",
        "/application.wadl",
    ],
)
@pytest.mark.parametrize("method", ["GET", "POST", "OPTIONS"])
def test_an_unknown_path_is_404(api: Api, method: str, path: str) -> None:
    expect_error(api.request(method, path), 404, "HTTP 404 Not Found")


# --- media types ------------------------------------------------------------------------------------------------------

BODIES = [
    ("POST", "/connectors", b'{"name":"b","config":{"connector.class":"fake.Source"}}'),
    ("PUT", "/connectors/b/config", b'{"connector.class":"fake.Source"}'),
]


@pytest.mark.parametrize(
    "content_type", ["text/plain", "", "*/*", "application/vnd.api+json", "application/x-www-form-urlencoded"]
)
@pytest.mark.parametrize(("method", "path", "body"), BODIES)
def test_a_body_that_is_not_called_json_is_415(api: Api, method: str, path: str, body: bytes, content_type: str) -> None:
    expect_error(api.request(method, path, body, content_type=content_type), 415, "HTTP 415 Unsupported Media Type")
    assert api.herding.config_keys() == []


@pytest.mark.parametrize("content_type", ["application/json", "application/json; charset=utf-8", "APPLICATION/JSON"])
@pytest.mark.parametrize(("method", "path", "body"), BODIES)
def test_json_may_name_its_charset(api: Api, method: str, path: str, body: bytes, content_type: str) -> None:
    assert api.request(method, path, body, content_type=content_type).status_code == 201


@pytest.mark.parametrize(("method", "path"), WITHOUT_BODY)
def test_a_call_without_a_body_with_a_wrong_content_type_is_415_all_the_same(api: Api, method: str, path: str) -> None:
    api.create()
    expect_error(api.request(method, path, content_type="text/plain"), 415, "HTTP 415 Unsupported Media Type")
    api.herding.settle()
    assert api.herding.states() == ["RUNNING"]


@pytest.mark.parametrize("path", ["/", "/health", "/connectors", "/connectors/a"])
@pytest.mark.parametrize(
    "accept", ["", "*/*", "application/json", "Application/*;q=0.5", "text/plain, application/json;q=0.1", "text/plain,*/*"]
)
def test_whoever_takes_json_gets_json(api: Api, path: str, accept: str) -> None:
    api.create()
    assert api.get(path, Accept=accept)["Content-Type"] == "application/json"


@pytest.mark.parametrize("path", ["/", "/health", "/connectors", "/connectors/a"])
@pytest.mark.parametrize("accept", ["text/plain", "application/vnd.api+json", "nonsense"])
def test_whoever_does_not_gets_406(api: Api, path: str, accept: str) -> None:
    expect_error(api.get(path, Accept=accept), 406, "HTTP 406 Not Acceptable")


@pytest.mark.parametrize(
    ("method", "path", "content_type", "status"),
    [
        ("GET", "/nope", "text/plain", 404),
        ("PUT", "/connectors", "text/plain", 405),
        ("POST", "/connectors", "text/plain", 415),
        ("POST", "/connectors", "application/json", 406),
        ("DELETE", "/connectors/a", None, 406),
        ("PUT", "/connectors/a/pause", None, 406),
        ("GET", "/connectors/a", "text/plain", 415),
        ("OPTIONS", "/connectors", None, 200),
    ],
)
def test_of_several_things_that_are_wrong_the_first_is_told(
    api: Api, method: str, path: str, content_type: str | None, status: int
) -> None:
    """The path, the method, what is sent, what is taken."""
    body = None if content_type is None else b"{}"
    assert api.request(method, path, body, content_type=content_type, Accept="text/html").status_code == status


def test_a_body_that_is_too_long_is_413_and_changes_nothing(api: Api, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(settings, "DATA_UPLOAD_MAX_MEMORY_SIZE", 100)
    body = {"name": "a", "config": {"connector.class": "fake.Source", "k": "x" * 100}}
    expect_error(api.request("POST", "/connectors", body), 413, "HTTP 413 Request Entity Too Large")
    assert api.herding.config_keys() == []


@pytest.mark.parametrize(
    ("body", "value"),
    [
        (b'{"connector.class":"fake.Source","k":1.0E+2}', "1.0E+2"),
        (b'{"connector.class":"fake.Source","k":-0.0}', "-0.0"),
        (b'{"connector.class":"fake.Source","k":true}', "true"),
        (b'{"connector.class":"fake.Source","k":"1","k":"2"}', "2"),
        (b'\xef\xbb\xbf{"connector.class":"fake.Source","k":"1"}', "1"),
    ],
)
def test_what_a_value_is_stored_as(api: Api, body: bytes, value: str) -> None:
    assert api.request("PUT", "/connectors/a/config", body).status_code == 201
    assert api.json("/connectors/a/config")["k"] == value


@pytest.mark.parametrize(("method", "path"), [(method, path) for method, path, _ in BODIES])
@pytest.mark.parametrize("body", [b"{", b"{} {}", b"\xff", b" ", b"[" * 3000])
def test_what_is_not_json_is_400_and_changes_nothing(api: Api, method: str, path: str, body: bytes) -> None:
    response = api.request(method, path, body)
    assert response.status_code == 400
    assert response.content.startswith(b'{"error_code":400,"message":"The request body is not valid JSON: ')
    assert api.herding.config_keys() == []


# --- while it is not ready --------------------------------------------------------------------------------------------


def test_what_nobody_expected_is_500_in_the_same_shape(api: Api, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken() -> None:
        raise ValueError("a bug")

    monkeypatch.setattr(api.remote, "view", broken)
    expect_error(api.get("/connectors"), 500, "a bug")
