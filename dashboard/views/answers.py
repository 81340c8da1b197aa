"""A whole page, or a fragment of it, from the same template."""

from typing import Any

from django.http import HttpResponse
from django.shortcuts import render

from dashboard.fleet.notices import Notice
from dashboard.http import RoomRequest


def page(
    request: RoomRequest, template: str, context: dict[str, Any], notice: Notice | None = None, status: int = 200
) -> HttpResponse:
    layout = "dashboard/fragment.html" if request.htmx else "dashboard/layout.html"
    return render(request, f"dashboard/{template}", {**context, "layout": layout, "notice": notice}, status=status)
