"""A rule as it is typed in or sent: one description for the form, for `/api/v1/` and for its documentation."""

from email.errors import HeaderParseError
from email.headerregistry import Address
from typing import Any
from urllib.parse import urlsplit

from django.conf import settings
from rest_framework import serializers

from dashboard.alerts.decide import STATES
from dashboard.alerts.send import addresses
from dashboard.models import AlertRule, Cluster

Channel = AlertRule.Channel
PAGERDUTY = "https://events.pagerduty.com/v2/enqueue"
_LONGEST = 7 * 24 * 3600


class RuleFields(serializers.Serializer[AlertRule]):
    """`instance`: the rule that is changed; its `address` and `key` are kept where they are left out or empty, unless the kind of
    receiver is another one."""

    name = serializers.CharField(max_length=100)
    enabled = serializers.BooleanField(default=True)
    cluster = serializers.SlugRelatedField(
        slug_field="name", queryset=Cluster.objects.all(), allow_null=True, default=None, help_text="null: each"
    )
    connectors = serializers.CharField(source="pattern", max_length=300, default="*", help_text="`*` and `?` as in a shell")
    states = serializers.MultipleChoiceField(choices=STATES, allow_empty=False)
    lasting_seconds = serializers.IntegerField(min_value=0, max_value=_LONGEST, default=60)
    text = serializers.CharField(
        max_length=300, allow_blank=True, default="", help_text="part of what it failed with; empty: whatever that is"
    )
    channel = serializers.ChoiceField(choices=Channel.choices)
    address = serializers.CharField(
        max_length=2000, allow_blank=True, default="", help_text="a URL, or e-mail addresses with commas; never told again"
    )
    key = serializers.CharField(
        max_length=200, allow_blank=True, default="", help_text="PagerDuty's, for routing; never told again"
    )

    def validate_name(self, name: str) -> str:
        others = AlertRule.objects.filter(name=name)
        if self.instance is not None:
            others = others.exclude(pk=self._rule.pk)
        if others.exists():
            raise serializers.ValidationError("There is a rule of this name already.")
        return name

    def validate_states(self, states: set[str]) -> list[str]:
        return [str(state) for state in STATES if state in states]

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        channel, address, key = attrs["channel"], attrs.pop("address").strip(), attrs.pop("key").strip()
        kept = self.instance is not None and self._rule.channel == channel
        wrong = {}
        if channel == Channel.EMAIL and not settings.EMAIL_HOST:
            wrong["channel"] = "No mail server is set: DROVER_SMTP_URL."
        if channel == Channel.PAGERDUTY:
            address = address or ("" if kept else PAGERDUTY)
            if not key and not kept:
                wrong["key"] = "PagerDuty asks for the routing key of an integration of its service."
        elif key:
            wrong["key"] = "Only PagerDuty has one."
        if address or not kept:
            trouble = _mails(address) if channel == Channel.EMAIL else _url(address)
            if trouble:
                wrong["address"] = trouble
        if wrong:
            raise serializers.ValidationError(wrong)
        # Not yet sealed; absent: as it was.
        return {**attrs, **({"address": address} if address else {}), **({"key": key} if key or not kept else {})}

    @property
    def _rule(self) -> AlertRule:
        assert isinstance(self.instance, AlertRule)
        return self.instance


def _url(text: str) -> str:
    """What is wrong with it."""
    try:
        parts = urlsplit(text)
        usable = parts.scheme in ("http", "https") and parts.hostname and (parts.port or 1)
    except ValueError:
        usable = False
    return "" if usable and not any(sign.isspace() for sign in text) else "This must be a URL, http:// or https://."


def _mails(text: str) -> str:
    """What is wrong with them."""
    found = addresses(text)
    try:
        wrong = [one for one in found if not (address := Address(addr_spec=one)).username or not address.domain]
    except (ValueError, IndexError, HeaderParseError):
        wrong = found
    return "" if found and not wrong else "This must be e-mail addresses, with commas between them."
