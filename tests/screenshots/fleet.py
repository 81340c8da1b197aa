"""A fleet worth looking at: Drover and an Apache Kafka Connect, with what runs, what is paused, and what really failed."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from playwright.sync_api import APIRequestContext, Page

from connect_client import ConnectClient
from tests.waiting import eventually

FILE_SOURCE = "org.apache.kafka.connect.file.FileStreamSourceConnector"
FILE_SINK = "org.apache.kafka.connect.file.FileStreamSinkConnector"
GENERATOR = "GeneratorSource"


class Room:
    """`/api/v1/` as the browser's user."""

    def __init__(self, page: Page) -> None:
        self._request: APIRequestContext = page.context.request
        self._page = page

    def post(self, path: str, body: Mapping[str, Any]) -> Any:
        return self._send("POST", path, body)

    def put(self, path: str, body: Mapping[str, Any]) -> Any:
        return self._send("PUT", path, body)

    def get(self, path: str) -> Any:
        return self._request.get(f"/api/v1/{path}").json()

    def _send(self, method: str, path: str, body: Mapping[str, Any]) -> Any:
        (token,) = (cookie["value"] for cookie in self._page.context.cookies() if cookie["name"].startswith("drover-csrf-"))
        headers = {"X-CSRFToken": token, "Referer": self._page.url}
        answer = self._request.fetch(f"/api/v1/{path}", method=method, data=dict(body), headers=headers)
        assert answer.ok, (path, answer.status, answer.text())
        return answer.json()


def generator(topic: str, rate: int, schema: str = "orders") -> dict[str, str]:
    return {"connector.class": GENERATOR, "tasks.max": "2", "topic": topic, "schema": schema, "rate": str(rate)}


def sink(topics: str, file: Path, tasks: int = 1) -> dict[str, str]:
    return {"connector.class": FILE_SINK, "tasks.max": str(tasks), "topics": topics, "file": str(file)}


def source(topic: str, file: Path) -> dict[str, str]:
    file.write_text("".join(f"{number:06d};{file.stem} {number}\n" for number in range(1, 501)))
    return {"connector.class": FILE_SOURCE, "tasks.max": "1", "topic": topic, "file": str(file)}


def policies(room: Room) -> None:
    """Of automatic restart, besides the one that is there: one that gives up at once, and one that leaves the nights alone."""
    often = {"name": "audits", "connectors": "users-audit", "max_restarts": 1}
    nights = {"quiet_from": "22:00", "quiet_until": "06:00", "zone": "Europe/Vienna"}
    room.post("restart-policies", often)
    room.post(
        "restart-policies", {"name": "crm by day", "cluster": "billing", "connectors": "crm-*", "schedule": "strimzi", **nights}
    )


def make(drover: ConnectClient, apache: ConnectClient, folder: Path) -> None:
    """All of it, and waits until each is in the state that it is to be shown in."""
    missing = folder / "archive"
    ours = {
        "shop-orders": generator("shop.orders", 400),
        "shop-clicks": generator("shop.clicks", 900, "clicks"),
        "shop-users": generator("shop.users", 5, "users"),
        "orders-to-lake": sink("shop.orders", folder / "orders.jsonl"),
        "clicks-to-lake": sink("shop.clicks", folder / "clicks.jsonl"),
        "clicks-archive": sink("shop.clicks", _mended(folder) / "clicks.jsonl"),
        "orders-archive": sink("shop.orders", missing / "orders.jsonl", 3),
        "users-audit": sink("shop.users", missing / "users.jsonl"),
        "access-log": {**source("web.access", folder / "access.log"), "db.password": "not to be seen"},
    }
    theirs = {
        "billing-invoices": source("billing.invoices", folder / "invoices.csv"),
        "billing-export": sink("billing.invoices", folder / "billing.out"),
        "billing-archive": sink("billing.invoices", missing / "billing.jsonl", 2),
        "crm-contacts": source("crm.contacts", folder / "contacts.csv"),
        "crm-mirror": sink("crm.contacts", folder / "crm.out"),
    }
    for client, configs in ((drover, ours), (apache, theirs)):
        for name, config in configs.items():
            client.create(name, config)
    broken = ("orders-archive", "users-audit", "clicks-archive", "billing-archive")
    for client, configs in ((drover, ours), (apache, theirs)):
        for name in configs:
            _await(client, name, "FAILED" if name in broken else "RUNNING")
    drover.pause("shop-users")
    eventually(lambda: apache.offsets("crm-mirror"), "crm-mirror has committed")
    apache.stop("crm-mirror")
    eventually(lambda: drover.status("shop-users").connector.state == "PAUSED")
    eventually(lambda: apache.status("crm-mirror").connector.state == "STOPPED")


