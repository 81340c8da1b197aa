"""Secrets of a document: what a reader gets in their place, and how they come back from where they are kept."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from connect_client.secrets import HIDDEN, is_mask, is_secret
from dashboard.configs import masks
from dashboard.configs.masks import MaskKept
from dashboard.configs.passwords import Passwords, password_keys
from dashboard.resources.spec import as_text

#: Of a leaf: its path, and what stands there.
Turn = Callable[[str, Any], Any]
_NAMES = ("alias", "sourceCluster", "targetCluster", "source")


def masked(body: Any, known: Passwords) -> Any:
    """`body`: a spec, or a ConfigMap's data."""
    hidden = _passwords(body, known)
    return _turned(body, "", lambda path, value: HIDDEN if _secret(path, value, hidden) else value)


def unmasked(body: Any, stored: Any, known: Passwords) -> Any:
    """With the secrets of `stored` where a mask stands for one. Raises MaskKept, whose key is a path."""
    flat = dict(leaves(body))
    texts = tuple((path, value) for path, value in flat.items() if isinstance(value, str))
    if not any(is_mask(value) for _, value in texts):
        return body
    kept = {path: as_text(value) for path, value in leaves(stored) if isinstance(value, str | int | float)}

    def hidden(config: Mapping[str, str | None]) -> frozenset[str]:
        return _passwords(stored if config is kept else body, known)

    found = dict(masks.unmasked(texts, (kept,), hidden))
    return _turned(body, "", found.get)


def secrets(body: Any, known: Passwords) -> list[str]:
    hidden = _passwords(body, known)
    return [as_text(value) for path, value in leaves(body) if _secret(path, value, hidden)]


def leaves(value: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    """What has nothing in it, with its path: `config.topic`, `clusters[a].bootstrapServers`. In a list, things are known
    by their names where they have one: a mask is of the same thing, wherever it stands now."""
    if isinstance(value, dict) and value:
        for key, inner in value.items():
            yield from leaves(inner, f"{path}.{key}" if path else str(key))
    elif isinstance(value, list) and value:
        for number, inner in enumerate(value):
            yield from leaves(inner, f"{path}[{_name(inner, number)}]")
    else:
        yield path, value


def _turned(value: Any, path: str, turn: Turn) -> Any:
    if isinstance(value, dict):
        return {key: _turned(inner, f"{path}.{key}" if path else str(key), turn) for key, inner in value.items()}
    if isinstance(value, list):
        return [_turned(inner, f"{path}[{_name(inner, number)}]", turn) for number, inner in enumerate(value)]
    return turn(path, value)


def _name(value: Any, number: int) -> str:
    if not isinstance(value, dict):
        return str(number)
    parts = [value[name].get("alias", "") if isinstance(value[name], dict) else value[name] for name in _NAMES if name in value]
    return "->".join(str(part) for part in parts) or str(number)


def _secret(path: str, value: Any, hidden: frozenset[str]) -> bool:
    return isinstance(value, str | int | float) and not isinstance(value, bool) and is_secret(path, as_text(value), hidden)


def _passwords(body: Any, known: Passwords) -> frozenset[str]:
    """The paths of what the plug-ins of a connector's config define as passwords."""
    if not isinstance(body, dict) or not isinstance(body.get("config"), dict) or not isinstance(body.get("class"), str):
        return frozenset()
    config = {str(key): as_text(value) for key, value in body["config"].items() if not isinstance(value, dict | list)}
    return frozenset(f"config.{key}" for key in password_keys({**config, "connector.class": body["class"]}, known))


__all__ = ["MaskKept", "leaves", "masked", "secrets", "unmasked"]
