"""The number beside Failures in the rail."""

from datetime import UTC, datetime

from django import template
from django.template import Context
from django.utils.html import format_html
from django.utils.safestring import SafeString

from dashboard import rights
from dashboard.failures.queries import failed_now

register = template.Library()


@register.simple_tag(takes_context=True)
def failed_badge(context: Context) -> SafeString | str:
    """Nothing if nothing has failed that its reader may see."""
    failed = failed_now(rights.of(context["request"]), datetime.now(UTC))
    return format_html('{}<span class="unseen"> failed</span>', f"{failed:,}") if failed else ""