def _mended(folder: Path) -> Path:
    """A folder that is not there at first."""
    return folder / "lake"


def _await(client: ConnectClient, name: str, state: str) -> None:
    eventually(lambda: {task.state for task in client.status(name).tasks} == {state}, f"{name} {state}")


def past(room: Room, folder: Path, bootstrap_servers: str, oncall: str) -> dict[str, str]:
    """What people have done: a job, a change of a config, a rule, documents, two who are invited. Their invitations."""
    mended = {"db.password": "••••••••", "batch.size": "500"}
    config = room.get("connectors/local/access-log/config")
    room.put("connectors/local/access-log/config?note=smaller+batches", {**config, **mended})
    job = room.post("jobs", {"verb": "restart", "filter": "state=failed"})["id"]
    eventually(lambda: room.get(f"jobs/{job}")["state"] == "done")
    # It runs with the next restart, which nobody asks for.
    _mended(folder).mkdir()
    move = {"source": {"cluster": "billing", "connector": "crm-contacts"}, "target": {"cluster": "local"}}
    moved = room.post("moves", {**move, "options": {"mode": "copy", "start": False}})["id"]
    eventually(lambda: room.get(f"moves/{moved}")["state"] in ("done", "failed"))
    rule = {"name": "nights", "states": ["FAILED", "UNREACHABLE"], "channel": "webhook", "address": oncall}
    room.post("alerts/rules", {**rule, "lasting_seconds": 60})
    _resources(room, bootstrap_servers)
    invitations = {name: room.post("users", {"name": name})["link"] for name in ("ann", "ben")}
    room.post("grants", {"user": "ann", "role": "operator", "cluster": None, "connectors": "shop-*"})
    room.post("grants", {"user": "ben", "role": "viewer", "cluster": None, "connectors": "*"})
    room.post("tokens", {"name": "nightly restart", "role": "operator", "days": 90})
    return invitations


def _resources(room: Room, bootstrap_servers: str) -> None:
    """One as wanted, one of a class that nobody has, and a mirror from a Kafka to itself, under another name."""
    generated = {"class": GENERATOR, "tasksMax": 1, "config": {"topic": "web.visits", "schema": "clicks", "rate": 20}}
    nowhere = {"class": "com.acme.SalesforceSource", "tasksMax": 1, "config": {"topic": "crm.leads"}}
    clusters = [{"alias": alias, "bootstrapServers": bootstrap_servers} for alias in ("shop", "dc2")]
    alone = {"replication.factor": 1, "offset-syncs.topic.replication.factor": 1, "sync.topic.acls.enabled": "false"}
    mirror = {
        "sourceCluster": "shop",
        "targetCluster": "dc2",
        "topicsPattern": "shop.users",
        "sourceConnector": {"tasksMax": 1, "config": alone},
    }
    _resource(room, "KafkaConnector", "web-visits", "local", generated)
    _resource(room, "KafkaConnector", "leads", "billing", nowhere)
    _resource(room, "KafkaMirrorMaker2", "shop-to-dc2", "local", {"clusters": clusters, "mirrors": [mirror]})


def _resource(room: Room, kind: str, name: str, cluster: str, spec: Mapping[str, Any]) -> None:
    metadata = {"name": name, "labels": {"strimzi.io/cluster": cluster}}
    document = {"apiVersion": "kafka.strimzi.io/v1", "kind": kind, "metadata": metadata, "spec": spec}
    address = f"resources/{kind.lower()}/{name}"
    room.put(address, document)
    eventually(lambda: room.get(address)["status"]["conditions"], f"{name} has been looked at")
