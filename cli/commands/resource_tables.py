"""Resources as rows."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from cli.output import Cell, Listing, age, state_cell
from cli.target import Document

COLUMNS = ("KIND", "NAME", "CLUSTER", "READY", "STATE", "RESTARTS", "AGE", "CAUSE")
CLUSTER = "strimzi.io/cluster"


def listing(documents: Sequence[Document], now: datetime) -> Listing:
    ordered = sorted(documents, key=lambda one: (str(one["kind"]), str(one["metadata"]["name"])))
    names = [f"{str(one['kind']).lower()}/{one['metadata']['name']}" for one in ordered]
    return Listing(COLUMNS, [_row(one, now) for one in ordered], list(ordered), names)


def _row(document: Document, now: datetime) -> list[Cell]:
    metadata, status = document["metadata"], document.get("status") or {}
    ready: Mapping[str, Any] = next(
        (one for one in status.get("conditions") or () if one.get("type") in ("Ready", "NotReady")), {}
    )
    well = {"Ready": "yes", "NotReady": "no"}[ready["type"]] if ready.get("status") == "True" else "no" if ready else "-"
    state = ((status.get("connectorStatus") or {}).get("connector") or {}).get("state") or "-"
    restarts = (status.get("autoRestart") or {}).get("count")
    return [
        str(document["kind"]),
        str(metadata["name"]),
        _cluster(document),
        well,
        state_cell(state),
        "-" if restarts is None else str(restarts),
        age(_moment(metadata.get("creationTimestamp")), now),
        "" if well == "yes" else str(ready.get("message") or ready.get("reason") or ""),
    ]


def _cluster(document: Document) -> str:
    labels: Mapping[str, Any] = document["metadata"].get("labels") or {}
    return str(labels.get(CLUSTER) or (document.get("spec") or {}).get("connectCluster") or "-")


def _moment(text: str | None) -> datetime | None:
    return datetime.fromisoformat(text) if text else None
