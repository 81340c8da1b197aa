"""What may be sent along with a restart or a pause, which need no body (facts §1.5)."""

import pytest

from tests.conformance.cluster import CONNECTOR, Cluster, expect_error

CALLS = [("POST", "restart"), ("POST", "restart?includeTasks=true"), ("POST", "tasks/0/restart"), ("PUT", "resume")]


@pytest.mark.parametrize(("method", "path"), CALLS)
@pytest.mark.parametrize(
    ("content_type", "body"),
    [(None, b"x"), ("application/json", b""), ("application/json", b"{}"), ("application/json; charset=utf-8", b"{")],
)
def test_accepted(cluster: Cluster, healthy: str, method: str, path: str, content_type: str | None, body: bytes) -> None:
    """No content type, or JSON; the body itself is not looked at."""
    headers = {"Content-Type": content_type} if content_type else {}
    response = cluster.http.request(method, f"/connectors/{healthy}/{path}", content=body, headers=headers)
    assert response.status_code in (202, 204), response.text


@pytest.mark.parametrize(("method", "path"), CALLS)
@pytest.mark.parametrize("content_type", ["text/plain", "application/x-www-form-urlencoded", "application/vnd.api+json"])
def test_refused(cluster: Cluster, healthy: str, method: str, path: str, content_type: str) -> None:
    """415, with or without a body; nothing is done."""
    watch = cluster.watch(healthy)
    for body in (b"", b"a=b"):
        headers = {"Content-Type": content_type}
        response = cluster.http.request(method, f"/connectors/{healthy}/{path}", content=body, headers=headers)
        expect_error(response, 415, "HTTP 415 Unsupported Media Type")
    cluster.barrier()
    watch.expect_untouched(CONNECTOR, 0)
    assert watch.configs("target-state") == watch.configs("restart-connector") == []
