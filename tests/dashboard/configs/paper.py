"""A paper cluster whose configs can be validated, written, created and deleted. Not a test module."""

import json
from dataclasses import dataclass, field
from typing import Any

import httpx

from tests.dashboard.configs import answers
from tests.dashboard.conftest import PaperCluster

SINK = "org.x.OrdersSink"
CONFIG = {
    "name": "orders",
    "connector.class": SINK,
    "topics": "orders",
    "file": "/tmp/orders.txt",
    "pin": "vierstellig",
    "db.password": "geheim",
    "unknown.key": "kept",
}
PLUGINS = [
    {"class": SINK, "type": "sink", "version": "1.2"},
    {"class": "org.x.OrdersSource", "type": "source", "version": "1.2"},
    {"class": "org.x.Mask", "type": "transformation", "version": "4.3.0"},
    {"class": "org.x.Json", "type": "converter", "version": "4.3.0"},
]


@dataclass
class ConfigPaper(PaperCluster):
    #: Of the next validations, by key.
    errors: dict[str, str] = field(default_factory=dict)
    plugins: list[dict[str, str]] = field(default_factory=lambda: list(PLUGINS))

    def add(self, name: str = "orders", **config: str) -> None:
        self.put(name, "RUNNING", "RUNNING")
        self.entries[name]["info"]["config"] = {**CONFIG, "name": name, **config}

    def hold(self, config: dict[str, str], name: str = "orders") -> None:
        """Somebody has changed it elsewhere."""
        self.put(name, "RUNNING", "RUNNING")
        self.entries[name]["info"]["config"] = config

    def config(self, name: str = "orders") -> dict[str, str]:
        found: dict[str, str] = self.entries[name]["info"]["config"]
        return found

    def answer(self, request: httpx.Request) -> httpx.Response:
        path = request.url.path.strip("/").split("/")
        last = f"{request.method} {path[-1]}"
        if self.down or last in self.refusals or (path[0] != "connector-plugins" and len(path) == 1 and request.method == "GET"):
            return super().answer(request)
        self.asked.append(f"{request.method} {request.url.raw_path.decode()}")
        body = json.loads(request.content) if request.content else None
        if path[0] == "connector-plugins":
            return self._plugins(path, body)
        if path[0] == "connectors" and (len(path) == 1 or path[-1] == "config" or request.method == "DELETE"):
            return self._configs(request.method, path, body)
        return super().answer(request)

    def _plugins(self, path: list[str], body: Any) -> httpx.Response:
        if len(path) == 1:
            return httpx.Response(200, json=self.plugins)
        if path[-1] == "validate":
            self.body = body
            return httpx.Response(200, json=answers.validation(body, self.errors))
        if path[1] == SINK:
            keys = [answers.definition("file"), answers.definition("pin", type="PASSWORD", default_value="[hidden]")]
            return httpx.Response(200, json=keys)
        return httpx.Response(200, json=[])

    def _configs(self, method: str, path: list[str], body: Any) -> httpx.Response:
        name = body["name"] if method == "POST" else path[1]
        if method != "POST" and name not in self.entries and method != "PUT":
            return httpx.Response(404, json={"error_code": 404, "message": f"Connector {name} not found"})
        if method == "GET":
            return httpx.Response(200, json=self.config(name))
        if method == "DELETE":
            del self.entries[name]
            return httpx.Response(204)
        self.body = body
        if method == "POST" and name in self.entries:
            return httpx.Response(409, json={"error_code": 409, "message": f"Connector {name} already exists"})
        self.add(name)
        self.entries[name]["info"]["config"] = {**(body["config"] if method == "POST" else body), "name": name}
        return httpx.Response(201 if method == "POST" else 200, json=self.entries[name]["info"])
