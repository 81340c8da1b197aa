"""Signing in and out, and the two ways to a first password: the administrator's own, and an invitation."""

from datetime import UTC, datetime, timedelta

from django.contrib.auth import authenticate
from django.contrib.auth import login as begin_session
from django.contrib.auth import logout as end_session
from django.contrib.auth.decorators import login_not_required
from django.contrib.auth.models import User
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils.http import url_has_allowed_host_and_scheme
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods, require_POST

from dashboard.activity import Who, note
from dashboard.fleet.durations import span
from dashboard.http import RoomRequest, who
from dashboard.people import first_run, signing_in, users
from dashboard.people.users import Refused

_FORM = require_http_methods(["GET", "HEAD", "POST"])
_UNUSABLE, _NOT_KNOWN, _OVER, _WAIT = 422, 403, 410, 429
_WRONG = "Name and password do not go together. Both mind capitals."


@login_not_required
@_FORM
@sensitive_post_parameters("password")
def login(request: RoomRequest) -> HttpResponse:
    to = request.POST.get("next", request.GET.get("next", ""))
    after = to if url_has_allowed_host_and_scheme(to, {request.get_host()}, request.is_secure()) else ""
    if request.user.is_authenticated:
        return redirect(after or "fleet")
    if first_run.needed():
        return redirect("setup")
    if request.method != "POST":
        return render(request, "dashboard/login.html", {"next": after})
    name, address = request.POST.get("username", ""), address_of(request)
    shown = {"next": after, "name": name}
    if left := signing_in.waiting(name, address, datetime.now(UTC)):
        return _wait(request, shown, left)
    user = authenticate(request, username=name, password=request.POST.get("password", ""))
    if not isinstance(user, User):
        signing_in.failed(name, address)
        return render(request, "dashboard/login.html", {**shown, "wrong": _WRONG})
    _begin(request, user)
    return redirect(after or "fleet")


@require_POST
def logout(request: RoomRequest) -> HttpResponse:
    note(who(request), "sign-out")
    end_session(request)
    return redirect("login")


@login_not_required
@_FORM
@sensitive_post_parameters("password", "again", "code")
def setup(request: RoomRequest) -> HttpResponse:
    """Makes the administrator of a control room that has no user yet."""
    if not first_run.needed():
        return redirect("login")
    sent = request.POST if request.method == "POST" else request.GET
    code = sent.get("code", "")
    if not first_run.fits(code):
        return render(request, "dashboard/setup.html", {"wrong": "This is not the code." if code else ""}, status=_NOT_KNOWN)
    shown = {"code": code, "name": sent.get("username", "admin")}
    if request.method != "POST":
        return render(request, "dashboard/setup.html", shown)
    try:
        user = users.add_first(Who(shown["name"].strip()), shown["name"], _same_twice(request))
    except Refused as refused:
        return render(request, "dashboard/setup.html", {**shown, "wrong": str(refused)}, status=_UNUSABLE)
    first_run.over()
    _begin(request, user)
    return redirect("fleet")


@login_not_required
@_FORM
@sensitive_post_parameters("password", "again")
def welcome(request: RoomRequest, key: str, token: str) -> HttpResponse:
    """Where somebody who was invited, or whose password was reset, chooses one."""
    user = users.invited(key, token)
    if user is None:
        return render(request, "dashboard/welcome.html", status=_OVER)
    shown = {"name": user.get_username()}
    if request.method != "POST":
        return render(request, "dashboard/welcome.html", shown)
    try:
        users.choose_password(Who(user.get_username()), user, _same_twice(request))
    except Refused as refused:
        return render(request, "dashboard/welcome.html", {**shown, "wrong": str(refused)}, status=_UNUSABLE)
    _begin(request, user)
    return redirect("fleet")


def address_of(request: RoomRequest) -> str:
    """Whoever is connected: behind a proxy, the proxy. A header would be anybody's to write."""
    return str(request.META.get("REMOTE_ADDR", ""))


def wait_reason(left: timedelta) -> str:
    return f"Too many wrong passwords. Try again in {span(left + timedelta(seconds=1))}."


def _wait(request: RoomRequest, shown: dict[str, str], left: timedelta) -> HttpResponse:
    response = render(request, "dashboard/login.html", {**shown, "wrong": wait_reason(left)}, status=_WAIT)
    response.headers["Retry-After"] = str(int(left.total_seconds()) + 1)
    return response


def _begin(request: RoomRequest, user: User) -> None:
    begin_session(request, user, backend="django.contrib.auth.backends.ModelBackend")
    signing_in.succeeded(user, address_of(request))


def _same_twice(request: RoomRequest) -> str:
    """Raises Refused."""
    password = request.POST.get("password", "")
    if password != request.POST.get("again", ""):
        raise Refused("The two are not the same")
    return password
