"""Documents as YAML, to be read and edited by people."""

from collections.abc import Mapping
from typing import Any

import yaml

from dashboard.registry import file


class Unreadable(ValueError):
    """A text that is no document. The message is a sentence for whoever typed it."""


class _Loader(file.Loader):
    """As Kubernetes reads it: a date is a text. Without aliases, of which a short text could be a huge one."""

    yaml_implicit_resolvers = {
        first: [(tag, pattern) for tag, pattern in found if tag != "tag:yaml.org,2002:timestamp"]
        for first, found in file.Loader.yaml_implicit_resolvers.items()
    }

    def compose_node(self, parent: yaml.Node | None, index: int) -> yaml.Node | None:
        if self.check_event(yaml.AliasEvent):
            raise yaml.composer.ComposerError(None, None, "aliases (*name) are not taken", self.peek_event().start_mark)  # type: ignore[no-untyped-call]
        return super().compose_node(parent, index)


def to_text(document: Mapping[str, Any]) -> str:
    return yaml.safe_dump(dict(document), sort_keys=False, allow_unicode=True, width=120)


def from_text(text: str) -> dict[str, Any]:
    """One document. Raises Unreadable, whose message has nothing of the text in it but a line's number."""
    try:
        found = [one for one in yaml.load_all(text.replace("\r\n", "\n"), _Loader) if one is not None]
    except yaml.MarkedYAMLError as error:
        where = f" in line {error.problem_mark.line + 1}" if error.problem_mark else ""
        raise Unreadable(f"It is no YAML{where}: {error.problem}.") from None
    except (yaml.YAMLError, ValueError):
        raise Unreadable("It is no YAML: it has characters that do not belong there.") from None
    except RecursionError:
        raise Unreadable("It is nested too deeply to be a document.") from None
    if len(found) != 1 or not isinstance(found[0], dict):
        raise Unreadable(f"It has to be one document, an object; these are {len(found)}." if found else "There is nothing in it.")
    return found[0]


def editable(document: Mapping[str, Any]) -> dict[str, Any]:
    """Without what is not its writer's to say."""
    metadata = {
        name: value for name, value in document["metadata"].items() if name in ("name", "namespace", "labels", "annotations")
    }
    return {**{name: value for name, value in document.items() if name != "status"}, "metadata": metadata}
