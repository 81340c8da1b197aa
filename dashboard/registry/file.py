"""The file of clusters: YAML, of which JSON is a part. Reading it changes nothing."""

import os
import re
from collections import Counter
from collections.abc import Hashable, Mapping
from pathlib import Path
from typing import Any

import yaml

from dashboard.registry.check import RESERVED, check
from dashboard.registry.wish import FIELDS, Errors, Wish, read, without_what_is_not_used

_REFERENCE = re.compile(r"\$\{(env|file):([^}]+)\}")
_SHAPE = "it has to be `clusters:` and a list"


class Unreadable(Exception):
    """All that is wrong with it, a line each. It names fields, never their values."""


class Loader(yaml.SafeLoader):
    """One that does not pass over a key that stands twice."""

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Hashable, Any]:
        names = Counter(key.value for key, _ in node.value if isinstance(key, yaml.ScalarNode))
        twice = [name for name, count in names.items() if count > 1]
        if twice:
            raise yaml.constructor.ConstructorError(None, None, f"{twice[0]} stands here twice", node.start_mark)
        return super().construct_mapping(node, deep)


def read_file(path: Path, environment: Mapping[str, str] = os.environ) -> tuple[Wish, ...]:
    """`clusters: [{name, urls, …}]`, the fields of `wish.FIELDS`. A text may be `${env:NAME}` or `${file:/path}`. Raises
    Unreadable."""
    entries = _entries(_text(path))
    wishes: list[Wish] = []
    wrong: list[str] = []
    for number, entry in enumerate(entries, 1):
        wish, errors = _wish(entry, environment)
        wishes.append(wish)
        wrong += [f"{wish.name or f'number {number}'}, {field}: {error}" for field, error in errors.items()]
    twice = [name for name, count in Counter(wish.name.lower() for wish in wishes if wish.name).items() if count > 1]
    wrong += [f"{name}: There are several of this name." for name in twice]
    if wrong:
        raise Unreadable("\n".join(wrong))
    return tuple(wishes)


def _text(path: Path) -> str:
    try:
        return path.read_text()
    except (OSError, UnicodeDecodeError) as error:
        raise Unreadable(f"It cannot be read: {getattr(error, 'strerror', None) or 'it is no text in UTF-8'}.") from error


def _entries(text: str) -> list[Any]:
    try:
        document = yaml.load(text, Loader)
    except yaml.MarkedYAMLError as error:
        # Not the line itself: there may be a secret in it.
        where = f" in line {error.problem_mark.line + 1}" if error.problem_mark else ""
        raise Unreadable(f"It is no YAML{where}: {error.problem}.") from None
    except yaml.YAMLError:
        raise Unreadable("It is no YAML: it has characters that do not belong there.") from None
    if not isinstance(document, dict) or set(document) != {"clusters"} or not isinstance(document["clusters"] or [], list):
        raise Unreadable(f"It is not a file of clusters: {_SHAPE}.")
    return document["clusters"] or []


def _wish(entry: Any, environment: Mapping[str, str]) -> tuple[Wish, Errors]:
    if not isinstance(entry, dict):
        return Wish("", ()), {"name": f"A cluster has fields: {', '.join(FIELDS)}."}
    raw, missing = _resolved(entry, environment)
    wish, errors = read(raw)
    reserved = {"name": f"{wish.name} is the name of Drover's own cluster."} if wish.name.lower() in RESERVED else {}
    wish = without_what_is_not_used(wish)
    return wish, {**check(wish), **reserved, **errors, **missing}


def _resolved(entry: Mapping[Any, Any], environment: Mapping[str, str]) -> tuple[dict[str, Any], Errors]:
    raw: dict[str, Any] = {}
    errors: Errors = {}
    for name, value in entry.items():
        raw[str(name)] = value
        found = _REFERENCE.fullmatch(value.strip()) if isinstance(value, str) else None
        if found is None:
            continue
        kind, what = found.groups()
        try:
            raw[str(name)] = environment[what] if kind == "env" else Path(what).read_text().rstrip("\r\n")
        except KeyError:
            errors[str(name)] = f"There is no variable {what} in the environment."
        except (OSError, UnicodeDecodeError) as error:
            errors[str(name)] = f"{what} cannot be read: {getattr(error, 'strerror', None) or 'it is no text in UTF-8'}."
    return raw, errors
