"""The list of all connectors of all clusters."""

from datetime import UTC, datetime

from django.http import HttpResponse
from django.views.decorators.http import require_safe

from dashboard import fleet_queries, rights
from dashboard.fleet.query import parse
from dashboard.http import RoomRequest
from dashboard.views.answers import page


@require_safe
def fleet(request: RoomRequest) -> HttpResponse:
    now = datetime.now(UTC)
    return page(request, "fleet.html", {"page": fleet_queries.page(parse(request.GET), rights.of(request), now), "now": now})


@require_safe
def nothing_here(request: RoomRequest) -> HttpResponse:
    return page(request, "nothing_here.html", {}, status=404)
