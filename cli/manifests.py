"""Resources as files have them: which there are, whose names are theirs alone, and the label by which they are pruned."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from cli import files
from cli.ends import Cannot
from cli.files import Loaded
from cli.target import Document

#: On what was applied with `--prune SET`, SET.
LABEL = "drover/applied-from"
#: In the order in which they are applied: configs may be made of ConfigMaps.
KINDS = {"ConfigMap": "configmap", "KafkaConnector": "kafkaconnector", "KafkaMirrorMaker2": "kafkamirrormaker2"}
_ALIASES = {"cm": "configmap", "kctr": "kafkaconnector", "kmm2": "kafkamirrormaker2"}
_SET = re.compile(r"[A-Za-z0-9]([A-Za-z0-9._-]{0,61}[A-Za-z0-9])?")


@dataclass(frozen=True, slots=True)
class Manifest:
    """`kind` as addresses have it: lower case."""

    kind: str
    name: str
    document: Document
    where: str = ""

    def __str__(self) -> str:
        return f"{self.kind}/{self.name}"

    @property
    def key(self) -> tuple[str, str]:
        return self.kind, self.name


def read(sources: tuple[str, ...]) -> list[Manifest]:
    """In the order in which they are applied. Raises Cannot."""
    return checked(files.documents(sources))


def checked(loaded: Iterable[Loaded]) -> list[Manifest]:
    """Raises Cannot for what is no resource, and for two of one name."""
    found: dict[tuple[str, str], Manifest] = {}
    for one in loaded:
        manifest = _manifest(one)
        if other := found.get(manifest.key):
            raise Cannot(f"{manifest} is there twice: in {other.where} and in {manifest.where}.")
        found[manifest.key] = manifest
    order = list(KINDS.values())
    return sorted(found.values(), key=lambda manifest: (order.index(manifest.kind), manifest.name))


def kind_of(word: str, *also: str) -> str:
    """As addresses have it, of what somebody types; `also`: kinds that are only looked at. Raises Cannot."""
    lower, known = word.lower(), (*KINDS.values(), *also)
    for kind in (lower, lower.removesuffix("s"), _ALIASES.get(lower, "")):
        if kind in known:
            return kind
    raise Cannot(f"There is no kind {word}; there are {', '.join(known)}.")


def kept(documents: Iterable[Document]) -> list[Manifest]:
    """Of what a control room tells: without clusters, which it shows as documents, too, and without what is being deleted."""
    found = [Manifest(str(one["kind"]).lower(), str(one["metadata"]["name"]), one) for one in documents]
    return [one for one in found if one.kind in KINDS.values() and not one.document["metadata"].get("deletionTimestamp")]


def labelled(manifest: Manifest, set_: str) -> Manifest:
    metadata = manifest.document["metadata"]
    labels = {**(metadata.get("labels") or {}), LABEL: set_}
    return replace(manifest, document={**manifest.document, "metadata": {**metadata, "labels": labels}})


def set_name(text: str) -> str:
    """A label's value. Raises Cannot."""
    if not _SET.fullmatch(text):
        raise Cannot(f"{text} cannot be a label: at most 63 letters, digits, -, _ and ., the first and the last no sign.")
    return text


def stale(told: Iterable[Document], wanted: Iterable[Manifest], set_: str) -> list[Manifest]:
    """What was applied from the set before, and is not in it any more. What bears no such label is nobody's to prune."""
    there = {manifest.key for manifest in wanted}
    marked = [one for one in kept(told) if (one.document["metadata"].get("labels") or {}).get(LABEL) == set_]
    # The other way round: what needs a ConfigMap goes before it.
    return sorted((one for one in marked if one.key not in there), key=lambda one: one.key, reverse=True)


def _manifest(loaded: Loaded) -> Manifest:
    document: Any = loaded.value
    if not isinstance(document, Mapping) or "kind" not in document or "apiVersion" not in document:
        raise Cannot(f"{loaded.where} is no resource: it has no apiVersion and kind.")
    kind = KINDS.get(str(document["kind"]))
    if kind is None:
        raise Cannot(f"{loaded.where}: there are no resources of kind {document['kind']}, only {', '.join(KINDS)}.")
    metadata = document.get("metadata")
    name = metadata.get("name") if isinstance(metadata, Mapping) else None
    if not isinstance(name, str) or not name:
        raise Cannot(f"{loaded.where}: this {document['kind']} has no metadata.name.")
    return Manifest(kind, name, document, loaded.where)
