"""What the control room needs around its views, and only there: the REST API beside it carries no session and pays for none."""

from collections.abc import Callable
from functools import cache
from typing import Any, cast

from django.contrib.auth.middleware import AuthenticationMiddleware
from django.contrib.auth.views import redirect_to_login
from django.contrib.sessions.middleware import SessionMiddleware
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.middleware.csrf import CsrfViewMiddleware
from django.utils.decorators import decorator_from_middleware
from django_htmx.middleware import HtmxDetails

from dashboard.http import RoomRequest
from dashboard.views.refused import refusals

View = Callable[..., HttpResponseBase]

ROOM = "/ui/"
API = "/api/v1/"
# Scripts and styles are files of this server, nothing is inline, and no page of another site may frame this one.
_HEADERS = {
    "Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
    "connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
    "Cache-Control": "no-store",
}


class ControlRoomMiddleware:
    """Wraps every view under `/ui/`, so that none can forget to: sessions, CSRF, signed-in users only, refusals as pages,
    security headers. Those of the control room's API find out themselves who calls (`dashboard.api.base`), and get what that
    takes.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        return self.get_response(request)

    def process_view(self, request: HttpRequest, view: View, args: Any, kwargs: Any) -> HttpResponseBase | None:
        if request.path_info.startswith(ROOM):
            return guarded(view)(request, *args, **kwargs)
        if request.path_info.startswith(API) and getattr(view, "cls", view).__module__.startswith("dashboard."):
            return guarded_api(view)(request, *args, **kwargs)
        return None


@cache
def guarded(view: View) -> View:
    return _within((_headers, _session, _user, _csrf, _htmx, _signed_in, refusals), view)


@cache
def guarded_api(view: View) -> View:
    return _within((_headers, _session, _user), view)


def _within(guards: tuple[Callable[[View], View], ...], view: View) -> View:
    for guard in reversed(guards):
        view = guard(view)
    return view


_session = decorator_from_middleware(SessionMiddleware)
_user = decorator_from_middleware(AuthenticationMiddleware)
_csrf = decorator_from_middleware(CsrfViewMiddleware)


def _headers(view: View) -> View:
    def with_headers(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        response = view(request, *args, **kwargs)
        for name, value in _HEADERS.items():
            response.headers.setdefault(name, value)
        return response

    return with_headers


def _htmx(view: View) -> View:
    def with_htmx(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        cast(RoomRequest, request).htmx = HtmxDetails(request)
        return view(request, *args, **kwargs)

    return with_htmx


def _signed_in(view: View) -> View:
    """As Django's LoginRequiredMiddleware, `login_not_required` included, but for requests that are not for a whole page."""

    def signed_in_only(request: RoomRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        if request.user.is_authenticated or not getattr(view, "login_required", True):
            return view(request, *args, **kwargs)
        return _ask_to_sign_in(request)

    return signed_in_only


def _ask_to_sign_in(request: RoomRequest) -> HttpResponse:
    if request.htmx:
        login = redirect_to_login(request.htmx.current_url_abs_path or ROOM)
        return HttpResponse(status=401, headers={"HX-Redirect": login.url})
    if request.accepts("text/html"):
        return redirect_to_login(request.get_full_path())
    return HttpResponse("Sign in first.\n", status=401, content_type="text/plain")
