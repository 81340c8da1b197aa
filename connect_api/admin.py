"""`admin.listeners`: whether, and by which listeners, `/admin/` is served."""

from collections.abc import Callable

from django.conf import settings
from django.core.exceptions import MiddlewareNotUsed
from django.http import HttpRequest, HttpResponseBase

from connect_api import errors

#: In the WSGI environment, from web/bridge.py: which kind of listener a request came by.
LISTENER = "drover.listener"
ADMIN = "admin"
_PREFIX = "/admin/"


def by_admin_listener(request: HttpRequest) -> bool:
    return request.META.get(LISTENER) == ADMIN


class AdminMiddleware:
    """There is nothing else where it is set, and nothing of it elsewhere. Behind RawPathMiddleware: it goes by what is routed."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        if settings.ADMIN_LISTENERS is None:
            raise MiddlewareNotUsed
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        of_admin = request.path_info.startswith(_PREFIX)
        return self._get_response(request) if of_admin == by_admin_listener(request) else errors.not_found(request)
