"""What travels over the channel, and how it is written to a browser."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

import orjson

from connect_client import ConnectorStatus
from dashboard.models import ConnectorSnapshot

CHANNEL = "drover:live"
# Beyond this a page is better off fetching what it shows than being told each change.
_MOST_AT_ONCE = 100


Entry = dict[str, Any]


def connectors_changed(cluster: str, entries: Sequence[Entry], gone: Sequence[str] = ()) -> bytes:
    """`{"cluster", "connectors": [entry], "gone": [name]}`"""
    if len(entries) + len(gone) > _MOST_AT_ONCE:
        return refresh(cluster)
    return orjson.dumps({"cluster": cluster, "connectors": entries, "gone": gone})


def refresh(cluster: str) -> bytes:
    """More changed than is worth telling, or something that is the server's to draw: the cluster itself came or went."""
    return orjson.dumps({"cluster": cluster, "refresh": True})


def entry(name: str, state: str, since: datetime | None, status: ConnectorStatus | None) -> Entry:
    """`{"name", "state", "since", "own", "tasks"}`: the state of it all, since when in ms, and what that is made of."""
    return {
        "name": name,
        "state": state,
        "since": int(since.timestamp() * 1000) if since else None,
        "own": status.connector.state if status else None,
        "tasks": {str(task.id): task.state for task in status.tasks} if status else {},
    }


def entry_of(row: ConnectorSnapshot) -> Entry:
    return entry(row.name, row.state, row.state_since, ConnectorStatus.from_json(row.status) if row.status else None)


def event(data: bytes, name: str | None = None) -> bytes:
    """One server-sent event. The data has no line break in it, being JSON without any."""
    head = f"event: {name}\n".encode() if name else b""
    return head + b"data: " + data + b"\n\n"


def comment(text: str) -> bytes:
    return f": {text}\n\n".encode()


def retry(milliseconds: int) -> bytes:
    return f"retry: {milliseconds}\n\n".encode()
