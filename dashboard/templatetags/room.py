"""What the templates need besides values: time in words, and why a button is disabled."""

from datetime import datetime
from typing import Any

from django import template
from django.utils.html import format_html
from django.utils.safestring import SafeString

from dashboard.fleet import durations
from dashboard.rights.roles import Role

register = template.Library()


@register.simple_tag
def ago(moment: datetime, now: datetime) -> SafeString:
    """`<time>3 min ago</time>`, exact on hover, kept up to date by the browser."""
    return _time(moment, "ago", durations.ago(moment, now))


@register.simple_tag
def lasting(since: datetime, now: datetime) -> SafeString:
    """The same for how long: `<time>3 min</time>`."""
    return _time(since, "lasting", durations.span(now - since))


@register.simple_tag
def until(moment: datetime, now: datetime) -> SafeString:
    """And to come: `<time>in 3 min</time>`."""
    return _time(moment, "until", f"in {durations.span(moment - now)}")


@register.simple_tag(takes_context=True)
def refusal(context: dict[str, Any], role: str, cluster: str, connector: str, reachable: bool = True) -> str:
    """Why a button is disabled: `{% refusal "operator" cluster name reachable as why %}`. Empty where it is not."""
    if not context["rights"].may(Role[role.upper()], cluster, connector):
        return f"You need the role {role} for this"
    return "" if reachable else f"Cluster {cluster} cannot be reached"


@register.filter
def elapsed(since: datetime, now: datetime) -> str:
    return durations.span(now - since)


@register.filter
def milliseconds(moment: datetime) -> int:
    """As `Date.now()` counts, for the browser."""
    return int(moment.timestamp() * 1000)


def _time(moment: datetime, kind: str, words: str) -> SafeString:
    exact = moment.strftime("%Y-%m-%d %H:%M:%S UTC")
    return format_html('<time datetime="{}" title="{}" data-{}>{}</time>', moment.isoformat(), exact, kind, words)
