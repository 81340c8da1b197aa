"""Rules and alerts as the page shows them, and `/api/v1/` tells them."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import QuerySet

from dashboard.alerts import messages, rules
from dashboard.alerts.decide import UNREACHABLE
from dashboard.alerts.deliver import told_of
from dashboard.alerts.messages import Told
from dashboard.fleet.sentence import count
from dashboard.models import Alert, AlertDelivery, AlertRule

LATELY = 50


@dataclass(frozen=True, slots=True)
class Delivery:
    """How it went with a message. `trouble`: why it has not been taken; with `next_try_at` null it was given up."""

    told_at: datetime | None
    trouble: str
    attempts: int
    next_try_at: datetime | None

    @property
    def given_up(self) -> bool:
        return self.told_at is None and self.next_try_at is None


@dataclass(frozen=True, slots=True)
class Line:
    """An alert, and how it went with the messages of it. `ending`: it is not so any more, and may yet be again."""

    told: Told
    rule: str
    ending: bool
    began: Delivery | None
    ended: Delivery | None

    def as_json(self) -> dict[str, Any]:
        return {
            **messages.as_json(self.told),
            "rule": self.rule,
            "began_message": _as_json(self.began),
            "ended_message": _as_json(self.ended),
        }


@dataclass(frozen=True, slots=True)
class RuleLine:
    id: int
    name: str
    enabled: bool
    about: str
    channel: str
    receiver: str
    firing: int
    trouble: str


@dataclass(frozen=True, slots=True)
class AlertsPage:
    rules: tuple[RuleLine, ...]
    firing: tuple[Line, ...]
    lately: tuple[Line, ...]

    @property
    def headline(self) -> str:
        return f"{count(len(self.firing), 'alert')} now" if self.firing else "Nothing to tell of now"


def page() -> AlertsPage:
    """In three queries."""
    firing = lines(firing_now())
    counts = Counter(line.rule for line in firing)
    troubles = dict(
        AlertDelivery.objects.filter(done_at=None, gave_up_at=None)
        .exclude(error="")
        .order_by("-made_at")
        .values_list("rule_id", "error")
    )
    every = AlertRule.objects.select_related("cluster")
    told = (
        RuleLine(
            rule.pk,
            rule.name,
            rule.enabled,
            about(rule),
            AlertRule.Channel(rule.channel).label,
            rules.receiver(rule),
            counts[rule.name],
            troubles.get(rule.pk, ""),
        )
        for rule in every
    )
    return AlertsPage(tuple(told), firing, lines(ended_lately()))


def about(rule: AlertRule) -> str:
    """`FAILED or DEGRADED for 1 min, orders-* in eu`"""
    states = [state for state in rule.states if state != UNREACHABLE]
    parts = []
    if states:
        where = f"in {rule.cluster.name}" if rule.cluster else "in every cluster"
        which = "any connector" if rule.pattern == "*" else rule.pattern
        parts.append(f"{which} {where} is {' or '.join(states)}{f', with “{rule.text}”' if rule.text else ''}")
    if UNREACHABLE in rule.states:
        parts.append(f"{f'cluster {rule.cluster.name}' if rule.cluster else 'a cluster'} cannot be reached")
    return f"{'; or '.join(parts)}; {_lasting(rule.lasting_seconds)}"


def _lasting(seconds: int) -> str:
    if not seconds:
        return "told at once"
    minutes, rest = divmod(seconds, 60)
    return f"for {minutes} min" if minutes and not rest else f"for {seconds} s"


def firing_now() -> QuerySet[Alert]:
    return _told().filter(ended_at=None).order_by("-began_at", "cluster", "connector")


def ended_lately(most: int = LATELY) -> QuerySet[Alert]:
    return _told().exclude(ended_at=None).order_by("-ended_at", "cluster", "connector")[:most]


def _told() -> QuerySet[Alert]:
    return Alert.objects.select_related("rule", "began_message", "ended_message").exclude(began_at=None)


def lines(alerts: Iterable[Alert]) -> tuple[Line, ...]:
    return tuple(
        Line(
            told_of(alert),
            alert.rule.name,
            alert.clear_since is not None and alert.ended_at is None,
            _delivery(alert.began_message),
            _delivery(alert.ended_message),
        )
        for alert in alerts
    )


def _delivery(message: AlertDelivery | None) -> Delivery | None:
    if message is None:
        return None
    under_way = message.done_at is None and message.gave_up_at is None
    return Delivery(message.done_at, message.error, message.attempts, message.next_try_at if under_way else None)


def _as_json(delivery: Delivery | None) -> dict[str, Any] | None:
    if delivery is None:
        return None
    return {
        "told_at": delivery.told_at,
        "attempts": delivery.attempts,
        "next_try_at": delivery.next_try_at,
        "gave_up": delivery.given_up,
        "error": delivery.trouble,
    }
