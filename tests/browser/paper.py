"""A cluster that is a dictionary, registered with a running control room. For tests; not a test module."""

import http.server
import json
import sqlite3
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager

from tests.running import RunningDrover

_ADD = """
    INSERT INTO dashboard_cluster
        (name, urls, auth, username, secret, authorities, certificate, private_key, poll_seconds, bootstrap_servers, origin)
    VALUES (?, ?, 'none', '', '', '', '', '', 1.0, '', 'room')
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


@contextmanager
def registered(drover: RunningDrover, name: str, url: str) -> Iterator[None]:
    """Known to the control room meanwhile."""
    with closing(sqlite3.connect(drover.data_dir / "drover.sqlite3", timeout=20)) as database:
        with database:
            added = database.execute(_ADD, (name, json.dumps([url]))).lastrowid
        try:
            yield
        finally:
            with database:
                for table, column in _TABLES:
                    database.execute(f"DELETE FROM dashboard_{table} WHERE {column} = ?", (added,))
