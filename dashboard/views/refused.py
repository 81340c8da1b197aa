"""What is answered where a view refuses: in the control room's own frame, or beside what is on the screen."""

from collections.abc import Callable
from functools import wraps
from typing import Any

from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpResponse, HttpResponseBase
from django.shortcuts import render

from dashboard.fleet.notices import Notice
from dashboard.http import RoomRequest
from dashboard.views.answers import page

View = Callable[..., HttpResponseBase]


def refusals(view: View) -> View:
    """PermissionDenied is answered 403 and Http404 404, as pages; what a button of an open page was refused is a notice on it."""

    @wraps(view)
    def refusing(request: RoomRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        try:
            return view(request, *args, **kwargs)
        except PermissionDenied as denied:
            reason = str(denied) or "You may not do this"
            return _answer(request, "no_right.html", Notice(f"{reason}.", ("Nothing was changed.",), bad=True), 403)
        except Http404:
            gone = Notice("There is nothing at this address any more.", ("Nothing was changed.",), bad=True)
            return _answer(request, "nothing_here.html", gone, 404)

    return refusing


def _answer(request: RoomRequest, template: str, told: Notice, status: int) -> HttpResponse:
    if request.htmx and request.method == "POST":
        response = render(request, "dashboard/notice.html", {"notice": told}, status=status)
        response.headers["HX-Retarget"], response.headers["HX-Reswap"] = "#notices", "innerHTML"
        return response
    return page(request, template, {"told": told}, status=status)
