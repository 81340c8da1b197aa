"""Shapes, errors and preferences: the parts of an answer."""

import logging

import pytest
from django.http import HttpRequest
from django.test import RequestFactory
from rest_framework import exceptions

from connect_api import answers, errors, shapes
from connect_api.preferences import LONGEST, wanted_wait
from connect_api.views.base import flag
from workers.herder.errors import BadRequest, Conflict, HerderError, NotFound, Unavailable
from workers.herder.interface import Health
from workers.herder.states import State
from workers.herder.values import ConnectorInfo, ConnectorStatus, Plugin, Status, TaskId

INFO = ConnectorInfo("a", {"name": "a", "k": "ä😀"}, [TaskId("a", 0)], "source")
RUNNING = Status(State.RUNNING, "w:1", 5, None, "1.0")
FAILED = Status(State.FAILED, "w:1", 5, "E: x\n\tat y\n", None)


@pytest.mark.parametrize(
    ("shape", "body"),
    [
        (
            shapes.connector_info(INFO),
            '{"name":"a","config":{"name":"a","k":"ä😀"},"tasks":[{"connector":"a","task":0}],"type":"source"}',
        ),
        (
            shapes.connector_status(ConnectorStatus("a", RUNNING, {0: RUNNING, 2: FAILED}, "sink")),
            '{"name":"a","connector":{"state":"RUNNING","worker_id":"w:1","version":"1.0"},'
            '"tasks":[{"id":0,"state":"RUNNING","worker_id":"w:1","version":"1.0"},'
            '{"id":2,"state":"FAILED","worker_id":"w:1","version":null,"trace":"E: x\\n\\tat y\\n"}],"type":"sink"}',
        ),
        # An empty trace is none.
        (
            shapes.task_status(3, Status(State.PAUSED, "w", 0, "", None)),
            '{"id":3,"state":"PAUSED","worker_id":"w","version":null}',
        ),
        (shapes.task_config(TaskId("a", 1), {"k": "v"}), '{"id":{"connector":"a","task":1},"config":{"k":"v"}}'),
        (shapes.plugin(Plugin("x.Y", "sink", "1")), '{"class":"x.Y","type":"sink","version":"1"}'),
        (shapes.health(Health("starting", "not yet")), '{"status":"starting","message":"not yet"}'),
        (shapes.error(404, None), '{"error_code":404,"message":null}'),
    ],
)
def test_field_names_and_their_order_are_the_contract(shape: object, body: str) -> None:
    assert answers.json(shape).content.decode() == body


def test_json_names_its_type_without_a_charset() -> None:
    response = answers.json([], 201)
    assert (response.status_code, response["Content-Type"]) == (201, "application/json")


def test_nothing_has_no_type() -> None:
    response = answers.empty(202)
    assert (response.status_code, response.content, response["Content-Length"]) == (202, b"", "0")
    assert "Content-Type" not in response


# --- errors -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("error", "status", "message"),
    [
        (NotFound("Connector a not found"), 404, "Connector a not found"),
        (BadRequest("bad"), 400, "bad"),
        (Conflict("there"), 409, "there"),
        (Unavailable("later"), 503, "later"),
        (HerderError("Request timed out"), 500, "Request timed out"),
        (HerderError("own", 418), 418, "own"),
        (exceptions.MethodNotAllowed("PUT"), 405, "HTTP 405 Method Not Allowed"),
        (exceptions.UnsupportedMediaType("x/y"), 415, "HTTP 415 Unsupported Media Type"),
        (exceptions.NotFound("other words"), 404, "HTTP 404 Not Found"),
        (exceptions.NotAcceptable(), 406, "HTTP 406 Not Acceptable"),
        (exceptions.ParseError("no"), 400, "no"),
    ],
)
def test_every_error_has_the_same_shape(error: Exception, status: int, message: str) -> None:
    response = errors.handle(error)
    assert response.status_code == status
    assert response["Content-Type"] == "application/json"
    assert response.content.decode() == f'{{"error_code":{status},"message":"{message}"}}'


@pytest.mark.parametrize(("error", "message"), [(ValueError("boom"), "boom"), (ValueError(), "ValueError")])
def test_what_nobody_expected_is_500_and_logged(caplog: pytest.LogCaptureFixture, error: Exception, message: str) -> None:
    with caplog.at_level(logging.ERROR):
        response = errors.handle(error)
    assert response.content.decode() == f'{{"error_code":500,"message":"{message}"}}'
    assert "A request failed unexpectedly" in caplog.text


# --- preferences ------------------------------------------------------------------------------------------------------


def request(path: str = "/", **headers: str) -> HttpRequest:
    return RequestFactory().get(path, headers=headers)


@pytest.mark.parametrize(
    ("prefer", "seconds"),
    [
        (None, None),
        ("", None),
        ("wait=5", 5.0),
        ("wait=0", 0.0),
        ("respond-async, wait=7", 7.0),
        ("wait=7, respond-async", 7.0),
        ("wait=7;x=y", 7.0),
        ("wait=9999", LONGEST),
        ("wait=99999", None),
        ("wait=-1", None),
        ("wait=x", None),
        ("await=5", None),
        ("wait=5s", None),
    ],
)
def test_wanted_wait(prefer: str | None, seconds: float | None) -> None:
    assert wanted_wait(request(**({} if prefer is None else {"Prefer": prefer}))) == seconds


@pytest.mark.parametrize(
    ("query", "default", "expected"),
    [
        ("", False, False),
        ("", True, True),
        ("x=true", False, True),
        ("x=TRUE", False, True),
        ("x=false", True, False),
        # As Java's Boolean.valueOf.
        ("x=yes", False, False),
        ("x=1", False, False),
        ("x=yes", True, False),
        ("x=", True, True),
        ("x", True, True),
        ("x=true&x=false", False, True),
        ("x=false&x=true", False, False),
        ("X=true", False, False),
    ],
)
def test_flag(query: str, default: bool, expected: bool) -> None:
    assert flag(request(f"/?{query}"), "x", default) is expected
