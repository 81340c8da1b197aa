"""What may be sent along with a restart or a pause, which need no body (facts §1.5)."""

import pytest

from tests.conformance.cluster import CONNECTOR, Cluster, Instance, expect_error

# Each with what it restarts.
RESTARTS: dict[tuple[str, str], list[Instance]] = {
    ("POST", "restart"): [CONNECTOR],
    ("POST", "restart?includeTasks=true"): [CONNECTOR, 0],
    ("POST", "tasks/0/restart"): [0],
    ("PUT", "resume"): [],
}


@pytest.mark.parametrize(("method", "path"), RESTARTS)
@pytest.mark.parametrize(
    ("content_type", "body"),
    [(None, b"x"), ("application/json", b""), ("application/json", b"{}"), ("application/json; charset=utf-8", b"{")],
)
def test_accepted(cluster: Cluster, healthy: str, method: str, path: str, content_type: str | None, body: bytes) -> None:
    """No content type, or JSON; the body itself is not looked at."""
    watch = cluster.watch(healthy)
    headers = {"Content-Type": content_type} if content_type else {}
    response = cluster.http.request(method, f"/connectors/{healthy}/{path}", content=body, headers=headers)
    assert response.status_code in (202, 204), response.text
    for instance in RESTARTS[method, path]:
        watch.expect_end(instance, "RUNNING")


@pytest.mark.parametrize(("method", "path"), RESTARTS)
@pytest.mark.parametrize("content_type", ["text/plain", "application/x-www-form-urlencoded", "application/vnd.api+json"])
def test_refused(cluster: Cluster, healthy: str, method: str, path: str, content_type: str) -> None:
    """415, with or without a body; nothing is done."""
    watch = cluster.watch(healthy)
    for body in (b"", b"a=b"):
        # Jetty hangs up when it has left a body unread.
        headers = {"Content-Type": content_type, "Connection": "close"}
        response = cluster.http.request(method, f"/connectors/{healthy}/{path}", content=body, headers=headers)
        expect_error(response, 415, "HTTP 415 Unsupported Media Type")
    cluster.barrier()
    watch.expect_untouched(CONNECTOR, 0)
    assert watch.configs("target-state") == watch.configs("restart-connector") == []
