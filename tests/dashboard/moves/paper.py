"""Connect clusters that live in memory, as far as moves go: states that follow, offsets that are kept, requests that can fail.
For tests; not a test module."""

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import unquote

import httpx

from connect_client import ConnectClient
from connect_client.retry import RetryPolicy

FILE_SOURCE = "org.apache.kafka.connect.file.FileStreamSourceConnector"
FILE_SINK = "org.apache.kafka.connect.file.FileStreamSinkConnector"
#: What may happen to a request: `(method, path)` before it is carried out, and again, with True, behind it.
Hook = Callable[[str, str, bool], None]


@dataclass
class OnPaper:
    """One connector. It takes a look or two until it has stopped."""

    config: dict[str, str]
    state: str = "RUNNING"
    tasks: int = 1
    wanted: str = "RUNNING"
    trace: str = ""
    looks: int = 0


@dataclass
class Memory:
    """A cluster. `slow`: how many looks a stop takes. `says`: answers in place of its own, by method and end of the path, each
    for as many times as it stands there."""

    name: str
    version: str = "4.3.0"
    kafka: str = "kafka-1"
    plugins: tuple[str, ...] = (FILE_SOURCE, FILE_SINK)
    slow: int = 1
    fails: str = ""
    connectors: dict[str, OnPaper] = field(default_factory=dict)
    offsets: dict[str, dict[str, Any]] = field(default_factory=dict)
    errors: dict[str, list[str]] = field(default_factory=dict)
    says: list[tuple[str, int, str]] = field(default_factory=list)
    asked: list[str] = field(default_factory=list)
    down: bool = False
    hook: Hook = lambda _method, _path, _after: None

    def client(self) -> ConnectClient:
        return ConnectClient(f"http://{self.name}", transport=httpx.MockTransport(self.answer), retry=RetryPolicy(attempts=1))

    def put(self, name: str, state: str = "RUNNING", offsets: dict[str, Any] | None = None, **config: str) -> None:
        whole = {"connector.class": FILE_SOURCE, "topic": "lines", "db.password": "geheim", **config, "name": name}
        self.connectors[name] = OnPaper(whole, state, 0 if state == "STOPPED" else 1, state)
        self.offsets[name] = {json.dumps({"filename": "/in"}): {"position": 8}} if offsets is None else offsets

    def entries(self) -> dict[str, Any]:
        return {name: {"info": self._info(name), "status": self._status(name)} for name in self.connectors}

    @property
    def writes(self) -> list[str]:
        return [line for line in self.asked if not line.startswith("GET ") and "/validate" not in line]

    def answer(self, request: httpx.Request) -> httpx.Response:
        if self.down:
            raise httpx.ConnectError("[Errno 111] Connection refused")
        method, path = request.method, request.url.path
        self.hook(method, path, False)
        self.asked.append(f"{method} {path}")
        told = self._said(method, path) or self._answer(method, path, request)
        self.hook(method, path, True)
        return told

    def _said(self, method: str, path: str) -> httpx.Response | None:
        for one in self.says:
            if f"{method} {path}".endswith(one[0]) or (one[0].split(" ")[0] == method and path.endswith(one[0].split(" ")[1])):
                self.says.remove(one)
                return _refusal(one[1], one[2])
        return None

    def _answer(self, method: str, path: str, request: httpx.Request) -> httpx.Response:
        parts = [unquote(part) for part in path.split("/")[1:]]
        body = json.loads(request.content) if request.content else None
        if parts == [""]:
            return httpx.Response(200, json={"version": self.version, "commit": "x", "kafka_cluster_id": self.kafka})
        if parts[0] == "connector-plugins":
            return self._plugins(parts, body)
        if parts == ["connectors"]:
            return self._create(body) if method == "POST" else httpx.Response(200, json=self.entries())
        return self._connector(method, parts[1], parts[2] if len(parts) > 2 else "", body)

    def _plugins(self, parts: list[str], body: Any) -> httpx.Response:
        if len(parts) == 1:
            kinds = {name: "source" if "Source" in name else "sink" for name in self.plugins}
            return httpx.Response(
                200, json=[{"class": name, "type": kinds[name], "version": self.version} for name in self.plugins]
            )
        if parts[-1] == "config":
            return httpx.Response(200, json=[])
        keys = [{"definition": None, "value": {"name": key, "errors": told}} for key, told in self.errors.items() if key in body]
        return httpx.Response(200, json={"name": parts[1], "error_count": len(keys), "groups": [], "configs": keys})

    def _create(self, body: Any) -> httpx.Response:
        name, config = body["name"], body["config"]
        if name in self.connectors:
            return _refusal(409, f"Connector {name} already exists")
        state = body.get("initial_state") or "RUNNING"
        self.connectors[name] = OnPaper({**config, "name": name}, state, 0 if state == "STOPPED" else 1, state)
        return httpx.Response(201, json=self._info(name))

    def _connector(self, method: str, name: str, what: str, body: Any) -> httpx.Response:
        found = self.connectors.get(name)
        if found is None:
            return _refusal(404, f"Connector {name} not found")
        if (method, what) == ("GET", "status"):
            self._settle(found)
            return httpx.Response(200, json=self._status(name))
        if (method, what) == ("GET", "config"):
            return httpx.Response(200, json=found.config)
        if what == "offsets":
            return self._offsets(method, name, found, body)
        if method == "DELETE":
            del self.connectors[name]
            return httpx.Response(204)
        found.wanted, found.looks = {"stop": "STOPPED", "pause": "PAUSED", "resume": "RUNNING"}[what], 0
        return httpx.Response(202)

    def _settle(self, found: OnPaper) -> None:
        found.looks += 1
        if found.state == found.wanted or found.looks <= self.slow:
            return
        found.state, found.tasks = found.wanted, 0 if found.wanted == "STOPPED" else 1
        if self.fails and found.state == "RUNNING":
            found.state, found.trace = "FAILED", f"org.x.ConnectException: outer\nCaused by: java.io.IOException: {self.fails}"

    def _offsets(self, method: str, name: str, found: OnPaper, body: Any) -> httpx.Response:
        known = self.offsets.setdefault(name, {})
        if method == "GET":
            return httpx.Response(200, json={"offsets": [_at(partition, offset) for partition, offset in known.items()]})
        if found.state != "STOPPED" or found.tasks:
            return _refusal(400, "Connectors must be in the STOPPED state before their offsets can be modified.")
        for item in body["offsets"]:
            known[json.dumps(item["partition"])] = item["offset"]
        self.offsets[name] = {partition: offset for partition, offset in known.items() if offset is not None}
        return httpx.Response(200, json={"message": "The offsets for this connector have been altered successfully"})

    def _info(self, name: str) -> dict[str, Any]:
        found = self.connectors[name]
        return {"name": name, "config": found.config, "tasks": [], "type": _type(found)}

    def _status(self, name: str) -> dict[str, Any]:
        found = self.connectors[name]
        own = {"state": found.state, "worker_id": "w1:8083"} | ({"trace": found.trace} if found.trace else {})
        tasks = [{"id": number, "state": found.state, "worker_id": "w1:8083"} for number in range(found.tasks)]
        return {"name": name, "connector": own, "tasks": tasks, "type": _type(found)}


def _type(found: OnPaper) -> str:
    return "sink" if "Sink" in found.config["connector.class"] else "source"


def _at(partition: str, offset: Any) -> dict[str, Any]:
    return {"partition": json.loads(partition), "offset": offset}


def _refusal(status: int, message: str) -> httpx.Response:
    return httpx.Response(status, json={"error_code": status, "message": message})
