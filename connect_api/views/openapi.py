"""`/api/openapi.json`, `/api/openapi.yaml`, and `/api/docs`, where people read them."""

from functools import cache
from pathlib import Path

from django.http import HttpRequest, HttpResponse

from connect_api import openapi
from connect_api.views.base import ConnectView

# Scripts and styles are files of this server; Swagger UI's icons are `data:` images.
_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)


class JsonView(ConnectView):
    def get(self, request: HttpRequest) -> HttpResponse:
        from connect_api.openapi import document

        return HttpResponse(document.as_json(), content_type="application/json")


class YamlView(ConnectView):
    media_type = None

    def get(self, request: HttpRequest) -> HttpResponse:
        from connect_api.openapi import document

        return HttpResponse(document.as_yaml(), content_type="application/yaml")


class DocsView(ConnectView):
    """Swagger UI from drf-spectacular-sidecar, with the document of this server."""

    media_type = None

    def get(self, request: HttpRequest) -> HttpResponse:
        return HttpResponse(_page(), content_type="text/html; charset=utf-8", headers={"Content-Security-Policy": _POLICY})


@cache
def _page() -> bytes:
    return (Path(openapi.__file__).parent / "docs.html").read_bytes()
