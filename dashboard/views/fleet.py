"""The list of all connectors of all clusters."""

from datetime import UTC, datetime

from django.http import HttpResponse
from django.shortcuts import redirect
from django.views.decorators.http import require_POST, require_safe

from dashboard import actions, queries
from dashboard.fleet.notices import Notice, restarted
from dashboard.fleet.query import parse
from dashboard.http import RoomRequest
from dashboard.views.answers import page


@require_safe
def fleet(request: RoomRequest) -> HttpResponse:
    return _fleet(request)


@require_POST
def restart_failed(request: RoomRequest) -> HttpResponse:
    """Everything that has failed, in all clusters that can be reached."""
    outcome = actions.restart_failed(queries.failed(datetime.now(UTC)))
    notice = restarted(outcome.asked, [(refusal.name, refusal.reason) for refusal in outcome.refused])
    if notice.bad or request.htmx:
        return _fleet(request, notice)
    return redirect("fleet")


@require_safe
def nothing_here(request: RoomRequest) -> HttpResponse:
    return page(request, "nothing_here.html", {}, status=404)


def _fleet(request: RoomRequest, notice: Notice | None = None) -> HttpResponse:
    # A button of the page sends along what the page shows; its answer is that page again.
    query = parse(request.POST if request.method == "POST" else request.GET)
    now = datetime.now(UTC)
    return page(request, "fleet.html", {"page": queries.fleet(query, now), "now": now}, notice)
