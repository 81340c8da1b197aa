"""What all views of this API share."""

from collections.abc import Callable
from typing import Any

from django.http import HttpRequest, HttpResponse
from rest_framework.request import Request
from rest_framework.views import APIView

from connect_api import errors


class ConnectView(APIView):
    """Errors in Kafka Connect's shape, answers as ready bytes. REST framework's negotiation has no part in it."""

    def perform_content_negotiation(self, request: Request, force: bool = False) -> tuple[Any, str]:
        return self.get_renderers()[0], "application/json"

    @property
    def default_response_headers(self) -> dict[str, str]:
        """None: REST framework would put its own `Allow` on every answer, and over that of `options`."""
        return {}

    def get_exception_handler(self) -> Callable[..., HttpResponse]:
        return errors.handle

    def options(  # type: ignore[override]  # REST framework would have its own Response; what it does takes any.
        self, request: HttpRequest, *args: Any, **kwargs: Any
    ) -> HttpResponse:
        methods = ["HEAD" if name == "head" else name.upper() for name in self.http_method_names if hasattr(self, name)]
        methods = [*(["HEAD"] if "GET" in methods and "HEAD" not in methods else []), *methods]
        response = HttpResponse(", ".join(methods), content_type="text/plain")
        response["Allow"] = ",".join(methods)
        return response


def flag(request: HttpRequest, name: str, default: bool = False) -> bool:
    """A query parameter as Java reads it: true is `true` in any case, everything else is false; the first one counts."""
    values = request.GET.getlist(name)
    return values[0].lower() == "true" if values and values[0] else default
