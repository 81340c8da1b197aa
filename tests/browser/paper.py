"""A cluster that is a dictionary, registered with a running control room. For tests; not a test module."""

import http.server
import json
import sqlite3
import threading
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager

from tests.running import RunningDrover

# Whatever the follower has written of it.
_TABLES = (
    ("connectorsnapshot", "cluster_id"),
    ("groupsnapshot", "cluster_id"),
    ("clustersnapshot", "cluster_id"),
    ("cluster", "id"),
)


@contextmanager
def paper_cluster(drover: RunningDrover, name: str, answers: Mapping[str, object]) -> Iterator[http.server.ThreadingHTTPServer]:
    """`answers` by path, as they are when asked; every other path is 404."""

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            answer = answers.get(self.path.partition("?")[0])
            body = json.dumps(answer or {"error_code": 404, "message": "HTTP 404 Not Found"}).encode()
            self.send_response(404 if answer is None else 200)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    with closing(sqlite3.connect(drover.data_dir / "drover.sqlite3", timeout=20)) as database:
        with database:
            url = f"http://127.0.0.1:{server.server_port}"
            added = database.execute("INSERT INTO dashboard_cluster (name, url) VALUES (?, ?)", (name, url)).lastrowid
        try:
            yield server
        finally:
            server.shutdown()
            server.server_close()
            with database:
                for table, column in _TABLES:
                    database.execute(f"DELETE FROM dashboard_{table} WHERE {column} = ?", (added,))
