"""`GET /ui/live`: the event stream of an open page."""

from functools import cache

from django.conf import settings
from django.db import connections
from django.http import HttpResponse, HttpResponseBase, StreamingHttpResponse
from django.views.decorators.http import require_safe

from dashboard import rights
from dashboard.http import RoomRequest
from dashboard.live.hub import Hub
from dashboard.live.stream import Stream

# Of this process's 64 threads: pages and the REST API need some, too. Whoever finds no place falls back to fetching.
MOST_STREAMS = 40
_TRY_AGAIN_AFTER = "30"


@cache
def hub() -> Hub:
    """This process's own; made on first use, hence after the server has forked."""
    return Hub(settings.REDIS_URL, MOST_STREAMS)


@require_safe
def live(request: RoomRequest) -> HttpResponseBase:
    subscription = hub().join(rights.of(request))
    if subscription is None:
        return HttpResponse(
            "Too many live pages.\n", status=503, content_type="text/plain", headers={"Retry-After": _TRY_AGAIN_AFTER}
        )
    # The stream needs no database, and lives for half an hour.
    connections.close_all()
    headers = {"Cache-Control": "no-cache", "X-Accel-Buffering": "no"}
    return StreamingHttpResponse(Stream(hub(), subscription), content_type="text/event-stream", headers=headers)
