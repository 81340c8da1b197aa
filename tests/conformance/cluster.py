"""A cluster as its users see it: the REST API, and the two topics that other tools read. Nothing here knows whose it is."""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import httpx

from tests.conformance.tail import Tail
from tests.waiting import eventually

#: `"connector"`, or a task's number.
Instance = str | int
CONNECTOR = "connector"
BEACON = "conformance-beacon"


@dataclass(frozen=True)
class Connect:
    """Whoever answers the REST API."""

    id: str
    http: httpx.Client

    def request(self, method: str, path: str, body: object = None) -> httpx.Response:
        """The answer as it came; asked again while the cluster says that it is about to rebalance, as every client does."""

        def answer() -> httpx.Response:
            response = self.http.request(method, path, json=body)
            assert response.status_code != 409 or "stale configuration" not in response.text, response.text
            return response

        return eventually(answer, f"{method} {path}")

    def put_config(self, name: str, config: Mapping[str, str]) -> None:
        response = self.request("PUT", f"/connectors/{name}/config", dict(config))
        assert response.is_success, response.text

    def delete(self, name: str) -> None:
        self.request("DELETE", f"/connectors/{name}")

    def status(self, name: str) -> dict[str, Any]:
        response = self.request("GET", f"/connectors/{name}/status")
        assert response.status_code == 200, response.text
        return dict(response.json())

    def states(self, name: str) -> dict[Instance, str]:
        return states_of(self.status(name))

    def wait_for(self, name: str, connector: str, *tasks: str) -> dict[str, Any]:
        """The status, once the states are these."""
        wanted: dict[Instance, str] = {CONNECTOR: connector, **dict(enumerate(tasks))}

        def status() -> dict[str, Any]:
            status = self.status(name)
            assert states_of(status) == wanted, states_of(status)
            return status

        return eventually(status, what=f"{name} {wanted}")


@dataclass(frozen=True)
class Cluster(Connect):
    """One Connect cluster. `barrier` is for those of one worker."""

    configs: Tail
    statuses: Tail

    def wait_until_gone(self, name: str) -> None:
        """A deleted connector's statuses are the last to go, each by itself."""
        gone = [f"status-connector-{name}", *[f"status-task-{name}-{task}" for task in range(10)]]
        eventually(lambda: all(self.statuses.records(key)[-1:] in ([], [None]) for key in gone), what=f"{name} is gone")
        eventually(lambda: self.request("GET", f"/connectors/{name}/status").status_code == 404)

    def barrier(self) -> None:
        """Returns when the herder has carried out everything that was asked, or written to the config topic, until now.

        The first request makes the leader read the config topic to its end. The others go through the herder's own queue: twice,
        because what a record asks for may be queued only when the record's turn has come.
        """
        assert self.http.post(f"/connectors/{BEACON}/restart?onlyFailed=true").status_code == 202
        for _ in range(2):
            assert self.request("POST", f"/connectors/{BEACON}/restart").status_code == 204

    def watch(self, name: str) -> "Watch":
        return Watch(self, name)


class Watch:
    """What is written of a connector from now on."""

    def __init__(self, cluster: Cluster, name: str) -> None:
        self._cluster = cluster
        self._name = name
        self._before = {tail: tail.counts() for tail in (cluster.configs, cluster.statuses)}
        self._written = len(cluster.configs.keys())

    def _since(self, tail: Tail, key: str) -> list[Any]:
        return tail.records(key)[self._before[tail].get(key, 0) :]

    def statuses(self, instance: Instance) -> list[Any]:
        """The status records of an instance, as they are in the topic; None for a tombstone."""
        kind = f"connector-{self._name}" if instance == CONNECTOR else f"task-{self._name}-{instance}"
        return self._since(self._cluster.statuses, f"status-{kind}")

    def states(self, instance: Instance) -> list[str | None]:
        return [status and status["state"] for status in self.statuses(instance)]

    def configs(self, kind: str) -> list[Any]:
        """The records of the config topic with key `<kind>-<name>`."""
        return self._since(self._cluster.configs, f"{kind}-{self._name}")

    def written(self) -> list[str]:
        """The kinds of the connector's records in the config topic, in their order."""
        keys = self._cluster.configs.keys()[self._written :]
        return [key.removesuffix(f"-{self._name}") for key in keys if key.endswith(f"-{self._name}")]

    def expect_restarted(self, instance: Instance, end: str) -> None:
        """KIP-745: RESTARTING, then what came of it; Connect alone says UNASSIGNED in between."""
        self.expect_end(instance, end)
        shown = collapsed(state for state in self.states(instance) if state != "UNASSIGNED")
        assert shown == ["RESTARTING", end], f"{instance}: {self.states(instance)}"

    def expect_started_anew(self, instance: Instance, end: str) -> None:
        """Of a restart outside the config topic: Connect says UNASSIGNED where Drover says RESTARTING."""
        self.expect_end(instance, end)
        assert collapsed(self.states(instance)) in (["UNASSIGNED", end], ["RESTARTING", end])

    def expect_end(self, instance: Instance, end: str) -> None:
        """Waits for a record that says so. What REST shows may for a moment be from before."""
        eventually(lambda: self.states(instance)[-1:] == [end], what=f"{instance} is {end} again")

    def expect_untouched(self, *instances: Instance) -> None:
        """No record at all. Call `barrier` before."""
        assert {instance: self.states(instance) for instance in instances} == {instance: [] for instance in instances}


def states_of(status: Mapping[str, Any]) -> dict[Instance, str]:
    """Of a status body: the state of each instance."""
    return {CONNECTOR: status["connector"]["state"], **{task["id"]: task["state"] for task in status["tasks"]}}


def planned(status: Mapping[str, Any], *restarting: Instance) -> dict[str, Any]:
    """The status body that a restart is answered with (KIP-745): RESTARTING here and there, everything else as it was."""

    def instance(key: Instance, body: Mapping[str, Any]) -> dict[str, Any]:
        return {**body, "state": "RESTARTING"} if key in restarting else dict(body)

    tasks = [instance(task["id"], task) for task in status["tasks"]]
    return {**status, "connector": instance(CONNECTOR, status["connector"]), "tasks": tasks}


def text(status: Mapping[str, Any]) -> str:
    """A status body for comparison, the order of the fields included. Tasks by number: Connect's plan has them unsorted."""
    return json.dumps({**status, "tasks": sorted(status["tasks"], key=lambda task: int(task["id"]))})


def collapsed(states: Iterable[str | None]) -> list[str | None]:
    """Without immediate repetitions."""
    kept: list[str | None] = []
    for state in states:
        if kept[-1:] != [state]:
            kept.append(state)
    return kept


def expect_error(response: httpx.Response, status: int, message: str) -> None:
    assert response.text == json.dumps({"error_code": status, "message": message}, separators=(",", ":"))
    assert response.status_code == status


def expect_empty(response: httpx.Response, status: int) -> None:
    assert (response.status_code, response.content) == (status, b""), response.text
    assert "Content-Type" not in response.headers
    if status != 204:
        assert response.headers["Content-Length"] == "0"


def expect_plan(response: httpx.Response, before: Mapping[str, Any], restarting: Sequence[Instance]) -> None:
    """202 with the plan; `before` is the status as it was."""
    assert response.status_code == 202, response.text
    assert response.headers["Content-Type"] == "application/json"
    assert text(response.json()) == text(planned(before, *restarting))
