"""What a receiver is sent, as values: one message of one or more alerts, in the receiver's own shape."""

import html
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from dashboard.alerts.decide import GIVEN_UP, UNREACHABLE
from dashboard.fleet.durations import span

_MOST_LINES = 20
_MOST_TEXT = 400
_PAGERDUTY_SUMMARY = 1024


@dataclass(frozen=True, slots=True)
class Told:
    """An alert, as far as it is told."""

    id: str
    cluster: str
    connector: str
    state: str
    cause: str
    since: datetime
    began_at: datetime
    ended_at: datetime | None = None
    why: str = ""

    @property
    def what(self) -> str:
        return f"{self.connector} in {self.cluster}" if self.connector else f"cluster {self.cluster}"

    @property
    def state_in_words(self) -> str:
        return "cannot be reached" if self.state == UNREACHABLE else f"is {self.state}"

    @property
    def line(self) -> str:
        cause = f": {_short(self.cause)}" if self.cause else ""
        if self.ended_at is None:
            return f"{self.what} {self.state_in_words}{cause}"
        why = f" ({self.why[:1].lower()}{self.why[1:]})" if self.why else ""
        return f"{self.what} was {self.state} for {span(self.ended_at - self.since)}{why}"


@dataclass(frozen=True, slots=True)
class Message:
    """`event`: `began`, `ended` or `test`."""

    id: str
    event: str
    rule: str
    alerts: tuple[Told, ...]
    at: datetime

    @property
    def headline(self) -> str:
        over = "Over: " if self.event == "ended" else "Test: " if self.event == "test" else ""
        if len(self.alerts) == 1:
            return f"{over}{self.alerts[0].line}"
        return f"{over}{len(self.alerts)} alerts of “{self.rule}”"

    @property
    def lines(self) -> tuple[str, ...]:
        """Below the headline: one for each, where that is not it already."""
        if len(self.alerts) == 1:
            return (f"Rule: {self.rule}",)
        told = tuple(alert.line for alert in self.alerts[:_MOST_LINES])
        more = len(self.alerts) - _MOST_LINES
        return (*told, f"and {more} more") if more > 0 else told

    @property
    def text(self) -> str:
        return "\n".join((self.headline, *self.lines))


def sample(rule: str, states: Sequence[str], cluster: str, id: str, now: datetime) -> Message:
    """For trying a receiver out. It is never followed by an end."""
    state = states[0] if states else "FAILED"
    connector = "" if state == UNREACHABLE else "example-sink"
    told = Told(id, cluster, connector, state, "this is a test, nothing has happened", now, now)
    return Message(id, "test", rule, (told,), now)


def drover(message: Message) -> dict[str, Any]:
    """Drover's own: docs/control-room.md."""
    return {
        "id": message.id,
        "event": message.event,
        "rule": message.rule,
        "text": message.text,
        "at": _time(message.at),
        "alerts": [as_json(alert) for alert in message.alerts],
    }


def as_json(alert: Told) -> dict[str, Any]:
    return {
        "id": alert.id,
        "cluster": alert.cluster,
        "connector": alert.connector or None,
        "state": alert.state,
        "cause": alert.cause,
        "since": _time(alert.since),
        "began_at": _time(alert.began_at),
        "ended_at": alert.ended_at and _time(alert.ended_at),
        "why": alert.why,
    }


def slack(message: Message) -> dict[str, Any]:
    """An incoming webhook of Slack's, Mattermost's, Rocket.Chat's or Google Chat's."""
    return {"text": html.escape(message.text, quote=False)}


def teams(message: Message) -> dict[str, Any]:
    """A workflow's webhook: an adaptive card."""
    first = {"type": "TextBlock", "text": message.headline, "wrap": True, "weight": "Bolder"}
    rest = [{"type": "TextBlock", "text": line, "wrap": True, "spacing": "Small"} for line in message.lines]
    card = {
        "$schema": "http://adaptivecards.io/schemas/adaptive-card.json",
        "type": "AdaptiveCard",
        "version": "1.4",
        "body": [first, *rest],
    }
    attachment = {"contentType": "application/vnd.microsoft.card.adaptive", "contentUrl": None, "content": card}
    return {"type": "message", "attachments": [attachment]}


def pagerduty(message: Message, key: str) -> dict[str, Any]:
    """Events API v2. An incident is an alert: its id is what ends it."""
    (alert,) = message.alerts
    event: dict[str, Any] = {
        "routing_key": key,
        "event_action": "resolve" if message.event == "ended" else "trigger",
        "dedup_key": alert.id,
        "client": "Drover",
    }
    if message.event == "ended":
        return event
    severity = "critical" if alert.state in ("FAILED", GIVEN_UP, UNREACHABLE) else "warning"
    payload = {
        "summary": message.headline[:_PAGERDUTY_SUMMARY],
        "source": f"{alert.cluster}/{alert.connector}".rstrip("/"),
        "severity": "info" if message.event == "test" else severity,
        "timestamp": _time(alert.since),
        "component": alert.connector or alert.cluster,
        "group": alert.cluster,
        "class": alert.state,
        "custom_details": as_json(alert),
    }
    return {**event, "payload": payload}


def _short(text: str) -> str:
    return text if len(text) <= _MOST_TEXT else text[: _MOST_TEXT - 1] + "…"


def _time(moment: datetime) -> str:
    return moment.isoformat(timespec="milliseconds")
