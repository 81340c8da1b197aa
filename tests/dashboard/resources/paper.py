"""A Connect cluster in memory, as far as resources go: what moves need, and configs, restarts and topics. Not a test module."""

import json
from dataclasses import dataclass, field
from typing import Any

import httpx

from tests.dashboard.moves.paper import FILE_SOURCE, Memory, OnPaper, _refusal

#: A config as the spec of a document has it, and a document of it.
SPEC: dict[str, Any] = {"class": FILE_SOURCE, "tasksMax": 1, "config": {"file": "/in", "topic": "lines", "db.password": "geheim"}}
MIRRORS: dict[str, Any] = {
    "clusters": [{"alias": "a", "bootstrapServers": "a:9092"}, {"alias": "b", "bootstrapServers": "b:9092"}],
    "mirrors": [{"sourceCluster": "a", "targetCluster": "b", "sourceConnector": {}, "checkpointConnector": {}}],
}


@dataclass
class Paper(Memory):
    """`sent`: what was asked for and is no look, with its query; `bodies` what was sent with it. `adds`: keys that the cluster
    puts into each config."""

    sent: list[str] = field(default_factory=list)
    bodies: list[Any] = field(default_factory=list)
    adds: dict[str, str] = field(default_factory=dict)
    topics: list[str] = field(default_factory=lambda: ["lines"])

    def answer(self, request: httpx.Request) -> httpx.Response:
        self._request = request
        return super().answer(request)

    def _said(self, method: str, path: str) -> httpx.Response | None:
        """Called of each request that has got here."""
        if method != "GET":
            self.sent.append(f"{method} {self._request.url.raw_path.decode()}")
            self.bodies.append(json.loads(self._request.content) if self._request.content else None)
        return super()._said(method, path)

    def took(self) -> list[str]:
        """What was sent since it was last looked at."""
        sent, self.sent = self.sent, []
        return sent

    def fail(self, name: str, *, task: bool = False) -> None:
        found = self.connectors[name]
        if task:
            found.tasks = -1
        else:
            found.state, found.wanted, found.trace = "FAILED", "FAILED", "java.io.IOException: geheim"

    def _create(self, body: Any) -> httpx.Response:
        told = super()._create(body)
        if told.status_code == 201:
            self.connectors[body["name"]].config.update(self.adds)
            told = httpx.Response(201, json=self._info(body["name"]))
        return told

    def _connector(self, method: str, name: str, what: str, body: Any) -> httpx.Response:
        found = self.connectors.get(name)
        if found is None:
            if (method, what) != ("PUT", "config"):
                return super()._connector(method, name, what, body)
            found = self.connectors[name] = OnPaper({})
        match method, what:
            case "PUT", "config":
                found.config = {**body, "name": name, **self.adds}
                return httpx.Response(200, json=self._info(name))
            case "GET", "topics":
                return httpx.Response(200, json={name: {"topics": self.topics}})
            case "POST", "restart":
                if found.state == "FAILED":
                    found.state, found.wanted, found.trace = "RUNNING", "RUNNING", ""
                return httpx.Response(202, json=self._status(name))
            case "POST", "tasks":
                found.tasks = max(found.tasks, 1)
                return httpx.Response(204)
            case "DELETE", "offsets":
                if found.state != "STOPPED":
                    return _refusal(400, "Connectors must be in the STOPPED state before their offsets can be modified.")
                self.offsets[name] = {}
                return httpx.Response(200, json={"message": "The offsets for this connector have been reset successfully"})
        return super()._connector(method, name, what, body)

    def _status(self, name: str) -> dict[str, Any]:
        """Of a connector with tasks of -1 the only task has failed."""
        told = super()._status(name)
        if self.connectors[name].tasks == -1:
            told["tasks"] = [{"id": 0, "state": "FAILED", "worker_id": "w1:8083", "trace": "java.io.IOException: disk full"}]
        return told
