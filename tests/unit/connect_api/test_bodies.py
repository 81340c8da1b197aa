"""Request bodies, read strictly."""

import pytest
from django.http import HttpRequest
from django.test import RequestFactory
from rest_framework.exceptions import UnsupportedMediaType
from rest_framework.request import Request

from connect_api import bodies
from connect_api.bodies import CreateConnector
from workers.herder.errors import BadRequest
from workers.herder.states import TargetState

JSON = "application/json"


def request(body: bytes, content_type: str = JSON) -> HttpRequest:
    """As a view gets it: REST framework's request around Django's."""
    return Request(RequestFactory().generic("POST", "/", body, headers={"Content-Type": content_type}))


# --- media types ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("content_type", [JSON, "Application/JSON", f"{JSON}; charset=utf-8", f"{JSON};charset=UTF-8"])
def test_json_is_json_whatever_its_parameters(content_type: str) -> None:
    assert bodies.parsed(request(b"{}", content_type)) == {}


@pytest.mark.parametrize(
    "content_type", ["", "*/*", "text/plain", "application/vnd.api+json", "application/x-www-form-urlencoded"]
)
def test_a_body_of_another_kind_is_refused(content_type: str) -> None:
    with pytest.raises(UnsupportedMediaType):
        bodies.parsed(request(b"{}", content_type))


@pytest.mark.parametrize("content_type", ["", JSON, f"{JSON}; charset=utf-8"])
def test_a_call_without_a_body_may_name_json_or_nothing(content_type: str) -> None:
    bodies.refuse_other_content(request(b" ", content_type))


@pytest.mark.parametrize("content_type", ["text/plain", "application/vnd.api+json", "application/x-www-form-urlencoded"])
def test_a_call_without_a_body_may_not_name_anything_else(content_type: str) -> None:
    with pytest.raises(UnsupportedMediaType):
        bodies.refuse_other_content(request(b" ", content_type))


# --- JSON -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "body",
    [b"", b"{", b"{} {}", b"{'a':1}", b'{"a":NaN}', b'{"a":Infinity}', b"\xff", b'{"a":01}', b'{"a":"\\ud800"}', b"{,}"],
)
def test_what_is_not_json_is_refused(body: bytes) -> None:
    with pytest.raises(BadRequest, match=r"^The request body is not valid JSON: "):
        bodies.parsed(request(body))


def test_the_last_of_two_keys_counts() -> None:
    assert bodies.parsed(request(b'{"a":"1","a":"2"}')) == {"a": "2"}


@pytest.mark.parametrize(
    ("scalar", "text"),
    [
        (b"1", "1"),
        (b"-0", "-0"),
        (b"-0.0", "-0.0"),
        (b"1.0E+2", "1.0E+2"),
        (b"1e+30", "1e+30"),
        (b"12345678901234567890123", "12345678901234567890123"),
        (b"0.10", "0.10"),
        (b"true", "true"),
        (b"false", "false"),
        (b'"1"', "1"),
        (b'""', ""),
        (b"null", None),
        ('"ä€😀"'.encode(), "ä€😀"),
    ],
)
def test_scalars_become_the_text_that_they_were(scalar: bytes, text: str | None) -> None:
    assert bodies.string_map(bodies.parsed(request(b'{"a":' + scalar + b"}"))) == {"a": text}


@pytest.mark.parametrize(
    ("value", "kind"), [([], "Array"), ([1], "Array"), ({}, "Object"), ({"b": 1}, "Object")], ids=["[]", "[1]", "{}", "{b}"]
)
def test_lists_and_objects_are_no_config_values(value: object, kind: str) -> None:
    with pytest.raises(BadRequest, match=f"^Cannot deserialize value of type `java.lang.String` from {kind} value"):
        bodies.string_map({"a": value})


@pytest.mark.parametrize("body", [[], "text", None, 5, True])
def test_a_config_is_an_object(body: object) -> None:
    with pytest.raises(BadRequest, match=r"^Cannot deserialize value of type"):
        bodies.string_map(body)


# --- names ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("config", "named"),
    [
        ({"k": "v"}, {"k": "v", "name": "a"}),
        ({"name": "a", "k": "v"}, {"name": "a", "k": "v"}),
        ({"name": None, "k": "v"}, {"k": "v", "name": "a"}),
    ],
)
def test_a_config_gets_its_name(config: dict[str, str | None], named: dict[str, str]) -> None:
    assert list(bodies.named("a", config).items()) == list(named.items())


