"""A config as an ordered list of keys and values, and as JSON. Nothing that somebody has typed is lost on the way."""

import json
from collections.abc import Iterable, Mapping
from typing import Any

from django.utils.crypto import salted_hmac

#: A value of None is JSON's null, which Kafka Connect may tell but takes for no config.
Pairs = tuple[tuple[str, str | None], ...]


class Unreadable(ValueError):
    """A text that is no config. The message is a sentence for whoever typed it."""


class Object(list[tuple[str, Any]]):
    """A JSON object with its keys in order, each as often as it stands there. Numbers and booleans are the text they were."""


def from_json(text: str) -> Pairs:
    """Raises Unreadable."""
    return from_object(parsed(text))


def parsed(text: str) -> Any:
    """JSON as lists, texts, None and Object. Raises Unreadable."""
    try:
        found = json.loads(text, object_pairs_hook=Object, parse_int=str, parse_float=str, parse_constant=_no_constant)
        text.encode()
        json.dumps(found, ensure_ascii=False).encode()
    except json.JSONDecodeError as error:
        raise Unreadable(f"This is not JSON: line {error.lineno}, column {error.colno}: {error.msg}.") from None
    except UnicodeEncodeError:
        raise Unreadable("This holds half of a character (a lone surrogate), which no text can.") from None
    except RecursionError:
        raise Unreadable("This is nested too deeply to be a config.") from None
    return found


def from_object(found: Any) -> Pairs:
    """Raises Unreadable for anything but keys with plain values."""
    if not isinstance(found, Object):
        raise Unreadable("A config is a JSON object: {“key”: “value”, …}.")
    seen: set[str] = set()
    for key, value in found:
        if key in seen:
            raise Unreadable(f"{key} stands here twice: which of the two is meant?")
        if isinstance(value, list):
            raise Unreadable(f"The value of {key} has to be a text; write lists with commas between.")
        seen.add(key)
    return tuple((key, _as_text(value)) for key, value in found)


def to_json(pairs: Pairs) -> str:
    return json.dumps(dict(pairs), ensure_ascii=False, indent=2)


def ordered(config: Mapping[str, str | None], like: Iterable[str]) -> Pairs:
    """Kafka Connect gives a config back in whatever order: in the order of `like`, what is not in it as it came."""
    first = [key for key in like if key in config]
    known = set(first)
    return tuple((key, config[key]) for key in [*first, *(key for key in config if key not in known)])


def digest(config: Mapping[str, str | None]) -> str:
    """The same for the same keys and values in whatever order. With a key of this installation's: a config has secrets in it, and
    a weak one could be guessed from a plain hash."""
    return salted_hmac("drover.configs", json.dumps(dict(config), sort_keys=True), algorithm="sha256").hexdigest()


def _as_text(value: str | bool | None) -> str | None:
    """As Kafka Connect reads scalars."""
    return str(value).lower() if isinstance(value, bool) else value


def _no_constant(name: str) -> Any:
    raise Unreadable(f"{name} is not JSON; put it in quotes.")
