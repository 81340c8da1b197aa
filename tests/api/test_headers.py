"""Headers that an operator may wish for: CORS (facts §1.8), `response.http.headers.config`, and compressed answers."""

import gzip
import re
from collections.abc import Callable, Iterator
from typing import Any

import orjson
import pytest
from django.core.exceptions import ImproperlyConfigured
from django.http import HttpResponse
from django.utils.http import parse_http_date

from connect_api.compression import takes_gzip
from connect_api.response_headers import apply
from tests.api.conftest import Api
from workers.rest_config import HeaderRule, header_rule, rest_config

SITE = "https://site.example"


@pytest.fixture
def served(api: Api, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., Api]]:
    """The API with other settings."""

    def serve(**variables: str) -> Api:
        for name, value in variables.items():
            monkeypatch.setenv(name, value)
        rest_config.cache_clear()
        return Api(api.herding, api.remote)

    yield serve
    rest_config.cache_clear()


def cross_origin(response: HttpResponse) -> dict[str, str]:
    return {name: value for name, value in response.headers.items() if name.startswith("Access-Control-") or name == "Vary"}


def test_without_the_setting_there_is_no_word_of_origins(served: Callable[..., Api]) -> None:
    assert cross_origin(served().get("/connectors", Origin=SITE)) == {}


@pytest.mark.parametrize("allowed", ["*", SITE, f"http://a,{SITE}", r"https://.*\.example", SITE.upper()])
def test_an_allowed_origin(served: Callable[..., Api], allowed: str) -> None:
    api = served(CONNECT_ACCESS_CONTROL_ALLOW_ORIGIN=allowed)
    for path in ("/connectors", "/nope"):
        assert cross_origin(api.get(path, Origin=SITE)) == {"Vary": "Origin", "Access-Control-Allow-Origin": SITE}


@pytest.mark.parametrize("origin", ["https://other.example", f"{SITE}.evil", "null"])
def test_another_origin_is_answered_and_its_page_may_not_see_it(served: Callable[..., Api], origin: str) -> None:
    response = served(CONNECT_ACCESS_CONTROL_ALLOW_ORIGIN=SITE).get("/connectors", Origin=origin)
    assert (response.status_code, cross_origin(response)) == (200, {"Vary": "Origin"})


@pytest.mark.parametrize(("methods", "told"), [("", "GET,POST,HEAD"), ("POST,GET,PUT", "POST,GET,PUT")])
def test_a_preflight_is_told_what_there_is_and_reaches_the_resource(served: Callable[..., Api], methods: str, told: str) -> None:
    api = served(CONNECT_ACCESS_CONTROL_ALLOW_ORIGIN=SITE, CONNECT_ACCESS_CONTROL_ALLOW_METHODS=methods)
    asked = {"Origin": SITE, "Access-Control-Request-Method": "DELETE", "Access-Control-Request-Headers": "x-one"}
    response = api.request("OPTIONS", "/connectors", **asked)
    assert cross_origin(response) == {
        "Vary": "Origin",
        "Access-Control-Allow-Origin": SITE,
        "Access-Control-Allow-Methods": told,
        "Access-Control-Allow-Headers": "Content-Type",
        "Access-Control-Max-Age": "60",
    }
    assert set(response["Allow"].split(",")) == {"HEAD", "GET", "POST", "OPTIONS"}
    unknown = api.request("OPTIONS", "/nope", **asked)
    assert (unknown.status_code, unknown["Access-Control-Max-Age"]) == (404, "60")


def test_origins_that_are_no_pattern(served: Callable[..., Api]) -> None:
    served(CONNECT_ACCESS_CONTROL_ALLOW_ORIGIN="http://(")
    with pytest.raises(ImproperlyConfigured, match=r"^CONNECT_ACCESS_CONTROL_ALLOW_ORIGIN must hold origins"):
        rest_config()


# --- response.http.headers.config -------------------------------------------------------------------------------------


def test_headers_of_the_operator(served: Callable[..., Api]) -> None:
    rules = 'set X-Frame-Options:DENY, "add Cache-Control: no-cache, no-store", setDate Expires: 3600000, add Vary: X'
    response = served(CONNECT_RESPONSE_HTTP_HEADERS_CONFIG=rules).get("/")
    assert response["X-Frame-Options"] == "DENY"
    assert response["Cache-Control"] == "no-cache, no-store"
    assert parse_http_date(response["Expires"]) > 1_700_000_000
    assert response["Vary"] == "Accept, X"
    assert served().get("/nope")["X-Frame-Options"] == "DENY"


