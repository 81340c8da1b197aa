"""Who did what, when and where."""

from collections.abc import Callable, Iterable, Iterator
from datetime import UTC, datetime
from typing import Any

from django.http import Http404, HttpResponse, HttpResponseBase, StreamingHttpResponse
from django.views.decorators.http import require_safe

from dashboard import rights
from dashboard.activities import files, queries
from dashboard.activities.queries import Reader
from dashboard.activities.query import OUTCOMES, parse
from dashboard.http import RoomRequest
from dashboard.views.answers import page

FILES: dict[str, tuple[str, Callable[[Iterable[dict[str, Any]]], Iterator[bytes]]]] = {
    "csv": ("text/csv; charset=utf-8", files.as_csv),
    "json": ("application/json", files.as_json),
}


@require_safe
def activity(request: RoomRequest) -> HttpResponse:
    found = queries.activity(parse(request.GET), reader(request))
    return page(request, "activity.html", {"page": found, "outcomes": OUTCOMES, "section": "activity", "now": datetime.now(UTC)})


@require_safe
def download(request: RoomRequest, kind: str) -> HttpResponseBase:
    """All that a filter finds, not only a page of it."""
    if kind not in FILES:
        raise Http404
    media_type, write = FILES[kind]
    rows = queries.all_told(parse(request.GET), reader(request))
    name = f"activity-{datetime.now(UTC):%Y%m%d-%H%M%S}.{kind}"
    headers = {"Content-Disposition": f'attachment; filename="{name}"'}
    return StreamingHttpResponse(write(rows), content_type=media_type, headers=headers)


def reader(request: RoomRequest) -> Reader:
    return Reader(request.user.get_username(), rights.of(request))
