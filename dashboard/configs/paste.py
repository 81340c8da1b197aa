"""Configs that somebody has pasted, in whichever of the usual shapes."""

from dataclasses import dataclass
from typing import Any

from dashboard.configs import pairs
from dashboard.configs.pairs import Object, Pairs, Unreadable
from dashboard.configs.properties import from_properties

#: What Kafka Connect's own answers and an export of ours have beside a config, and nobody means to send.
_BESIDE = {"name", "config", "initial_state", "tasks", "type", "cluster"}


@dataclass(frozen=True, slots=True)
class Pasted:
    """`config` with `name` as its first key, if there was one. `initial_state` as it was given; empty for none."""

    config: Pairs
    initial_state: str = ""


def pasted(text: str) -> tuple[Pasted, ...]:
    """`{"name", "config", "initial_state"}` as for `POST /connectors`, a flat config, a list of either as an export has it, an
    object of such by name as `GET /connectors?expand=info` has it, or a `.properties` file. Raises Unreadable."""
    if not text.strip():
        raise Unreadable("There is nothing here yet.")
    if text.lstrip()[0] not in "{[":
        return (Pasted(_named("", from_properties(text))),)
    found = pairs.parsed(text)
    if isinstance(found, Object):
        return _of_object(found)
    if isinstance(found, list) and found:
        return tuple(one for item in found for one in _of_object(item))
    raise Unreadable("There is no config in this list.")


def _of_object(found: Any) -> tuple[Pasted, ...]:
    if not isinstance(found, Object):
        raise Unreadable("A config is a JSON object: {“key”: “value”, …}.")
    keys = [key for key, _ in found]
    if "config" in keys and set(keys) <= _BESIDE and isinstance(dict(found)["config"], Object):
        return (_of_request(dict(found)),)
    if found and all(isinstance(value, Object) for _, value in found):
        return tuple(_of_entry(key, value) for key, value in found)
    return (Pasted(_named("", pairs.from_object(found))),)


def _of_request(found: dict[str, Any]) -> Pasted:
    state, name = found.get("initial_state"), found.get("name")
    return Pasted(_named(name if isinstance(name, str) else "", pairs.from_object(found["config"])), str(state or "").upper())


def _of_entry(name: str, found: Object) -> Pasted:
    """By name: a config, or what `expand` tells of a connector."""
    fields = dict(found)
    told = fields.get("info")
    config = dict(told).get("config") if isinstance(told, Object) else fields.get("config")
    return Pasted(_named(name, pairs.from_object(config if isinstance(config, Object) else found)))


def _named(name: str, config: Pairs) -> Pairs:
    return config if not name or any(key == "name" for key, _ in config) else (("name", name), *config)
