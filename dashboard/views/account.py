"""Settings → Account: who one is signed in as, what one may do, and the password."""

from datetime import UTC, datetime

from django.contrib.auth import update_session_auth_hash
from django.http import HttpResponse
from django.shortcuts import redirect
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_POST, require_safe

from dashboard.fleet.notices import Notice
from dashboard.http import RoomRequest, who
from dashboard.people import signing_in, users
from dashboard.people.users import Refused
from dashboard.views.answers import page
from dashboard.views.session import address_of, wait_reason

_UNUSABLE, _WAIT = 422, 429


@require_safe
def settings(_request: RoomRequest) -> HttpResponse:
    """The page of Settings that everybody has."""
    return redirect("account")


@require_safe
def account(request: RoomRequest) -> HttpResponse:
    return _account(request)


@require_POST
@sensitive_post_parameters("current", "password", "again")
def password(request: RoomRequest) -> HttpResponse:
    """Ends all other sessions: whoever has them had the old password, or stole one."""
    name, address = request.user.get_username(), address_of(request)
    if left := signing_in.waiting(name, address, datetime.now(UTC)):
        return _account(request, wrong=wait_reason(left), status=_WAIT)
    if not request.user.check_password(request.POST.get("current", "")):
        signing_in.failed(name, address, "change-password")
        return _account(request, wrong="This is not your password as it is now.", status=_UNUSABLE)
    wanted = request.POST.get("password", "")
    if wanted != request.POST.get("again", ""):
        return _account(request, wrong="The two are not the same.", status=_UNUSABLE)
    try:
        users.choose_password(who(request), request.user, wanted)
    except Refused as refused:
        return _account(request, wrong=str(refused), status=_UNUSABLE)
    update_session_auth_hash(request, request.user)
    return _account(request, Notice("Your password is changed.", ("You are signed out everywhere but here.",)))


def _account(request: RoomRequest, notice: Notice | None = None, *, wrong: str = "", status: int = 200) -> HttpResponse:
    return page(request, "account.html", {"section": "settings", "part": "account", "wrong": wrong}, notice, status)
