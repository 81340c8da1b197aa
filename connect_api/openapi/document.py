"""The whole document: one for a version, made when it is first asked for."""

from functools import cache
from typing import Any

import orjson
from drf_spectacular.generators import SchemaGenerator
from drf_spectacular.settings import patched_settings

from config.openapi_text import as_yaml_text
from connect_api.openapi import parameters, schemas
from connect_api.openapi.about import DESCRIPTION, TAGS
from workers import VERSION

_SETTINGS = {
    "TITLE": "Drover",
    "DESCRIPTION": DESCRIPTION,
    "VERSION": VERSION,
    "OAS_VERSION": "3.1.0",
    "LICENSE": {"name": "Apache 2.0", "identifier": "Apache-2.0"},
    "TAGS": [{"name": name, "description": description} for name, description in TAGS.items()],
    "SERVERS": [{"url": "/", "description": "The server that this document comes from."}],
    "APPEND_COMPONENTS": {"schemas": schemas.ALL, "parameters": parameters.ALL, "headers": parameters.HEADERS},
    "PREPROCESSING_HOOKS": ["connect_api.openapi.inspector.without_slashes"],
    "POSTPROCESSING_HOOKS": [],
    "SORT_OPERATIONS": False,
}


@cache
def document() -> dict[str, Any]:
    from connect_api.urls import urlpatterns

    with patched_settings(_SETTINGS):
        made: dict[str, Any] = SchemaGenerator(patterns=urlpatterns).get_schema(public=True)
    return made


@cache
def as_json() -> bytes:
    return orjson.dumps(document())


@cache
def as_yaml() -> bytes:
    return as_yaml_text(as_json())
