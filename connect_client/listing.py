"""The whole list of a cluster, and following it.

Any Connect answers `GET /connectors?expand=info&expand=status`. Drover adds an `ETag` to the answer, and holds a request that
names it (`If-None-Match`) and is willing to wait (`Prefer: wait=20`, RFC 7240) until something changes.
"""

from collections.abc import Mapping
from dataclasses import dataclass

import httpx

from connect_client.errors import ConnectUnexpected
from connect_client.shapes import Connector, Json


@dataclass(frozen=True, slots=True)
class Listing:
    """The entries as they came, by connector name. `holds`: the server waits for changes, there is no need to poll it."""

    entries: Mapping[str, Json]
    etag: str | None
    holds: bool

    def connectors(self) -> dict[str, Connector]:
        return {name: Connector.from_json(name, entry) for name, entry in self.entries.items()}


@dataclass(frozen=True, slots=True)
class Unchanged:
    """304: what was last answered still holds."""

    holds: bool


def preferences(etag: str | None, wait: int) -> dict[str, str]:
    """`wait` (seconds) is told even before there is an ETag, because only the answer says whether the server knows it."""
    headers = {"Prefer": f"wait={wait}"} if wait else {}
    return headers | {"If-None-Match": etag} if etag else headers


def read(response: httpx.Response, body: object) -> Listing:
    if isinstance(body, list):
        raise ConnectUnexpected("The cluster tells names in place of states, the shape of Kafka Connect before 2.3: too old.")
    if not isinstance(body, dict):
        raise ConnectUnexpected("The cluster answered the list of connectors in a shape that is not Kafka Connect's.")
    return Listing(body, response.headers.get("ETag"), holds(response))


def holds(response: httpx.Response) -> bool:
    return "ETag" in response.headers and response.headers.get("Preference-Applied", "").startswith("wait")
