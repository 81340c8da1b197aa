"""Who is in each cluster's worker group, and what runs where."""

from datetime import UTC, datetime

from django.http import HttpResponse
from django.views.decorators.http import require_safe

from dashboard import queries, rights
from dashboard.http import RoomRequest
from dashboard.placement.shown import parse
from dashboard.views.answers import page


@require_safe
def workers(request: RoomRequest) -> HttpResponse:
    now = datetime.now(UTC)
    shown = parse(request.GET.get("shown", ""))
    return page(
        request, "workers.html", {"page": queries.workers(shown, now, rights.of(request)), "now": now, "section": "workers"}
    )
