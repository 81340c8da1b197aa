"""A whole page, or a fragment of it, from the same template."""

from typing import Any

from django.http import HttpResponse
from django.shortcuts import render

from dashboard import rights
from dashboard.fleet.notices import Notice
from dashboard.http import RoomRequest
from dashboard.rights import Role


def page(
    request: RoomRequest, template: str, context: dict[str, Any], notice: Notice | None = None, status: int = 200
) -> HttpResponse:
    """What the reader may do is in every page, for the buttons of it: `rights`, and `admin` for what is for administrators."""
    layout = "dashboard/fragment.html" if request.htmx else "dashboard/layout.html"
    has = rights.of(request)
    may = {"rights": has, "admin": has.everywhere(Role.ADMIN), "creator": has.anywhere(Role.EDITOR)}
    whole = {**context, **may, "layout": layout, "notice": notice}
    return render(request, f"dashboard/{template}", whole, status=status)
