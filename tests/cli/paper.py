"""A Connect cluster that is a dictionary, on a socket. Not a test module."""

import http.server
import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit

from tests.dashboard.jobs.words import status_json

CONFIG = {"connector.class": "org.x.Sink", "topics": "t", "db.password": "geheim"}
Answer = tuple[int, Any]


@dataclass
class PaperConnect:
    """Carries out what it is asked for at once, except for what is `stubborn`: that stays as it is. `refusals`: what is answered
    instead, by method and path, as often as there are answers."""

    url: str = ""
    version: str = "4.3.0"
    configs: dict[str, dict[str, Any]] = field(default_factory=dict)
    words: dict[str, str] = field(default_factory=dict)
    offsets: dict[str, list[Any]] = field(default_factory=dict)
    levels: dict[str, str] = field(default_factory=lambda: {"root": "INFO", "org.apache.kafka": "WARN"})
    stubborn: set[str] = field(default_factory=set)
    refusals: dict[str, list[Answer]] = field(default_factory=dict)
    asked: list[str] = field(default_factory=list)
    lock: threading.Lock = field(default_factory=threading.Lock)

    def put(self, name: str, words: str, **config: str) -> None:
        self.words[name] = words
        self.configs[name] = {"name": name, **CONFIG, **config}

    def answer(self, method: str, target: str, body: Any) -> Answer:
        with self.lock:
            self.asked.append(f"{method} {target}")
            if told := self.refusals.get(f"{method} {target}"):
                status, message = told.pop(0)
                return status, {"error_code": status, "message": message}
            parts = urlsplit(target)
            path = [unquote(part) for part in parts.path.strip("/").split("/")]
            query = {key: values[0] for key, values in parse_qs(parts.query).items()}
            found = self._answer(method, path, query, body)
            return found or (404, {"error_code": 404, "message": "HTTP 404 Not Found"})

    def _answer(self, method: str, path: list[str], query: dict[str, str], body: Any) -> Answer | None:
        match method, path:
            case "GET", [""]:
                return 200, {"version": self.version, "commit": "c", "kafka_cluster_id": "k"}
            case "GET", ["connectors"]:
                return 200, {name: self._entry(name) for name in self.configs}
            case "POST", ["connectors"]:
                return self._create(body)
            case "GET", ["connector-plugins"]:
                return 200, [{"class": "org.x.Sink", "type": "sink", "version": "1.0"}]
            case "GET", ["admin", "loggers"]:
                return 200, {name: {"level": level, "last_modified": None} for name, level in self.levels.items()}
            case "PUT", ["admin", "loggers", name]:
                self.levels[name] = body["level"]
                return (204, None) if query.get("scope") == "cluster" else (200, [name])
            case _, ["connectors", name, *rest]:
                if name not in self.configs:
                    return 404, {"error_code": 404, "message": f"Unknown connector: {name}"}
                return self._of_one(method, name, rest, query, body)
        return None

    def _of_one(self, method: str, name: str, rest: list[str], query: dict[str, str], body: Any) -> Answer | None:
        match method, rest:
            case "GET", []:
                return 200, self._entry(name)["info"]
            case "GET", ["status"]:
                return 200, self._entry(name)["status"]
            case "GET", ["config"]:
                return 200, self.configs[name]
            case "PUT", ["config"]:
                self.configs[name] = body
                return 200, self._entry(name)["info"]
            case "GET", ["offsets"]:
                return 200, {"offsets": self.offsets.get(name, [])}
            case "PATCH", ["offsets"]:
                self.offsets[name] = [one for one in body["offsets"] if one["offset"]]
                return 200, {"message": "The offsets have been altered."}
            case "DELETE", ["offsets"]:
                self.offsets[name] = []
                return 200, {"message": "The offsets have been reset."}
            case "DELETE", []:
                del self.configs[name], self.words[name]
                return 204, None
            case "POST", ["restart"]:
                return self._restart(name, query)
            case "PUT", [("pause" | "resume" | "stop") as verb]:
                state, count = {"pause": "PAUSED", "resume": "RUNNING", "stop": "STOPPED"}[verb], len(self.words[name].split())
                if name not in self.stubborn:
                    self.words[name] = state if verb == "stop" else " ".join([state] * count)
                return 202, None
        return None

    def _restart(self, name: str, query: dict[str, str]) -> Answer:
        own, *tasks = self.words[name].split()
        if name not in self.stubborn:
            own = "RUNNING" if own == "FAILED" else own
            if query["includeTasks"] == "true":
                tasks = ["RUNNING" if state == "FAILED" else state for state in tasks]
            self.words[name] = " ".join((own, *tasks))
        return (204, None) if query["includeTasks"] == "false" else (202, self._entry(name)["status"])

    def _create(self, body: Any) -> Answer:
        name = body["name"]
        if name in self.configs:
            return 409, {"error_code": 409, "message": f"Connector {name} already exists"}
        self.put(name, body.get("initial_state") or "RUNNING RUNNING")
        self.configs[name] = body["config"]
        return 201, self._entry(name)["info"]

    def _entry(self, name: str) -> dict[str, Any]:
        info = {"name": name, "config": self.configs[name], "tasks": [], "type": "sink"}
        return {"info": info, "status": status_json(self.words[name], name=name)}


@contextmanager
def serving(paper: PaperConnect) -> Iterator[PaperConnect]:
    def answer(method: str, target: str, body: Any) -> Answer:
        # As it is when it is asked: tests put others in its place.
        return paper.answer(method, target, body)

    with listening(answer) as url:
        paper.url = url
        yield paper


@contextmanager
def listening(answer: Callable[[str, str, Any], Answer]) -> Iterator[str]:
    """An HTTP server on a port of its own; its URL. A status of 0 ends the connection without an answer."""

    class Handler(http.server.BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            content = self.rfile.read(int(self.headers.get("Content-Length") or 0))
            status, told = answer(self.command, self.path, json.loads(content) if content else None)
            if not status:
                self.close_connection = True
                return
            body = b"" if told is None else json.dumps(told).encode()
            self.send_response(status)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def do_POST(self) -> None:
            self.do_GET()

        def do_PUT(self) -> None:
            self.do_GET()

        def do_PATCH(self) -> None:
            self.do_GET()

        def do_DELETE(self) -> None:
            self.do_GET()

        def log_message(self, *_: object) -> None:
            pass

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        server.daemon_threads = True
        thread = threading.Thread(target=server.serve_forever, args=(0.05,))
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}"
        finally:
            server.shutdown()
            thread.join()
