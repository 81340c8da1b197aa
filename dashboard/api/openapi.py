"""The control room's `/api/v1/` as OpenAPI, made of its views: their serializers, and what they say of themselves."""

from functools import cache
from typing import Any

import orjson
from drf_spectacular.extensions import OpenApiAuthenticationExtension
from drf_spectacular.generators import SchemaGenerator
from drf_spectacular.openapi import AutoSchema
from drf_spectacular.settings import patched_settings
from drf_spectacular.types import OpenApiTypes

from config.openapi_text import as_yaml_text

_DESCRIPTION = """\
What the control room's pages can do, for automation. Each call is made as somebody: with `Authorization: Bearer drover_…`, a
token of Settings → Tokens, or with the session of the browser and its CSRF token. Roles are those of the token's owner, up to
the token's.

- Bodies are JSON in UTF-8 both ways.
- Every failure is answered with `{"error_code": <the status>, "message": <why>}`.
- What a cluster refuses is answered with its own status and words.
- What may not be seen is 404, and left out of lists and counts; what may be seen and not done is 403.
"""
_ERROR = {
    "type": "object",
    "properties": {"error_code": {"type": "integer"}, "message": {"type": "string"}},
    "required": ["error_code", "message"],
}
_ERRORS = {
    "400": "Something in the path, the query or the body cannot be. Nothing has changed.",
    "401": "Nobody is known by this token or session.",
    "403": "It needs a higher role, or a session's call came without its CSRF token.",
    "404": "There is no such thing, or it is not to be seen.",
    "409": "It cannot be done as things are, or not any more. Nothing has changed.",
    "502": "A cluster did not answer. What came of it there is not known.",
}


class RoomSchema(AutoSchema):
    """Of a view that says no more than its docstring, that is told; its answer is any JSON."""

    def _get_serializer(self) -> None:
        return None

    def get_response_serializers(self) -> Any:
        return OpenApiTypes.ANY

    def get_tags(self) -> list[str]:
        return [self.path.removeprefix("/api/v1/").split("/")[0]]

    def get_description(self) -> str:  # type: ignore[override]  # As AutoSchema has it.
        said = getattr(self.view, self.method.lower()).__doc__ or ""
        return " ".join(said.split())

    def get_operation_id(self) -> str:
        parts = [part.strip("{}") for part in self.path.removeprefix("/api/v1/").replace("-", "/").split("/")]
        return self.method.lower() + "".join(part.capitalize() for part in parts)


class _TokenScheme(OpenApiAuthenticationExtension):
    target_class = "dashboard.api.authentication.TokenAuthentication"
    name = "token"

    def get_security_definition(self, auto_schema: AutoSchema) -> dict[str, str]:
        return {"type": "http", "scheme": "bearer"}


@cache
def document() -> dict[str, Any]:
    from django.urls import include, path

    from dashboard.api.urls import urlpatterns

    settings = {
        "TITLE": "Drover's control room",
        "DESCRIPTION": _DESCRIPTION,
        "VERSION": "1",
        "OAS_VERSION": "3.1.0",
        "LICENSE": {"name": "Apache 2.0", "identifier": "Apache-2.0"},
        "SERVERS": [{"url": "/", "description": "The server that this document comes from."}],
        "APPEND_COMPONENTS": {"schemas": {"Error": _ERROR}},
        "POSTPROCESSING_HOOKS": ["dashboard.api.openapi.with_errors"],
        "COMPONENT_SPLIT_REQUEST": False,
        "SCHEMA_PATH_PREFIX": "/api/v1/",
    }
    with patched_settings(settings):
        made: dict[str, Any] = SchemaGenerator(patterns=[path("api/v1/", include(urlpatterns))]).get_schema(public=True)
    return made


def with_errors(result: dict[str, Any], generator: object, request: object, public: bool) -> dict[str, Any]:
    """What may be answered wherever the control room is asked for something."""
    content = {"application/json": {"schema": {"$ref": "#/components/schemas/Error"}}}
    for path, item in result["paths"].items():
        for method, operation in item.items():
            changes = method != "get"
            fitting = {"400", "401", "403"} | ({"409"} if changes else set())
            fitting |= {"404"} if changes or "{" in path else set()
            fitting |= {"502"} if changes or "{cluster}" in path else set()
            errors = {status: {"description": _ERRORS[status], "content": content} for status in sorted(fitting)}
            operation["responses"] = dict(sorted({**errors, **operation["responses"]}.items()))
    return result


@cache
def as_json() -> bytes:
    return orjson.dumps(document())


@cache
def as_yaml() -> bytes:
    return as_yaml_text(as_json())
