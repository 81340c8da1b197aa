"""What is done to rules. Each function notes the activity; the address of a receiver has no part in it."""

from datetime import UTC, datetime
from typing import Any
from urllib.parse import urlsplit
from uuid import uuid4

from dashboard.activity import Who, note
from dashboard.alerts import messages
from dashboard.alerts.send import Answer, send
from dashboard.live.messages import ALERTS_CHANGED
from dashboard.live.publisher import publisher
from dashboard.models import AlertRule
from dashboard.sealed import CannotUnseal, seal, unseal

_FIELDS = ("name", "enabled", "cluster", "pattern", "states", "lasting_seconds", "text", "channel", "address", "key")


def create(who: Who, fields: dict[str, Any]) -> AlertRule:
    """`fields`: of `dashboard.alerts.fields`, once they are valid."""
    rule = AlertRule.objects.create(**_sealed(fields))
    _noted(who, "create-alert-rule", rule, after=told(rule))
    return rule


def update(who: Who, rule: AlertRule, fields: dict[str, Any]) -> AlertRule:
    before = told(rule)
    for name, value in _sealed(fields).items():
        setattr(rule, name, value)
    # The claim of whoever is sending its messages is not touched.
    rule.save(update_fields=_FIELDS)
    _noted(who, "change-alert-rule", rule, before=before, after=told(rule))
    return rule


def switch(who: Who, rule: AlertRule, *, enabled: bool) -> None:
    before = told(rule)
    rule.enabled = enabled
    rule.save(update_fields=("enabled",))
    _noted(who, "change-alert-rule", rule, before=before, after=told(rule))


def delete(who: Who, rule: AlertRule) -> None:
    """And its alerts, without a word to the receiver."""
    before = told(rule)
    rule.delete()
    _noted(who, "delete-alert-rule", rule, before=before)


def test(who: Who, rule: AlertRule) -> Answer:
    """Sends an example at once, and waits for what the receiver says."""
    now = datetime.now(UTC)
    cluster = rule.cluster.name if rule.cluster else "example"
    answer = send(rule, messages.sample(rule.name, rule.states, cluster, str(uuid4()), now))
    note(who, "test-alert-rule", after={"rule": rule.name}, refused="" if answer.taken else answer.text)
    return answer


def told(rule: AlertRule) -> dict[str, Any]:
    """As `/api/v1/` tells it; of the receiver no more than where it is."""
    return {
        "id": rule.pk,
        "name": rule.name,
        "enabled": rule.enabled,
        "cluster": rule.cluster.name if rule.cluster else None,
        "connectors": rule.pattern,
        "states": rule.states,
        "lasting_seconds": rule.lasting_seconds,
        "text": rule.text,
        "channel": str(rule.channel),
        "receiver": receiver(rule),
    }


def receiver(rule: AlertRule) -> str:
    """Who it is, without what may be secret of it: a URL's host, or the e-mail addresses."""
    try:
        address = unseal(rule.address)
    except CannotUnseal:
        return "cannot be unsealed"
    return address if rule.channel == AlertRule.Channel.EMAIL else (urlsplit(address).hostname or "")


def _sealed(fields: dict[str, Any]) -> dict[str, Any]:
    return {name: seal(value) if name in ("address", "key") else value for name, value in fields.items()}


def _noted(who: Who, verb: str, rule: AlertRule, **what: Any) -> None:
    note(who, verb, cluster=rule.cluster.name if rule.cluster else "", **what)
    publisher().publish(ALERTS_CHANGED)
