"""A whole installation that answers by TLS only: `up` sees that it is ready, and the control room its cluster."""

import json
import socket
import sqlite3
import ssl
from pathlib import Path

import httpx
import pytest

from tests.alone import write_properties
from tests.certificates import authority, certified
from tests.running import free_port, running
from tests.waiting import eventually


def test_an_installation_with_tls_for_everybody_else(
    kafka: str, redis_url: str, unique: str, tmp_path: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    ours, admin_port = authority(), free_port() + 1
    for name, content in {
        "server.pem": certified(ours).pem(),
        "ca.pem": ours.certificate_pem(),
        "client.pem": certified(ours, "a client").pem(),
    }.items():
        (tmp_path / name).write_text(content)
    properties = {
        "bootstrap.servers": kafka,
        "listeners": "https://127.0.0.1:1",
        "admin.listeners": f"http://127.0.0.1:{admin_port}",
        "ssl.keystore.type": "PEM",
        "ssl.keystore.location": str(tmp_path / "server.pem"),
        "ssl.truststore.type": "PEM",
        "ssl.truststore.location": str(tmp_path / "ca.pem"),
        "ssl.client.auth": "required",
        "rest.advertised.host.name": "connect.example",
        "rest.advertised.port": "443",
        "response.http.headers.config": "set X-Frame-Options:DENY",
        "group.id": f"group-{unique}",
        **{f"{kind}.storage.topic": f"{kind}-{unique}" for kind in ("config", "offset", "status")},
    }
    file = write_properties(tmp_path / "connect-distributed.properties", properties)
    trusting = ssl.create_default_context(cafile=str(tmp_path / "ca.pem"))
    trusting.load_cert_chain(tmp_path / "client.pem")
    # The test's own folder has too long a name to hold a socket.
    with running(tmp_path_factory.mktemp("tls"), "--properties", str(file), redis_url=redis_url) as drover:
        with httpx.Client(base_url=f"https://127.0.0.1:{drover.port}", verify=trusting, trust_env=False) as client:
            workers = client.get("/api/v1/workers").json()["workers"]
            assert [worker["worker_id"] for worker in workers] == ["connect.example:443"]
            assert client.get("/admin/loggers").status_code == 404
            assert client.get("/health").headers["X-Frame-Options"] == "DENY"
        assert httpx.get(f"http://127.0.0.1:{admin_port}/admin/loggers").status_code == 200
        assert httpx.get(f"http://127.0.0.1:{admin_port}/connectors").status_code == 404
        eventually(lambda: seen(drover.data_dir / "drover.sqlite3"), "What the control room has seen of its cluster")
        with socket.create_connection(("127.0.0.1", drover.port)) as plain:
            plain.sendall(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n")
            plain.settimeout(5)
            assert not plain.recv(1000).startswith(b"HTTP")


def seen(database: Path) -> bool:
    tables = "dashboard_cluster join dashboard_clustersnapshot on dashboard_cluster.id = cluster_id"
    connection = sqlite3.connect(database)
    try:
        rows = connection.execute(f"select urls, fetched_at, unreachable_since from {tables}").fetchall()
    finally:
        connection.close()
    (urls, fetched, unreachable), *_ = rows
    return json.loads(urls)[0].startswith("unix:") and fetched is not None and unreachable is None
