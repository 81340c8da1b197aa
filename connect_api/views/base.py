"""What all views of this API share."""

from collections.abc import Callable
from typing import Any

from django.http import HttpRequest, HttpResponse
from rest_framework.exceptions import NotAcceptable
from rest_framework.request import Request
from rest_framework.views import APIView

from connect_api import bodies, errors, paths
from connect_api.answers import empty
from connect_api.openapi.inspector import Declared
from connect_api.preferences import accepts


class ConnectView(APIView):
    """Errors in Kafka Connect's shape, answers as ready bytes. REST framework's negotiation has no part in it."""

    schema = Declared()
    #: What a client has to take; None where it gets what there is.
    media_type: str | None = "application/json"

    def perform_content_negotiation(self, request: Request, force: bool = False) -> tuple[Any, str]:
        return self.get_renderers()[0], "application/json"

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        """Refuses in the order in which Jersey does: the method, the kind of the body, the kind of the answer. Raises
        MethodNotAllowed, UnsupportedMediaType, NotAcceptable."""
        method = (request.method or "").lower()
        if method not in self.http_method_names or not hasattr(self, method):
            self.http_method_not_allowed(request)
        if method == "options":
            return
        bodies.refuse_other_content(request)
        if self.media_type and not accepts(request.headers.get("Accept", ""), self.media_type):
            raise NotAcceptable

    def dispatch(self, request: HttpRequest, *args: Any, **segments: Any) -> HttpResponse:
        return super().dispatch(request, *args, **paths.decoded(segments))  # type: ignore[return-value]

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
        takes_text = accepts(request.headers.get("Accept", ""), "text/plain")
        response = HttpResponse(", ".join(methods), content_type="text/plain") if takes_text else empty(200)
        response["Allow"] = ",".join(methods)
        return response


def flag(request: HttpRequest, name: str, default: bool = False) -> bool:
    """A query parameter as Java reads it: true is `true` in any case, everything else is false; the first one counts."""
    values = request.GET.getlist(name)
    return values[0].lower() == "true" if values and values[0] else default