@pytest.mark.parametrize("given", ["b", "", "A", " a"])
def test_another_name_is_refused(given: str) -> None:
    with pytest.raises(BadRequest) as raised:
        bodies.named("a", {"name": given})
    assert raised.value.message == f"Connector name configuration ({given}) doesn't match connector name in the URL (a)"


# --- POST /connectors -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ({"name": "a", "config": {}}, CreateConnector("a", {"name": "a"}, None)),
        ({"name": "  a b ", "config": {"k": "1"}}, CreateConnector("a b", {"k": "1", "name": "a b"}, None)),
        # Kafka Connect goes on with no name, which fails its validation.
        ({"config": {}}, CreateConnector("", {"name": ""}, None)),
        ({"name": None, "config": {}}, CreateConnector("", {"name": ""}, None)),
        ({"name": "   ", "config": {}}, CreateConnector("", {"name": ""}, None)),
        ({"name": True, "config": {}}, CreateConnector("true", {"name": "true"}, None)),
        ({"name": "a", "config": {}, "initial_state": None}, CreateConnector("a", {"name": "a"}, None)),
        ({"name": "a", "config": {}, "initial_state": "RUNNING"}, CreateConnector("a", {"name": "a"}, TargetState.STARTED)),
        ({"name": "a", "config": {}, "initial_state": "paused"}, CreateConnector("a", {"name": "a"}, TargetState.PAUSED)),
        ({"name": "a", "config": {}, "initial_state": "Stopped"}, CreateConnector("a", {"name": "a"}, TargetState.STOPPED)),
    ],
)
def test_create_connector(body: object, expected: CreateConnector) -> None:
    assert bodies.create_connector(body) == expected


@pytest.mark.parametrize(
    ("body", "message"),
    [
        (
            {"name": "a", "config": {}, "foo": 1},
            'Unrecognized field "foo" (class CreateConnectorRequest), not marked as ignorable '
            '(4 known properties: "config", "name", "initial_state", "offsets")',
        ),
        ({"name": "a"}, "The request has no 'config'"),
        ({"name": "a", "config": None}, "The request has no 'config'"),
        ({}, "The request has no 'config'"),
        (
            {"name": "a", "config": {}, "initial_state": "BOGUS"},
            "Cannot construct instance of `InitialState`, problem: No enum constant InitialState.BOGUS: "
            "it may be RUNNING, PAUSED or STOPPED",
        ),
        (
            {"name": "a", "config": {}, "initial_state": "STARTED"},
            "Cannot construct instance of `InitialState`, problem: No enum constant InitialState.STARTED: "
            "it may be RUNNING, PAUSED or STOPPED",
        ),
        (
            {"name": "a", "config": {}, "initial_state": " running"},
            "Cannot construct instance of `InitialState`, problem: No enum constant InitialState. running: "
            "it may be RUNNING, PAUSED or STOPPED",
        ),
        (
            {"name": "a", "config": {}, "initial_state": True},
            "Cannot construct instance of `InitialState`, problem: No enum constant InitialState.true: "
            "it may be RUNNING, PAUSED or STOPPED",
        ),
        (
            {"name": "a", "config": {}, "initial_state": ["PAUSED"]},
            "Cannot deserialize value of type `java.lang.String` from Array value (through reference chain: ['initial_state'])",
        ),
        (
            {"name": "a", "config": {"name": "b"}},
            "Connector name configuration (b) doesn't match connector name in the URL (a)",
        ),
        (
            {"name": ["a"], "config": {}},
            "Cannot deserialize value of type `java.lang.String` from Array value (through reference chain: ['name'])",
        ),
        ([], "Cannot construct instance of CreateConnectorRequest: a JSON object was expected"),
        (None, "Cannot construct instance of CreateConnectorRequest: a JSON object was expected"),
    ],
)
def test_what_cannot_be_created(body: object, message: str) -> None:
    with pytest.raises(BadRequest) as raised:
        bodies.create_connector(body)
    assert raised.value.message == message


@pytest.mark.parametrize(
    ("given", "name"),
    [
        (" a \r\n\t", "a"),
        ("\x00a\x1f", "a"),
        ("a\x00b", "a\x00b"),
        ("\x7fa", "\x7fa"),
        ("\u00a0a\u2003", "\u00a0a\u2003"),
        (" ", ""),
    ],
)
def test_a_name_is_trimmed_as_java_trims(given: str, name: str) -> None:
    created = bodies.create_connector({"name": given, "config": {}})
    assert (created.name, created.config) == (name, {"name": name})
