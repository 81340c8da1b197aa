"""What travels over the channel, and how it is written to a browser."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Self

import orjson

from connect_client import ConnectorStatus
from dashboard.models import ConnectorSnapshot
from dashboard.rights.roles import Rights, Role

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


def job_changed(job: int) -> bytes:
    """For the pages that show it."""
    return orjson.dumps({"job": job})


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


#: What somebody may see has changed: every stream begins anew.
RIGHTS_CHANGED = orjson.dumps({"rights": "changed"})
#: An alert began or ended, or somebody was told; which one is for the page to ask.
ALERTS_CHANGED = orjson.dumps({"alerts": "changed"})
#: What the file of clusters says was taken up, or cannot be.
CLUSTERS_CHANGED = orjson.dumps({"clusters": "changed"})
#: Somebody has done something: for the page that lists it.
ACTIVITY = orjson.dumps({"activity": True})
#: Something has come of a resource: for the pages that show any.
RESOURCES = orjson.dumps({"resources": True})


@dataclass(frozen=True, slots=True)
class Told:
    """A message, and what each reader is told of it. Whatever else travels names no connector without its cluster: `cluster`
    with `connector`, or with `connectors` and `gone` as above."""

    raw: bytes
    body: dict[str, Any]

    @classmethod
    def parse(cls, raw: bytes) -> Self:
        return cls(raw, orjson.loads(raw))

    @property
    def rights_changed(self) -> bool:
        return "rights" in self.body

    def to(self, has: Rights) -> bytes | None:
        """None: nothing of it is for somebody who has these rights."""
        body = self.body
        cluster = body.get("cluster")
        if cluster is None or has.everywhere(Role.VIEWER):
            return self.raw
        if not has.sees(cluster) or ("connector" in body and not has.may(Role.VIEWER, cluster, body["connector"])):
            return None
        if "connectors" not in body:
            return self.raw
        connectors = [one for one in body["connectors"] if has.may(Role.VIEWER, cluster, one["name"])]
        gone = [name for name in body.get("gone", ()) if has.may(Role.VIEWER, cluster, name)]
        return orjson.dumps({**body, "connectors": connectors, "gone": gone}) if connectors or gone else None


def event(data: bytes, name: str | None = None) -> bytes:
    """One server-sent event. The data has no line break in it, being JSON without any."""
    head = f"event: {name}\n".encode() if name else b""
    return head + b"data: " + data + b"\n\n"


def comment(text: str) -> bytes:
    return f": {text}\n\n".encode()


def retry(milliseconds: int) -> bytes:
    return f"retry: {milliseconds}\n\n".encode()
