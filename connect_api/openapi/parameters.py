"""Path segments, query parameters and headers."""

from typing import Any

_NO_CONTROL_CHARACTERS = "^[^\\u0000-\\u001f\\u007f]+$"
_FLAG = {"type": ["boolean", "string"]}
_FLAG_SAYS = "`true`, in any case, is true; everything else is false, and of several the first one counts."


def _path(name: str, description: str, example: object, schema: dict[str, Any] | None = None) -> dict[str, Any]:
    schema = schema or {"type": "string", "pattern": _NO_CONTROL_CHARACTERS}
    return {"name": name, "in": "path", "required": True, "description": description, "schema": schema, "example": example}


def _query(name: str, description: str, schema: dict[str, Any]) -> dict[str, Any]:
    return {"name": name, "in": "query", "description": description, "schema": schema}


def _flag(name: str, description: str) -> dict[str, Any]:
    return _query(name, f"{description} {_FLAG_SAYS}", {**_FLAG, "default": False})


def _header(name: str, description: str, example: str) -> dict[str, Any]:
    return {"name": name, "in": "header", "description": description, "schema": {"type": "string"}, "example": example}


ALL: dict[str, dict[str, Any]] = {
    "name": _path("name", "The connector's name, percent-encoded.", "orders"),
    "task": _path("task", "The task's number, from 0.", 0, {"type": "integer", "format": "int32"}),
    "plugin": _path("plugin", "The plug-in's class, or its alias: `FileStreamSink`.", "FileStreamSource"),
    "logger": _path("name", "The logger's name; `root` is the one above all.", "root"),
    "expand": {
        **_query(
            "expand",
            "`status` and `info` fill in what they say, both if the parameter is there twice. Anything else fills in nothing.",
            {"type": "array", "items": {"type": "string"}},
        ),
        "style": "form",
        "explode": True,
        "examples": {"both": {"value": ["status", "info"]}, "status": {"value": ["status"]}},
    },
    "onlyFailed": _flag("onlyFailed", "Restart only what has failed (KIP-745)."),
    "includeTasks": _flag("includeTasks", "Restart the tasks as well (KIP-745)."),
    "includeOffsets": _flag(
        "includeOffsets", "Drover's own: stop the connector, wait for its tasks and forget its offsets, too."
    ),
    "connectorsOnly": {
        **_query(
            "connectorsOnly", f"Connectors without transformations and so on (KIP-769). {_FLAG_SAYS}", {**_FLAG, "default": True}
        )
    },
    "version": _query("version", "Of the plug-in: a Maven version range, or `latest` (KIP-891).", {"type": "string"}),
    "scope": _query(
        "scope", "`cluster` for all workers (KIP-976); anything else for this one.", {"type": "string", "default": "worker"}
    ),
    "time": {
        **_query("time", "A moment, in milliseconds since 1970.", {"type": "integer", "minimum": 0, "maximum": 999999999999999}),
        "example": 1790000000000,
    },
    "If-None-Match": _header("If-None-Match", "The `ETag` of an answer: 304 if nothing has changed since.", '"6f1c-42"'),
    "Prefer": _header(
        "Prefer", "`wait=<seconds>` (RFC 7240), with `If-None-Match`: waits that long, 30 s at most, for a change.", "wait=0"
    ),
}

HEADERS: dict[str, dict[str, Any]] = {
    "Location": {
        "description": "Where the new connector is.",
        "schema": {"type": "string", "format": "uri"},
        "example": "http://localhost:8083/connectors/orders",
    },
    "ETag": {"description": "For `If-None-Match`.", "schema": {"type": "string"}, "example": '"6f1c-42"'},
    "Preference-Applied": {
        "description": "How long the answer may have waited.",
        "schema": {"type": "string"},
        "example": "wait=10",
    },
}
