"""Clusters that are dictionaries, registered with a running control room. For tests; not a test module."""

import http.server
import json
import sqlite3
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import closing, contextmanager
from typing import Any

import httpx

from tests.dashboard.jobs.words import status_json
from tests.dashboard.moves.paper import Memory
from tests.running import RunningDrover

_ADD = """
    INSERT INTO dashboard_cluster
        (name, urls, auth, username, secret, authorities, certificate, private_key, poll_seconds, bootstrap_servers, origin)
    VALUES (?, ?, 'none', '', '', '', '', '', 1.0, ?, 'room')
"""
# Whatever is known of it.
_TABLES = (
    ("statechange", "cluster_id"),
    ("gap", "cluster_id"),
    ("readings", "cluster_id"),
    ("sampling", "cluster_id"),
    ("configversion", "cluster_id"),
    ("offsetchange", "cluster_id"),
    ("autorestart", "cluster_id"),
    ("restartoverride", "cluster_id"),
    ("restartpolicy", "cluster_id"),
    ("jobitem", "cluster_id"),
    ("connectorsnapshot", "cluster_id"),
    ("groupsnapshot", "cluster_id"),
    ("clustersnapshot", "cluster_id"),
    ("cluster", "id"),
)


@contextmanager
def paper_server(
    answers: Mapping[str, object], does: Callable[[str, str], object] | None = None, *, port: int = 0
) -> Iterator[http.server.ThreadingHTTPServer]:
    """`answers` by path, as they are when asked; every other path is 404. `does` what it is asked to, by method and path, and
    tells what that is answered with. Nobody knows of it yet."""

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self._tell(answers.get(self.path.partition("?")[0]))

        def do_POST(self) -> None:
            self._tell(does(self.command, self.path) if does else None)

        def do_PUT(self) -> None:
            self.do_POST()

        def do_DELETE(self) -> None:
            self.do_POST()

        def _tell(self, answer: object) -> None:
            body = json.dumps(answer or {"error_code": 404, "message": "HTTP 404 Not Found"}).encode()
            self.send_response(404 if answer is None else 200)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            pass

    with http.server.ThreadingHTTPServer(("127.0.0.1", port), Handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        try:
            yield server
        finally:
            server.shutdown()


@contextmanager
def paper_cluster(
    drover: RunningDrover, name: str, answers: Mapping[str, object], does: Callable[[str, str], object] | None = None
) -> Iterator[http.server.ThreadingHTTPServer]:
    """One that is registered."""
    with paper_server(answers, does) as server, registered(drover, name, f"http://127.0.0.1:{server.server_port}"):
        yield server


class Paper:
    """A cluster that restarts what failed a moment after it is asked to; the `stubborn` fail again."""

    def __init__(self, connectors: Mapping[str, str], stubborn: Iterable[str] = ()) -> None:
        self.entries: dict[str, Any] = {}
        self.answers: dict[str, object] = {"/": {"version": "4.3.0"}, "/connectors": self.entries}
        self.asked: list[str] = []
        self.stubborn = set(stubborn)
        for name, words in connectors.items():
            self.set(name, words)

    def set(self, name: str, words: str) -> None:
        info = {
            "name": name,
            "config": {"connector.class": "FileStreamSink", "db.password": "geheim"},
            "tasks": [],
            "type": "sink",
        }
        self.entries[name] = {"info": info, "status": status_json(words, name=name)}

    def words(self, name: str) -> list[str]:
        status = self.entries[name]["status"]
        return [status["connector"]["state"], *[task["state"] for task in status["tasks"]]]

    def does(self, method: str, path: str) -> object:
        self.asked.append(f"{method} {path}")
        name = path.split("/")[2]
        own, *tasks = self.words(name)
        if path.endswith("/pause"):
            self.set(name, " ".join(["PAUSED"] * (1 + len(tasks))))
            return {}
        restarting = " ".join("RESTARTING" if state == "FAILED" else state for state in (own, *tasks))
        self.set(name, restarting)
        settled = restarting.replace("RESTARTING", "FAILED" if name in self.stubborn else "RUNNING")
        threading.Timer(1.5, self.set, (name, settled)).start()
        return self.entries[name]["status"]


@contextmanager
def served(memory: Memory) -> Iterator[str]:
    """Over HTTP; its address."""

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            sent = self.rfile.read(int(self.headers.get("Content-Length", 0)))
            told = memory.answer(httpx.Request(self.command, f"http://{memory.name}{self.path}", content=sent))
            self.send_response(told.status_code)
            self.send_header("Content-Length", str(len(told.content)))
            self.end_headers()
            self.wfile.write(told.content)

        do_POST = do_PUT = do_PATCH = do_DELETE = do_GET  # noqa: N815

        def log_message(self, *_: object) -> None:
            pass

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


@contextmanager
def registered(drover: RunningDrover, name: str, url: str, *, bootstrap_servers: str = "") -> Iterator[None]:
    """Known to the control room meanwhile."""
    with closing(sqlite3.connect(drover.data_dir / "drover.sqlite3", timeout=20)) as database:
        with database:
            added = database.execute(_ADD, (name, json.dumps([url]), bootstrap_servers)).lastrowid
        try:
            yield
        finally:
            with database:
                for table, column in _TABLES:
                    database.execute(f"DELETE FROM dashboard_{table} WHERE {column} = ?", (added,))
