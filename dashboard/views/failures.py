"""What has failed over the whole fleet, by its reasons."""

from datetime import UTC, datetime

from django.http import HttpResponse
from django.views.decorators.http import require_safe

from dashboard import rights
from dashboard.failures import queries
from dashboard.http import RoomRequest
from dashboard.views.answers import page


@require_safe
def failures(request: RoomRequest) -> HttpResponse:
    now = datetime.now(UTC)
    found = queries.page(queries.parse(request.GET), rights.of(request), now)
    return page(request, "failures.html", {"page": found, "now": now, "section": "failures"})
