"""Connectors as files define them: JSON as the REST API takes it, a flat config, an export, several of them, or properties."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from cli import files
from cli.ends import Cannot
from config import java_properties


@dataclass(frozen=True, slots=True)
class Definition:
    """`cluster` is of an export, else empty."""

    name: str
    config: Mapping[str, str | None]
    initial_state: str = ""
    cluster: str = ""


def read(sources: tuple[str, ...]) -> list[Definition]:
    """Raises Cannot."""
    found: list[Definition] = []
    for source in sources:
        if source.endswith(".properties"):
            found.append(_definition(source, flat(source)))
            continue
        found += [_definition(loaded.where, loaded.value) for loaded in files.documents((source,))]
    if not found:
        raise Cannot("There is no connector in what was given.")
    return found


def flat(source: str) -> dict[str, str | None]:
    """The config alone, whichever of the shapes it is in. Raises Cannot."""
    content = files.text(source)
    if source.endswith(".properties"):
        try:
            return dict(java_properties.parse(content))
        except java_properties.Malformed as error:
            raise Cannot(f"{source}, line {error.line}: {error}") from error
    told = files.parsed(source, content)
    if len(told) != 1 or not isinstance(told[0], dict):
        raise Cannot(f"{source} is not one config: a mapping of keys to values.")
    nested = told[0].get("config")
    return _config(source, nested if isinstance(nested, dict) else told[0])


def _definition(where: str, told: Any) -> Definition:
    if not isinstance(told, dict):
        raise Cannot(f"{where}: a connector is a mapping of keys to values.")
    if "apiVersion" in told:
        raise Cannot(f"{where} is a resource ({told.get('kind')}): it is for drover apply, to a control room.")
    nested = told.get("config")
    config = _config(where, nested if isinstance(nested, dict) else told)
    name = told.get("name") if isinstance(nested, dict) else config.get("name")
    name = name or config.get("name")
    if not isinstance(name, str) or not name:
        raise Cannot(f"{where} has no name.")
    wrapped = told if isinstance(nested, dict) else {}
    return Definition(name, config, str(wrapped.get("initial_state") or ""), str(wrapped.get("cluster") or ""))


def _config(where: str, told: Mapping[str, Any]) -> dict[str, str | None]:
    return {key: value_text(where, key, value) for key, value in told.items()}


def value_text(where: str, key: str, value: Any) -> str | None:
    """As Kafka Connect takes it: a number or a truth value as its JSON. Raises Cannot."""
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        return str(value)
    raise Cannot(f"{where}: {key} has to be a text, not a list or a mapping.")
