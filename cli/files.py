"""What is read from files and stdin: YAML and JSON (which is YAML, too), strictly, and Java's properties."""

import sys
from collections.abc import Hashable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from cli.ends import Cannot

STDIN = "-"
SUFFIXES = (".yaml", ".yml", ".json")


@dataclass(frozen=True, slots=True)
class Loaded:
    """A document, and where it stands."""

    where: str
    value: Any


def documents(files: tuple[str, ...]) -> list[Loaded]:
    """Of files, of folders with all that is below them, and of stdin; empty documents are left out. Raises Cannot."""
    return [loaded for file in files for path in _paths(file) for loaded in _documents(path)]


def text(file: str) -> str:
    """Raises Cannot."""
    try:
        return sys.stdin.read() if file == STDIN else Path(file).read_text()
    except (OSError, UnicodeDecodeError) as error:
        told = error.strerror if isinstance(error, OSError) else "it is not UTF-8"
        raise Cannot(f"{file} cannot be read: {told}.") from error


def parsed(where: str, content: str) -> list[Any]:
    """Raises Cannot."""
    try:
        return [one for one in yaml.load_all(content, _Strict) if one is not None]
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        line = f", line {mark.line + 1}" if mark else ""
        told = getattr(error, "problem", None) or str(error).partition("\n")[0]
        raise Cannot(f"{where}{line}: {told}.") from error


def _paths(file: str) -> Iterator[str]:
    path = Path(file)
    if file == STDIN or not path.is_dir():
        yield file
        return
    yield from sorted(str(one) for one in path.rglob("*") if one.suffix in SUFFIXES and one.is_file())


def _documents(file: str) -> Iterator[Loaded]:
    where = "stdin" if file == STDIN else file
    for number, value in enumerate(parsed(where, text(file)), 1):
        place = f"{where} (document {number})" if number > 1 else where
        # `kubectl get -o yaml` gives the one, `drover get -o yaml` the other.
        items = value.get("items") if isinstance(value, dict) and value.get("kind") == "List" else value
        yield from (Loaded(place, item) for item in (items if isinstance(items, list) else [value]))


class _Strict(yaml.SafeLoader):
    """A key that is there twice is a mistake, and `2026-11-22` a text: JSON has no dates."""

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Hashable, Any]:
        self.flatten_mapping(node)
        seen: set[object] = set()
        for key_node, _ in node.value:
            key: object = self.construct_object(key_node, deep=True)
            if not isinstance(key, str):
                raise yaml.constructor.ConstructorError(None, None, f"the key {key} has to be a text", key_node.start_mark)
            if key in seen:
                raise yaml.constructor.ConstructorError(None, None, f"the key {key} is there twice", key_node.start_mark)
            seen.add(key)
        return super().construct_mapping(node, deep)


_Strict.yaml_implicit_resolvers = {
    first: [(tag, pattern) for tag, pattern in resolvers if tag != "tag:yaml.org,2002:timestamp"]
    for first, resolvers in yaml.SafeLoader.yaml_implicit_resolvers.items()
}
