"""One question to a cluster, and what is compared of its answer."""

import http.client
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

#: What differs between any two clusters.
OWN = frozenset({"worker_id", "version", "commit", "kafka_cluster_id", "trace", "last_modified"})
#: Maps of the user's, of which Kafka Connect does not keep the order.
MAPS = frozenset({"config", "partition", "offset"})
#: Of the file connectors and the mirror, beside Kafka Connect's.
OWN_KEYS = frozenset(
    {
        *("files", "files.refresh.interval.ms", "file.compression"),
        *("file.rotate.bytes", "file.rotate.interval.ms", "file.rotate.compression"),
        *("trigger", "trigger.interval.ms"),
    }
)
HEADERS = (
    *("location", "allow", "vary", "x-frame-options", "x-extra", "cache-control"),
    *("access-control-allow-origin", "access-control-allow-methods", "access-control-allow-headers", "access-control-max-age"),
    "access-control-allow-credentials",
)


@dataclass(frozen=True)
class Answer:
    """`body` is JSON where it is JSON, else the text."""

    status: int
    body: Any = ""
    headers: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Case:
    """What Apache Kafka Connect answers is what Drover has to answer, unless `differs` names a row of docs/compatibility.md.

    Everywhere `{c}` stands for the connector's name, which is the same on both clusters.
    """

    id: str
    method: str
    path: str
    #: Bytes are sent as they are, anything else as JSON; None is no body.
    body: object = None
    #: Replace the default, which is `Content-Type: application/json` where there is a body.
    headers: Mapping[str, str] | None = None
    #: The connector there is: "" for none, `source`, `sink`, `paused`, `stopped` (sources) or `failed` (a sink's task).
    given: str = ""
    #: It is changed by this. Otherwise one serves all cases, which have to leave it as it is.
    changes: bool = False
    #: Asked before, and not compared: methods, paths and bodies.
    before: tuple[tuple[str, str, object], ...] = ()
    #: Paths that are read afterwards and compared as well.
    then: tuple[str, ...] = ()
    #: Both messages begin with this, and the rest of them is not compared.
    stem: str = ""
    #: Fields and headers that are not compared, wherever they are.
    ignore: frozenset[str] = frozenset()
    #: Lists have to be in the same order, too.
    ordered: bool = False
    #: The words of docs/compatibility.md by which Drover's answer is another: `drover` then. A text in it begins the message.
    differs: str = ""
    drover: Answer | None = None


@dataclass(frozen=True)
class Asker:
    """Asks as nobody's client does: paths and bodies go out as they are."""

    netloc: str

    def ask(self, method: str, path: str, body: object = None, headers: Mapping[str, str] | None = None) -> Answer:
        data = body if body is None or isinstance(body, bytes) else json.dumps(body, ensure_ascii=False).encode()
        if headers is None:
            headers = {} if data is None else {"Content-Type": "application/json"}
        connection = http.client.HTTPConnection(self.netloc, timeout=60)
        try:
            connection.putrequest(method, path, skip_accept_encoding=True)
            for name, value in headers.items():
                connection.putheader(name, value)
            if data is not None:
                connection.putheader("Content-Length", str(len(data)))
            connection.endheaders(data)
            response = connection.getresponse()
            text = response.read().decode()
            sent = {name: value for name, value in response.getheaders() if name.lower() in HEADERS}
            if response.status < 400 and text:
                # With errors Kafka Connect mostly leaves it out.
                sent["content-type"] = response.headers.get("Content-Type", "")
            if method == "HEAD":
                sent["length"] = "some" if int(response.headers.get("Content-Length") or 0) else "none"
        finally:
            connection.close()
        if method == "OPTIONS":
            text = ", ".join(sorted(text.split(", ")))
        named = {name.lower(): _header(name.lower(), value) for name, value in sent.items()}
        return Answer(response.status, _in_order(path, _parsed(text)), {name: value for name, value in named.items() if value})


def _in_order(path: str, body: Any) -> Any:
    """A whole answer that is a map, config or connectors by name, of which Kafka Connect does not keep the order."""
    is_map = "expand" in path or path.rstrip("/").endswith("/config")
    return dict(sorted(body.items())) if is_map and isinstance(body, dict) and "error_code" not in body else body


def _parsed(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return text


def _header(name: str, value: str) -> str:
    if name == "location":
        return urlsplit(value).path
    if name == "vary":
        # What is long is compressed on demand, in Drover alone.
        return ", ".join(sorted({part.strip().lower() for part in value.split(",")} - {"accept-encoding"}))
    if name in ("allow", "access-control-allow-methods"):
        return ",".join(sorted(part.strip() for part in value.split(",")))
    return value.lower()


def compared(answer: Answer, ignore: frozenset[str] = frozenset(), ordered: bool = False) -> tuple[int, str, dict[str, str]]:
    """What has to be the same: the order of fields, but not that of the user's own maps, or of lists unless `ordered`."""
    headers = {name: value for name, value in answer.headers.items() if name not in ignore}
    return answer.status, _Canonical(OWN | ignore, ordered).text(answer.body), headers


@dataclass(frozen=True)
class _Canonical:
    ignore: frozenset[str]
    ordered: bool

    def text(self, body: Any, own_map: bool = False) -> str:
        if isinstance(body, dict):
            # A connector's config is one wherever it stands, also as the whole answer.
            own_map = own_map or "connector.class" in body
            keys = sorted(body) if own_map else body
            return "{" + ",".join(f"{json.dumps(key)}:{self._field(body, key, own_map)}" for key in keys) + "}"
        if isinstance(body, list):
            items = [self.text(each) for each in body]
            return "[" + ",".join(items if self.ordered else sorted(items)) + "]"
        return json.dumps(body, ensure_ascii=False)

    def _field(self, body: dict[str, Any], key: str, own_map: bool) -> str:
        return "…" if key in self.ignore and not own_map else self.text(body[key], key in MAPS)


def comparable(body: Any, version: str, plugins: frozenset[str]) -> Any:
    """Without what one cluster has more than the other, or in another version: plug-ins that are not among `plugins`, and keys of
    the file connectors and the mirror that docs/compatibility.md names."""
    if isinstance(body, dict):
        return {key: comparable(value, version, plugins) for key, value in body.items()}
    if isinstance(body, list):
        return [comparable(each, version, plugins) for each in body if not (_is_other_plugin(each, plugins) or _is_own_key(each))]
    if isinstance(body, str):
        return "{version}" if body == version else body.replace(f"versions: [{version}]", "versions: [{version}]")
    return body


def _is_own_key(item: Any) -> bool:
    """Of a definition, or of a validation's answer."""
    definition = (item.get("definition") or item) if isinstance(item, dict) else {}
    return "default_value" in definition and definition["name"] in OWN_KEYS


def _is_other_plugin(item: Any, plugins: frozenset[str]) -> bool:
    name = item.get("class") if isinstance(item, dict) else item
    return (
        isinstance(name, str) and name.startswith(("org.apache.kafka.", "workers.connectors.", "drover.")) and name not in plugins
    )
