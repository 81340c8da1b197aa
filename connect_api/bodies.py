"""Request bodies, read strictly: what Kafka Connect would refuse is refused before anything is asked of the herder."""

import json
from collections.abc import Mapping
from dataclasses import dataclass

import orjson
from django.http import HttpRequest
from rest_framework.exceptions import UnsupportedMediaType

from workers.herder.errors import BadRequest
from workers.herder.states import TargetState

_INITIAL_STATES = {"RUNNING": TargetState.STARTED, "PAUSED": TargetState.PAUSED, "STOPPED": TargetState.STOPPED}
_KNOWN = {"name", "config", "initial_state"}


def _media_type(request: HttpRequest) -> str:
    """Without parameters: REST framework's request gives the header as it came, `; charset=utf-8` and all."""
    return (request.content_type or "").partition(";")[0].strip().lower()


def parsed(request: HttpRequest) -> object:
    """The JSON body, its numbers as the text that they came as. Raises UnsupportedMediaType, BadRequest."""
    if _media_type(request) != "application/json":
        raise UnsupportedMediaType(request.content_type or "")
    try:
        orjson.loads(request.body)
    except orjson.JSONDecodeError as error:
        raise BadRequest(f"The request body is not valid JSON: {error}") from error
    # Strict JSON it is; what orjson does not give is a number's own text, which is what a config keeps: `1.0E+2`.
    body: object = json.loads(request.body, parse_int=str, parse_float=str)
    return body


def refuse_other_content(request: HttpRequest) -> None:
    """Calls without a body may leave out the content type; a wrong one is refused all the same."""
    if _media_type(request) not in ("", "application/json"):
        raise UnsupportedMediaType(request.content_type or "")


def string_map(body: object) -> dict[str, str | None]:
    """A flat config. Scalars become text, as Jackson makes them; lists and objects are refused. Raises BadRequest."""
    if not isinstance(body, Mapping):
        raise BadRequest("Cannot deserialize value of type `java.util.LinkedHashMap`: a JSON object of strings was expected")
    return {key: _text(key, value) for key, value in body.items()}


def _text(key: str, value: object) -> str | None:
    if isinstance(value, list | dict):
        kind = "Array" if isinstance(value, list) else "Object"
        raise BadRequest(
            f"Cannot deserialize value of type `java.lang.String` from {kind} value (through reference chain: [{key!r}])"
        )
    return value if isinstance(value, str) or value is None else orjson.dumps(value).decode()


@dataclass(frozen=True, slots=True)
class CreateConnector:
    name: str
    config: dict[str, str | None]
    initial_state: TargetState | None


def create_connector(body: object) -> CreateConnector:
    """Raises BadRequest."""
    if not isinstance(body, Mapping):
        raise BadRequest("Cannot construct instance of CreateConnectorRequest: a JSON object was expected")
    unknown = next((key for key in body if key not in _KNOWN), None)
    if unknown is not None:
        raise BadRequest(
            f'Unrecognized field "{unknown}" (class CreateConnectorRequest), not marked as ignorable '
            '(3 known properties: "config", "name", "initial_state")'
        )
    if "config" not in body or body["config"] is None:
        raise BadRequest("The request has no 'config'")
    name = (_text("name", body.get("name")) or "").strip()
    return CreateConnector(name, named(name, string_map(body["config"])), _initial_state(body.get("initial_state")))


def named(name: str, config: dict[str, str | None]) -> dict[str, str | None]:
    """The config with its name in it. Raises BadRequest when it holds another one."""
    given = config.get("name")
    if given is None:
        return {**{key: value for key, value in config.items() if key != "name"}, "name": name}
    if given != name:
        raise BadRequest(f"Connector name configuration ({given}) doesn't match connector name in the URL ({name})")
    return config


def _initial_state(raw: object) -> TargetState | None:
    if raw is None:
        return None
    state = _INITIAL_STATES.get(raw.upper()) if isinstance(raw, str) else None
    if state is None:
        raise BadRequest(f"Cannot construct instance of InitialState: {raw} is not one of RUNNING, PAUSED, STOPPED")
    return state
