"""Names that Kafka Connect creates and then cannot reach: in Drover they work, as docs/compatibility.md says."""

import uuid

import pytest

from connect_client.calls import segment
from tests.conformance.answers.case import Answer
from tests.conformance.answers.cases.names import REACHED, create
from tests.conformance.answers.conftest import Side
from tests.conformance.answers.test_answers import COMPATIBILITY, replaced


@pytest.mark.parametrize("tail", ["/b", "/status", "/", "%", "%2F", "\\", "{x}", "/../x", "//x"])
def test_a_name_that_leads_nowhere_there_works_here(sides: tuple[Side, Side], tail: str) -> None:
    assert REACHED in COMPATIBILITY
    drover, apache = sides
    name = f"n-{uuid.uuid4().hex[:8]}{tail}"
    body = replaced(create("{name}"), {"{name}": name, "{c}": "n", "{file}": str(drover.folder / "cases.txt")})
    path = f"/connectors/{segment(name)}"

    created = apache.asker.ask("POST", "/connectors", body)
    assert created.status == (500 if "{" in tail else 201), created
    if "{" not in tail:
        assert apache.asker.ask("GET", path).status == 400, "it can be reached: the row of docs/compatibility.md is wrong"

    created = drover.asker.ask("POST", "/connectors", body)
    assert (created.status, created.headers["location"]) == (201, path), created
    drover.cluster.wait_for(segment(name), "STOPPED")
    for tested in ("", "/config", "/status", "/tasks", "/topics", "/offsets"):
        assert drover.asker.ask("GET", path + tested).status == 200, tested
    assert told(drover.asker.ask("GET", path)) == name
    config = {**body["config"], "name": name, "tasks.max": "1"}
    assert drover.asker.ask("PUT", f"{path}/config", config).status == 200
    assert drover.asker.ask("PUT", f"{path}/resume").status == 202
    drover.cluster.wait_for(segment(name), "RUNNING", "RUNNING")
    assert drover.asker.ask("GET", f"{path}/tasks/0/status").status == 200
    assert drover.asker.ask("POST", f"{path}/restart?includeTasks=true").status == 202
    drover.cluster.wait_for(segment(name), "RUNNING", "RUNNING")
    assert drover.asker.ask("POST", f"{path}/tasks/0/restart").status == 204
    assert drover.asker.ask("PUT", f"{path}/pause").status == 202
    assert drover.asker.ask("PUT", f"{path}/stop").status == 204
    assert drover.asker.ask("DELETE", f"{path}/offsets").status == 200
    assert drover.asker.ask("DELETE", path).status == 204
    assert drover.asker.ask("GET", path).status == 404


def told(answer: Answer) -> object:
    return answer.body["name"]
