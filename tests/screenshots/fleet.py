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
    file.touch()
    return {"connector.class": FILE_SOURCE, "tasks.max": "1", "topic": topic, "file": str(file)}


def make(drover: ConnectClient, apache: ConnectClient, folder: Path) -> None:
    """All of it, and waits until each is in the state that it is to be shown in."""
    missing = folder / "mnt" / "archive"
    ours = {
        "shop-orders": generator("shop.orders", 400),
        "shop-clicks": generator("shop.clicks", 900, "clicks"),
        "shop-users": generator("shop.users", 5, "users"),
        "orders-to-lake": sink("shop.orders", folder / "orders.jsonl"),
        "clicks-to-lake": sink("shop.clicks", folder / "clicks.jsonl"),
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
    broken = ("orders-archive", "users-audit", "billing-archive")
    for client, configs in ((drover, ours), (apache, theirs)):
        for name in configs:
            _await(client, name, "FAILED" if name in broken else "RUNNING")
    drover.pause("shop-users")
    apache.stop("crm-mirror")
    eventually(lambda: drover.status("shop-users").connector.state == "PAUSED")
    eventually(lambda: apache.status("crm-mirror").connector.state == "STOPPED")


def _await(client: ConnectClient, name: str, state: str) -> None:
    eventually(lambda: {task.state for task in client.status(name).tasks} == {state}, 90, f"{name} {state}")


def past(room: Room) -> None:
    """What people have done: a job, a change of a config, a rule, somebody else who may look."""
    mended = {"db.password": "••••••••", "batch.size": "500"}
    config = room.get("connectors/local/access-log/config")
    room.put("connectors/local/access-log/config?note=smaller+batches", {**config, **mended})
    job = room.post("jobs", {"verb": "restart", "filter": "state=failed"})["id"]
    eventually(lambda: room.get(f"jobs/{job}")["state"] == "done", 120)
    move = {"source": {"cluster": "billing", "connector": "crm-contacts"}, "target": {"cluster": "local"}}
    moved = room.post("moves", {**move, "options": {"mode": "copy", "start": False}})["id"]
    eventually(lambda: room.get(f"moves/{moved}")["state"] in ("done", "failed"), 60)
    rule = {
        "name": "nights",
        "states": ["FAILED", "UNREACHABLE"],
        "channel": "webhook",
        "address": "https://hooks.example.org/oncall",
    }
    room.post("alerts/rules", {**rule, "lasting_seconds": 600})
    room.post("users", {"name": "ann"})
    room.post("grants", {"user": "ann", "role": "operator", "cluster": None, "connectors": "shop-*"})
    room.post("tokens", {"name": "nightly restart", "role": "operator", "days": 90})
