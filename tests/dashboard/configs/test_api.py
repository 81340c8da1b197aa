"""Configs by `/api/v1/`: the same as in the browser, and masked all the same."""

from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client

from connect_client.secrets import HIDDEN
from dashboard.models import Activity, Cluster
from tests.dashboard.configs.paper import CONFIG, SINK, ConfigPaper

ORDERS = "/api/v1/connectors/eu/orders"
MASKED = {**CONFIG, "pin": HIDDEN, "db.password": HIDDEN}


@pytest.fixture(autouse=True)
def seen(see: Callable[[], None]) -> None:
    """The follower has looked."""


def ask(client: Client, method: str, path: str, body: Any = None) -> tuple[int, Any]:
    sent: dict[str, Any] = {} if body is None else {"data": body, "content_type": "application/json"}
    response: Any = getattr(client, method)(path, **sent)
    text = response.content.decode()
    assert "geheim" not in text
    assert "vierstellig" not in text
    return response.status_code, response.json() if text.startswith(("{", "[")) else text


def test_a_config_is_read_and_written(room: Client, paper: ConfigPaper) -> None:
    status, config = ask(room, "get", f"{ORDERS}/config")
    assert (status, config, list(config)) == (200, MASKED, list(CONFIG))
    status, saved = ask(room, "put", f"{ORDERS}/config?note=why", {**config, "file": "/tmp/new"})
    assert (status, saved["version"], saved["by"], saved["note"]) == (200, 2, "operator", "why")
    assert paper.config() == {**CONFIG, "file": "/tmp/new"}
    assert (Activity.objects.get().verb, Activity.objects.get().via) == ("config", "api")


def test_a_config_as_properties(room: Client) -> None:
    text = ask(room, "get", f"{ORDERS}/config?as=properties")[1]
    assert text.startswith(f"name=orders\nconnector.class={SINK}\n")


def test_not_over_what_others_have_written(room: Client, paper: ConfigPaper) -> None:
    assert ask(room, "put", f"{ORDERS}/config?base=1", {**MASKED, "file": "/tmp/a"})[0] == 200
    status, told = ask(room, "put", f"{ORDERS}/config?base=1", {**MASKED, "file": "/tmp/b"})
    assert (status, told["message"]) == (409, "The config of orders is version 2 by now, not 1")


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ({**MASKED, "file": "****"}, "file: “****” is a mask"),
        ({**MASKED, "file": {"a": 1}}, "The value of file has to be a text"),
        ({**MASKED, "file": None}, "takes no null"),
        ([], "A config is a JSON object"),
    ],
)
def test_what_is_not_written(room: Client, paper: ConfigPaper, body: Any, message: str) -> None:
    status, told = ask(room, "put", f"{ORDERS}/config", body)
    assert status == 400
    assert message in told["message"]
    assert paper.body is None


def test_versions_and_back(room: Client, paper: ConfigPaper) -> None:
    ask(room, "put", f"{ORDERS}/config", {**MASKED, "file": "/tmp/new", "pin": "99"})
    status, told = ask(room, "get", f"{ORDERS}/versions")
    assert (status, [version["version"] for version in told["versions"]]) == (200, [2, 1])
    assert told["versions"][0]["changes"] == [
        {"key": "file", "kind": "changed", "was": CONFIG["file"], "becomes": "/tmp/new"},
        {"key": "pin", "kind": "changed", "was": HIDDEN, "becomes": HIDDEN},
    ]
    assert ask(room, "get", f"{ORDERS}/versions/1")[1]["config"] == MASKED
    assert ask(room, "get", f"{ORDERS}/versions/9")[0] == 404
    status, told = ask(room, "post", f"{ORDERS}/rollback", {"version": 1})
    assert (status, told["version"], told["note"]) == (200, 3, "Back to version 1")
    assert paper.config() == CONFIG
    assert ask(room, "post", f"{ORDERS}/rollback", {"version": 0})[0] == 400


def test_creating_and_deleting(room: Client, paper: ConfigPaper, cluster: Cluster) -> None:
    body = {"name": "new", "config": {"connector.class": SINK, "topics": "a"}, "initial_state": "STOPPED"}
    status, told = ask(room, "post", "/api/v1/connectors/eu", body)
    assert (status, told["name"], told["version"]) == (201, "new", 1)
    assert paper.body == {"name": "new", "config": {"name": "new", **body["config"]}, "initial_state": "STOPPED"}  # type: ignore[dict-item]
    status, told = ask(room, "post", "/api/v1/connectors/eu", body)
    assert (status, told["message"]) == (409, "Connector new already exists")
    status, told = ask(room, "post", "/api/v1/connectors/eu", {"name": "a", "config": {"name": "b"}})
    assert (status, told["message"]) == (400, "The config's name is b, not a")
    assert ask(room, "delete", ORDERS)[0] == 204
    assert "orders" not in paper.entries
    # What it was stays.
    assert ask(room, "get", f"{ORDERS}/versions/1")[1]["config"] == MASKED


def test_a_copy_has_the_secrets_too(room: Client, paper: ConfigPaper) -> None:
    body = {"name": "two", "config": {**MASKED, "name": "two"}, "copy_of": {"cluster": "eu", "name": "orders"}}
    assert ask(room, "post", "/api/v1/connectors/eu", body)[0] == 201
    assert paper.config("two") == {**CONFIG, "name": "two"}
    status, told = ask(room, "post", "/api/v1/connectors/eu", {key: value for key, value in body.items() if key != "copy_of"})
    assert (status, "no stored secret" in told["message"]) == (400, True)


def test_secrets_are_copied_by_those_only_who_may_edit_both(
    editor_of_orders: Client, paper: ConfigPaper, see: Callable[[], None]
) -> None:
    paper.add("lake")
    see()
    config = {**MASKED, "name": "orders-2"}
    sent = {"name": "orders-2", "config": config, "copy_of": {"cluster": "eu", "name": "lake"}}
    assert ask(editor_of_orders, "post", "/api/v1/connectors/eu", sent)[0] == 404
    sent["copy_of"] = {"cluster": "eu", "name": "orders"}
    assert ask(editor_of_orders, "post", "/api/v1/connectors/eu", sent)[0] == 201
    assert ask(editor_of_orders, "post", "/api/v1/connectors/eu", {"name": "lake-2", "config": {}})[0] == 404


def test_validating(room: Client, paper: ConfigPaper) -> None:
    paper.errors = {"file": "No."}
    status, told = ask(room, "post", "/api/v1/plugins/eu/validate", {"name": "orders", "config": MASKED})
    assert (status, told["good"], told["errors"]) == (200, False, {"file": ["No."]})
    assert paper.body == CONFIG


def test_plugins(room: Client) -> None:
    status, told = ask(room, "get", "/api/v1/plugins?find=orderssink")
    assert (status, told["plugins"]) == (
        200,
        [{"class": SINK, "type": "sink", "clusters": [{"cluster": "eu", "versions": ["1.2"]}], "connectors": 1}],
    )
    told = ask(room, "get", f"/api/v1/plugins/eu/{SINK}")[1]
    assert [(key["name"], key["type"]) for key in told["keys"]] == [("file", "STRING"), ("pin", "PASSWORD")]
    assert ask(room, "get", "/api/v1/plugins/eu/Nope")[0] == 404
