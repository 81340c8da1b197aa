"""Pages of resources as values."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from dashboard.models import Resource
from dashboard.resources import orders, text
from dashboard.resources.documents import KINDS, Difference

_STATES = {"Ready": "RUNNING", "NotReady": "FAILED", "ReconciliationPaused": "PAUSED"}
_WORDS = {"Ready": "ready", "NotReady": "not ready", "ReconciliationPaused": "paused", "": "not looked at yet"}
#: What an editor begins with.
NEW = """\
apiVersion: kafka.strimzi.io/v1
kind: KafkaConnector
metadata:
  name: my-source
  labels:
    strimzi.io/cluster: {cluster}
spec:
  class: org.apache.kafka.connect.file.FileStreamSourceConnector
  tasksMax: 1
  config:
    file: /tmp/in.txt
    topic: lines
"""


@dataclass(frozen=True, slots=True)
class Line:
    """A resource in the list. `state` is that of connectors which looks like it."""

    kind: str
    kind_shown: str
    name: str
    cluster: str
    state: str
    word: str
    message: str
    warnings: int
    deleting: bool
    created_at: datetime


@dataclass(frozen=True, slots=True)
class Editor:
    """`changes` None: nothing was reviewed; `action` and `reviewed` (the text that was) go with them."""

    text: str
    error: str = ""
    errors: Mapping[str, Sequence[str]] | None = None
    action: str = ""
    changes: Sequence[Difference] | None = None
    reviewed: str = ""


def line(resource: Resource) -> Line:
    conditions = resource.status.get("conditions", [])
    first: Mapping[str, Any] = conditions[0] if conditions else {}
    kind = first.get("type", "")
    word = "" if resource.kind == Resource.Kind.CONFIG_MAP else _WORDS.get(kind, kind)
    return Line(
        resource.kind,
        KINDS[resource.kind],
        resource.name,
        resource.cluster_name,
        _STATES.get(kind, "UNASSIGNED"),
        word,
        first.get("message", ""),
        sum(one["type"] == "Warning" for one in conditions),
        resource.deleted_at is not None,
        resource.created_at,
    )


@dataclass(frozen=True, slots=True)
class Annotation:
    """A button: what it sets. `done`: it waits to be carried out."""

    label: str
    key: str
    value: str
    done: bool


def buttons(resource: Resource, document: Mapping[str, Any]) -> list[Annotation]:
    """What can be asked for with a click."""
    annotations = document["metadata"]["annotations"]
    paused = orders.is_paused(annotations)
    pause = Annotation(
        "Resume reconciliation" if paused else "Pause reconciliation", orders.PAUSE, "" if paused else "true", False
    )
    if resource.kind == Resource.Kind.CONFIG_MAP:
        return []
    if resource.kind == Resource.Kind.MIRROR_MAKER:
        names = [one["name"] for one in document["status"].get("connectors", [])]
        restarts = [
            Annotation(f"Restart {name}", orders.RESTART_CONNECTOR, f"{name}:includeTasks,onlyFailed", False) for name in names
        ]
        return [*restarts, pause]
    asked = orders.RESTART in annotations
    return [
        Annotation("Restart with its tasks", orders.RESTART, "includeTasks", asked),
        Annotation("Restart what has failed", orders.RESTART, "includeTasks,onlyFailed", asked),
        pause,
    ]


def editor(document: Mapping[str, Any]) -> Editor:
    return Editor(text.to_text(text.editable(document)))
