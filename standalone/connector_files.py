"""Connector files on the command line (KIP-980): properties, a config as a JSON object, or the body of `POST /connectors`. Told
apart by what is in them, never by their names."""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn

from config import java_properties
from connect_api import bodies
from workers.herder.errors import BadRequest
from workers.herder.states import TargetState
from workers.worker_properties import PropertiesRefused, text_of

_FIELDS = ("name", "config", "initial_state")


class FileRefused(Exception):
    """The message names the file, and the line where one is at fault."""


@dataclass(frozen=True, slots=True)
class ConnectorFile:
    """`ignored` are fields beside those of `POST /connectors`, which Kafka Connect leaves alone here."""

    path: Path
    name: str
    config: Mapping[str, str | None]
    initial_state: TargetState | None = None
    ignored: tuple[str, ...] = ()


def read_all(paths: Iterable[Path]) -> list[ConnectorFile]:
    """Raises FileRefused."""
    found: dict[str, ConnectorFile] = {}
    for path in paths:
        file = read(path)
        if file.name in found:
            raise FileRefused(f"{found[file.name].path} and {path} both configure connector {file.name}")
        found[file.name] = file
    return list(found.values())


def read(path: Path) -> ConnectorFile:
    """Raises FileRefused."""
    try:
        text = text_of(path)
    except PropertiesRefused as error:
        raise FileRefused(str(error)) from error
    # Java's properties may begin so, too, and would hide every mistake in a JSON file.
    return _json(path, text) if text.lstrip().startswith("{") else _properties(path, text)


def _properties(path: Path, text: str) -> ConnectorFile:
    try:
        config = java_properties.parse(text)
    except java_properties.Malformed as error:
        raise FileRefused(f"{path}, line {error.line}: {error}") from error
    return ConnectorFile(path, _name(path, config), config)


def _json(path: Path, text: str) -> ConnectorFile:
    try:
        # As in a request: a number is kept as it was written, `1.0E+2`.
        body = json.loads(text, parse_int=str, parse_float=str, parse_constant=_no_number)
    except json.JSONDecodeError as error:
        raise FileRefused(f"{path}, line {error.lineno}, column {error.colno}: this is no JSON: {error.msg}") from error
    except ValueError as error:
        raise FileRefused(f"{path}: this is no JSON: {error}") from error
    try:
        return _request(path, body) if _is_request(body) else _map(path, body)
    except BadRequest as error:
        raise FileRefused(f"{path}: {error.message}") from error


def _no_number(name: str) -> NoReturn:
    raise ValueError(f"{name} is no number")


def _is_request(body: Mapping[str, object]) -> bool:
    """A config's values are text."""
    return isinstance(body.get("config"), dict)


def _map(path: Path, body: object) -> ConnectorFile:
    config = bodies.string_map(body)
    return ConnectorFile(path, _name(path, config), config)


def _request(path: Path, body: dict[str, Any]) -> ConnectorFile:
    _name(path, body)
    if (named := body["config"].get("name")) is not None and named != str(body["name"]).strip():
        raise FileRefused(f"Connector name configuration in 'config' doesn't match the one specified in 'name' at '{path}'")
    wanted = bodies.create_connector({key: value for key, value in body.items() if key in _FIELDS})
    ignored = tuple(key for key in body if key not in _FIELDS)
    return ConnectorFile(path, wanted.name, wanted.config, wanted.initial_state, ignored)


def _name(path: Path, named: Mapping[str, str | None]) -> str:
    name = named.get("name")
    if not name:
        raise FileRefused(f"Connector configuration at '{path}' is missing the mandatory 'name' configuration")
    return name
