"""The request as the control room's middleware leaves it to the views."""

from django.contrib.auth.models import User
from django.http import HttpRequest
from django_htmx.middleware import HtmxDetails

from dashboard.activity import Who


class RoomRequest(HttpRequest):
    """Signed in, except at the login page; `htmx` is true for a request that wants a fragment."""

    user: User
    htmx: HtmxDetails


def who(request: RoomRequest) -> Who:
    """Whoever is signed in."""
    return Who(request.user.get_username(), "ui")