@pytest.mark.parametrize(
    ("rule", "there", "header"),
    [
        (HeaderRule(False, False, "X", "new"), "old", "new"),
        (HeaderRule(True, False, "X", "new"), "old", "old, new"),
        (HeaderRule(True, False, "X", "new"), None, "new"),
        (HeaderRule(False, True, "X", "1000"), "old", "Thu, 01 Jan 1970 00:00:11 GMT"),
    ],
)
def test_rules(rule: HeaderRule, there: str | None, header: str) -> None:
    response = HttpResponse(headers={} if there is None else {"X": there})
    apply(rule, response, 10.0)
    assert response["X"] == header


@pytest.mark.parametrize(
    ("rule", "message"),
    [
        ("", "Invalid format of header config ''. Expected: '[action] [header name]:[header value]'"),
        ("set", "Invalid format of header config 'set'. Expected: '[action] [header name]:[header value]'"),
        ("badaction X:y", "Invalid header config action: 'badaction'. Expected one of [set, add, setDate, addDate]"),
        ("set X", "Invalid format of header name and header value pair 'X'. Expected: '[header name]:[header value]'"),
        ("set X:y:z", "Invalid format of header name and header value pair 'X:y:z'. Expected: '[header name]:[header value]'"),
        ("set a b:c", "Invalid header name 'a b'. The '[header name]' cannot contain whitespace"),
        ("set :c", "Invalid header name ''. The '[header name]' cannot contain whitespace"),
        ("setDate X:y", "Invalid value 'y' of header X: milliseconds from now were expected"),
    ],
)
def test_rules_that_cannot_be_meant(rule: str, message: str) -> None:
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        header_rule(rule)


def test_a_rule_that_cannot_be_meant_stops_the_start(served: Callable[..., Api]) -> None:
    served(CONNECT_RESPONSE_HTTP_HEADERS_CONFIG="set X:y,nope")
    with pytest.raises(ImproperlyConfigured, match=r"^CONNECT_RESPONSE_HTTP_HEADERS_CONFIG cannot be meant: Invalid format"):
        rest_config()


# --- compressed -------------------------------------------------------------------------------------------------------


@pytest.fixture
def long_list(api: Api) -> Api:
    api.create("a", **{"padding": "x" * 20_000})
    return api


@pytest.mark.parametrize("path", ["/connectors?expand=info", "/connectors/a"])
def test_long_json_is_compressed_for_those_who_take_it(long_list: Api, path: str) -> None:
    plain, packed = long_list.get(path), long_list.get(path, **{"Accept-Encoding": "deflate, gzip;q=0.5"})
    assert "Content-Encoding" not in plain
    assert packed["Content-Encoding"] == "gzip"
    assert gzip.decompress(packed.content) == plain.content
    assert len(packed.content) < len(plain.content) / 10
    for response in (plain, packed):
        assert "Accept-Encoding" in response["Vary"]


def test_short_json_is_not(api: Api) -> None:
    response = api.get("/connectors", **{"Accept-Encoding": "gzip"})
    assert "Content-Encoding" not in response
    assert "Vary" not in response


def test_a_compressed_list_has_a_weak_etag_that_holds(long_list: Api) -> None:
    path, taken = "/connectors?expand=info", {"Accept-Encoding": "gzip"}
    etag = long_list.get(path, **taken)["ETag"]
    assert etag.startswith('W/"')
    assert long_list.get(path, **{**taken, "If-None-Match": etag}).status_code == 304
    assert long_list.get(path, **{"If-None-Match": etag}).status_code == 304


def test_a_list_is_compressed_once_for_each_state_of_things(long_list: Api, monkeypatch: pytest.MonkeyPatch) -> None:
    counted: list[int] = []

    def counting(*args: Any, **named: Any) -> bytes:
        counted.append(1)
        return compress(*args, **named)

    compress = gzip.compress
    monkeypatch.setattr("connect_api.compression.gzip.compress", counting)
    for _ in range(3):
        body = gzip.decompress(long_list.get("/connectors?expand=info", **{"Accept-Encoding": "gzip"}).content)
    assert list(orjson.loads(body)) == ["a"]
    assert len(counted) == 1


@pytest.mark.parametrize(
    ("header", "takes"),
    [
        ("", False),
        ("gzip", True),
        ("GZIP", True),
        ("deflate, gzip", True),
        ("gzip;q=0.1", True),
        ("*", True),
        ("gzip;q=0", False),
        ("gzip; q=0.000", False),
        ("identity", False),
        ("x-gzipper", False),
        ("br;q=1.0, gzip;q=1, *;q=0", True),
    ],
)
def test_who_takes_gzip(header: str, takes: bool) -> None:
    assert takes_gzip(header) == takes
