"""Rows, offers, filters, secrets, contact with a cluster: the rest of what the pages are made of."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from connect_client import Connector, PartitionOffset, calls
from connect_client.secrets import HIDDEN, without_secrets
from connect_client.shapes import Json
from connect_client.states import State
from dashboard.fleet.clusters import ClusterView, Contact, contact
from dashboard.fleet.connector_page import Tab, connector_page, curl
from dashboard.fleet.overlay import Seen, restart_pending
from dashboard.fleet.rows import row, short_class
from dashboard.fleet.verbs import CALLS, Verb, offers, requests

NOW = datetime(2026, 11, 21, 12, tzinfo=UTC)
LIVE = ClusterView("eu", "http://eu:8083/", "4.3.0", Contact.LIVE, NOW, None, "")


def seconds_ago(seconds: float) -> datetime:
    return NOW - timedelta(seconds=seconds)


def connector(state: str, *tasks: str, trace: str = "Outer: o\nCaused by: Inner: i") -> Connector:
    def instance(word: str) -> dict[str, str]:
        return {"state": word, "worker_id": "w:1"} | ({"trace": trace} if word == "FAILED" else {})

    status: Json = {
        "name": "a",
        "connector": instance(state),
        "tasks": [{"id": number, **instance(word)} for number, word in enumerate(tasks)],
        "type": "sink",
    }
    return Connector.from_json(
        "a", {"info": {"name": "a", "config": {"connector.class": "x.y.FancySinkConnector"}}, "status": status}
    )


@pytest.mark.parametrize(
    ("told", "verbs"),
    [
        (connector("RUNNING", "RUNNING"), [Verb.RESTART, Verb.PAUSE, Verb.STOP]),
        (connector("RUNNING", "FAILED"), [Verb.RESTART_FAILED, Verb.RESTART, Verb.PAUSE, Verb.STOP]),
        (connector("FAILED"), [Verb.RESTART_FAILED, Verb.RESTART, Verb.STOP]),
        (connector("PAUSED", "PAUSED"), [Verb.RESTART, Verb.RESUME, Verb.STOP]),
        (connector("STOPPED"), [Verb.RESUME]),
        (Connector("new", None, None), []),
    ],
)
def test_offers_fit_the_state(told: Connector, verbs: list[Verb]) -> None:
    assert [offer.verb for offer in offers(told.status, "a")] == verbs


def test_every_verb_has_a_call() -> None:
    assert set(CALLS) == set(Verb)


@pytest.mark.parametrize(
    ("told", "cause", "cells", "segments", "labels"),
    [
        (connector("RUNNING", "RUNNING"), "", 1, 0, ["Restart", "Pause"]),
        (connector("RUNNING", "FAILED"), "Inner: i", 1, 0, ["Restart 1 failed", "Pause"]),
        (connector("RUNNING", "RUNNING", "FAILED"), "task 1: Inner: i", 2, 0, ["Restart 1 failed", "Pause"]),
        (connector("FAILED"), "Inner: i", 0, 0, ["Restart 1 failed"]),
        (connector("RUNNING", "FAILED", trace=""), "", 1, 0, ["Restart 1 failed", "Pause"]),
        (connector("RUNNING", *["RUNNING"] * 30, "FAILED"), "task 30: Inner: i", 0, 2, ["Restart 1 failed", "Pause"]),
    ],
)
def test_row(told: Connector, cause: str, cells: int, segments: int, labels: list[str]) -> None:
    line = row(7, LIVE, told, State.RUNNING, None)
    assert (line.cause, len(line.cells), len(line.segments)) == (cause, cells, segments)
    assert [offer.label for offer in line.offers] == labels
    assert (line.key, line.type, line.short_class) == ("eu/a", "sink", "FancySink")


def test_segments_fill_the_bar() -> None:
    line = row(7, LIVE, connector("RUNNING", *["RUNNING"] * 20, *["FAILED"] * 10), State.DEGRADED, None)
    assert [(part.state, part.count, part.start, part.width) for part in line.segments] == [
        (State.FAILED, 10, 0.0, 80.0),
        (State.RUNNING, 20, 80.0, 160.0),
    ]


@pytest.mark.parametrize(
    ("name", "short"), [("FileStreamSink", "FileStreamSink"), ("a.b.CConnector", "C"), ("Connector", "Connector"), ("", "")]
)
def test_short_class(name: str, short: str) -> None:
    assert short_class(name) == short


@pytest.mark.parametrize(
    ("changed", "asked", "answered", "read", "pending"),
    [
        (seconds_ago(60), None, None, NOW, False),
        (seconds_ago(60), seconds_ago(1), seconds_ago(1), NOW, True),
        (seconds_ago(60), seconds_ago(5.9), seconds_ago(5.9), NOW, True),
        (seconds_ago(60), seconds_ago(6), seconds_ago(6), NOW, False),
        # Its cluster is slow to answer, or has never answered: until it is too long.
        (seconds_ago(60), seconds_ago(8), seconds_ago(8), seconds_ago(2.1), True),
        (seconds_ago(60), seconds_ago(8), seconds_ago(8), seconds_ago(2), False),
        (seconds_ago(60), seconds_ago(29.9), seconds_ago(29.9), None, True),
        (seconds_ago(60), seconds_ago(30), seconds_ago(30), seconds_ago(29), False),
        # The cluster was slow to take it on.
        (seconds_ago(60), seconds_ago(20), seconds_ago(5.9), NOW, True),
        (seconds_ago(60), seconds_ago(20), seconds_ago(6), NOW, False),
        (seconds_ago(60), seconds_ago(50), seconds_ago(29.9), None, True),
        # Something was seen since: that is newer than any answer.
        (seconds_ago(0.5), seconds_ago(1), seconds_ago(1), NOW, False),
        (seconds_ago(0.5), seconds_ago(1), seconds_ago(0.1), NOW, False),
    ],
)
def test_answer_to_a_restart_is_shown_until_something_newer_is_seen(
    changed: datetime, asked: datetime | None, answered: datetime | None, read: datetime | None, pending: bool
) -> None:
    assert restart_pending(Seen(changed, asked, answered, read), NOW) is pending


@pytest.mark.parametrize(
    ("fetched", "checked", "dead_since", "kind"),
    [
        (None, None, None, Contact.AWAITED),
        (None, NOW, None, Contact.AWAITED),
        (NOW, NOW, None, Contact.LIVE),
        (seconds_ago(30), seconds_ago(30), None, Contact.LIVE),
        (seconds_ago(90), seconds_ago(90), None, Contact.UNFOLLOWED),
        (seconds_ago(90), NOW, seconds_ago(80), Contact.UNREACHABLE),
        (None, NOW, seconds_ago(80), Contact.UNREACHABLE),
        (seconds_ago(900), seconds_ago(300), seconds_ago(800), Contact.UNFOLLOWED),
    ],
)
def test_contact(fetched: datetime | None, checked: datetime | None, dead_since: datetime | None, kind: Contact) -> None:
    assert contact(fetched, checked, dead_since, NOW) is kind


@pytest.mark.parametrize(
    ("key", "value", "shown"),
    [
        ("database.password", "geheim", HIDDEN),
        ("sasl.jaas.config", "org…PlainLoginModule", HIDDEN),
        ("aws.secret.access.key", "x", HIDDEN),
        ("api_key", "x", HIDDEN),
        ("database.password", "${file:/run/secrets:db}", "${file:/run/secrets:db}"),
        ("database.password", "a${file:x:y}", HIDDEN),
        ("database.password", "", ""),
        ("database.password", None, None),
        ("key.converter", "String", "String"),
        ("topics", "tokens", "tokens"),
    ],
)
def test_secrets(key: str, value: str | None, shown: str | None) -> None:
    assert without_secrets({key: value}) == {key: shown}


def test_connector_page_shows_a_trace_only_with_its_failure() -> None:
    told = connector("RUNNING", "RUNNING", "FAILED")
    page = connector_page(7, LIVE, told, State.DEGRADED, None, tab=Tab.TASKS)
    assert [task.cause for task in page.tasks] == ["", "Inner: i"]
    assert page.first_failed == 1
    assert page.curls[0].command == "curl -X POST 'http://eu:8083/connectors/a/restart?includeTasks=true&onlyFailed=true'"


def test_curl_survives_a_shell() -> None:
    assert curl("http://eu:8083", CALLS[Verb.PAUSE]("it's; rm")) == "curl -X PUT http://eu:8083/connectors/it%27s%3B%20rm/pause"


def test_curl_by_a_socket() -> None:
    pause = "curl -X PUT --unix-socket '/a b.sock' http://localhost/connectors/a/pause"
    assert curl("unix:/a b.sock", CALLS[Verb.PAUSE]("a")) == pause


def test_curl_sends_what_the_button_sends() -> None:
    command = curl("http://eu:8083", calls.alter_offsets("a", [PartitionOffset({"file": "it's"}, None)]))
    body = """'{"offsets":[{"partition":{"file":"it'"'"'s"},"offset":null}]}'"""
    assert command == f"curl -X PATCH http://eu:8083/connectors/a/offsets -H 'Content-Type: application/json' -d {body}"


@pytest.mark.parametrize(
    ("version", "verbs"),
    [
        ("2.8.1", [Verb.RESTART_FAILED, Verb.RESTART, Verb.PAUSE]),
        ("3.4.0", [Verb.RESTART_FAILED, Verb.RESTART, Verb.PAUSE]),
        ("3.5.0", [Verb.RESTART_FAILED, Verb.RESTART, Verb.PAUSE, Verb.STOP]),
        ("0.1.0", [Verb.RESTART_FAILED, Verb.RESTART, Verb.PAUSE, Verb.STOP]),
        ("", [Verb.RESTART_FAILED, Verb.RESTART, Verb.PAUSE, Verb.STOP]),
    ],
)
def test_offers_fit_the_version(version: str, verbs: list[Verb]) -> None:
    assert [offer.verb for offer in offers(connector("RUNNING", "FAILED").status, "a", version)] == verbs


@pytest.mark.parametrize(
    ("version", "verb", "targets"),
    [
        ("3.0.0", Verb.RESTART_FAILED, ["/connectors/a/restart?includeTasks=true&onlyFailed=true"]),
        ("2.8.1", Verb.RESTART_FAILED, ["/connectors/a/tasks/1/restart"]),
        ("2.8.1", Verb.RESTART, ["/connectors/a/restart", "/connectors/a/tasks/0/restart", "/connectors/a/tasks/1/restart"]),
        ("2.8.1", Verb.PAUSE, ["/connectors/a/pause"]),
    ],
)
def test_requests_fit_the_version(version: str, verb: Verb, targets: list[str]) -> None:
    status = connector("RUNNING", "RUNNING", "FAILED").status
    assert status is not None
    assert [call.target for call in requests(verb, status, "a", version)] == targets
    old = replace(LIVE, version=version)
    page = connector_page(1, old, connector("RUNNING", "RUNNING", "FAILED"), State.DEGRADED, None, tab=Tab.TASKS)
    shown = next(shown.command for shown, offer in zip(page.curls, page.offers, strict=True) if offer.verb is verb)
    assert shown.count("curl -X") == len(targets)
