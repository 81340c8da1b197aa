"""The form of a rule as values, ready for its template."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from django.conf import settings
from django.http import QueryDict

from dashboard.alerts import rules
from dashboard.alerts.decide import STATES, UNREACHABLE
from dashboard.models import AlertRule, Cluster

#: What a new one begins with.
NEW: Mapping[str, Any] = {
    "enabled": True,
    "connectors": "*",
    "states": ["FAILED", "DEGRADED", UNREACHABLE],
    "lasting_seconds": 60,
    "channel": "webhook",
}
_WORDS = {
    "webhook": "a webhook, in Drover's own JSON",
    "slack": "Slack, or what understands its webhooks: Mattermost, Rocket.Chat, Google Chat",
    "teams": "Microsoft Teams, a workflow's webhook",
    "pagerduty": "PagerDuty, Events API v2",
    "email": "e-mail",
}


@dataclass(frozen=True, slots=True)
class Choice:
    value: str
    word: str
    on: bool
    why_not: str = ""


@dataclass(frozen=True, slots=True)
class RuleForm:
    """`rule` None: a new one. `errors`: a sentence for each field."""

    rule: AlertRule | None
    values: Mapping[str, Any]
    errors: Mapping[str, str] = field(default_factory=dict)

    @property
    def title(self) -> str:
        return self.rule.name if self.rule else "Add a rule"

    @property
    def states(self) -> tuple[Choice, ...]:
        return tuple(Choice(state, state, state in self.values.get("states", ())) for state in STATES if state != UNREACHABLE)

    @property
    def unreachable(self) -> Choice:
        return Choice(UNREACHABLE, "a cluster cannot be reached", UNREACHABLE in self.values.get("states", ()))

    @property
    def clusters(self) -> tuple[str, ...]:
        return tuple(Cluster.objects.values_list("name", flat=True))

    @property
    def channels(self) -> tuple[Choice, ...]:
        no_mail = "" if settings.EMAIL_HOST else "no mail server is set: DROVER_SMTP_URL"
        return tuple(
            Choice(value, word, value == self.values.get("channel"), no_mail if value == "email" else "")
            for value, word in _WORDS.items()
        )

    @property
    def receiver(self) -> str:
        """Who it is now: what an empty address keeps."""
        return rules.receiver(self.rule) if self.rule else ""

    @property
    def address(self) -> str:
        """Of what was typed: only e-mail addresses are shown again."""
        return str(self.values.get("address", "")) if self.values.get("channel") == "email" else ""


def kept(rule: AlertRule) -> dict[str, Any]:
    return rules.told(rule)


def typed(sent: QueryDict) -> dict[str, Any]:
    """As `dashboard.alerts.fields` takes it."""
    names = ("name", "connectors", "lasting_seconds", "text", "channel", "address", "key")
    values: dict[str, Any] = {name: sent[name] for name in names if name in sent}
    return values | {
        "cluster": sent.get("cluster") or None,
        "states": sent.getlist("states"),
        "enabled": "enabled" in sent,
    }
