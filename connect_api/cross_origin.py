"""Pages of other sites (CORS), as Kafka Connect's server answers them: `access.control.allow.origin` and `.methods`."""

from collections.abc import Callable

from django.core.exceptions import MiddlewareNotUsed
from django.http import HttpRequest, HttpResponseBase
from django.utils.cache import patch_vary_headers

from connect_api.admin import by_admin_listener
from workers.rest_config import CrossOrigin, rest_config

# What a page may send; as long as this, in seconds, its browser need not ask again.
_HEADERS = "Content-Type"
_MAX_AGE = "60"


class CrossOriginMiddleware:
    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        wanted = rest_config().cross_origin
        if wanted is None:
            raise MiddlewareNotUsed
        self._get_response = get_response
        self._wanted = wanted

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        response = self._get_response(request)
        if by_admin_listener(request):
            # As in Kafka Connect: no page is meant to ask there.
            return response
        patch_vary_headers(response, ["Origin"])
        origin = request.headers.get("Origin")
        if origin is not None and allowed(self._wanted, origin):
            response["Access-Control-Allow-Origin"] = origin
            # An answer to it is that of the resource all the same.
            if request.method == "OPTIONS" and "Access-Control-Request-Method" in request.headers:
                response["Access-Control-Allow-Methods"] = ",".join(self._wanted.methods)
                response["Access-Control-Allow-Headers"] = _HEADERS
                response["Access-Control-Max-Age"] = _MAX_AGE
        return response


def allowed(wanted: CrossOrigin, origins: str) -> bool:
    """A browser names one; several are separated by blanks, and one of them is enough."""
    return wanted.origins is None or any(wanted.origins.fullmatch(origin) for origin in origins.split())
