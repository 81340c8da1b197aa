"""`/admin/loggers` (KIP-495, KIP-976). Of the loggers that there are the two have only the root logger in common: each case makes
its own."""

from typing import Any

from tests.conformance.answers.case import Answer, Case

LOGGER = "/admin/loggers/org.example.{c}"
LEAK = "body of `PUT /admin/loggers/{l}`"
NOT_SPECIFIED = "Desired 'level' parameter was not specified in request."


def put(id_: str, body: object, path: str = LOGGER, **more: Any) -> Case:
    return Case(f"logger: {id_}", "PUT", path, body, **more)


def level(name: str) -> dict[str, str]:
    return {"level": name}


def leak(id_: str, body: object, message: str, **more: Any) -> Case:
    """500 there."""
    return put(id_, body, differs=LEAK, drover=Answer(400, message), **more)


def set_before(name: str, suffix: str = "", path: str = LOGGER) -> tuple[str, str, object]:
    return "PUT", f"{path}{suffix}", level(name)


READ = [
    Case("loggers: root", "GET", "/admin/loggers/root"),
    Case("loggers: root in capitals", "GET", "/admin/loggers/ROOT"),
    Case("loggers: root with a slash at the end", "GET", "/admin/loggers/root/"),
    Case("loggers: an unknown one", "GET", LOGGER),
    Case("loggers: one below an unknown one", "GET", f"{LOGGER}/below"),
    Case("loggers: delete one", "DELETE", LOGGER),
    Case("loggers: post to one", "POST", LOGGER, level("INFO")),
    Case("loggers: put to the list", "PUT", "/admin/loggers", level("INFO")),
    Case("loggers: nothing above them", "GET", "/admin"),
]
LEVELS = [
    *(put(f"to {name}", level(name), then=(LOGGER,)) for name in ("OFF", "FATAL", "ERROR", "WARN", "DEBUG", "TRACE", "ALL")),
    put("to what it has anyway", level("INFO"), then=(LOGGER,)),
    put("in small letters", level("debug"), then=(LOGGER,)),
    put("in letters of both kinds", level("wArN"), then=(LOGGER,)),
    put("with blanks around it", level(" debug "), then=(LOGGER,)),
    put("with other fields", {"level": "DEBUG", "last_modified": 1, "x": True}, then=(LOGGER,)),
    put(
        "with other fields that are no text",
        {"level": "DEBUG", "x": {"y": 1}},
        stem="Cannot deserialize value",
        differs=LEAK,
        drover=Answer(400, "Cannot deserialize value"),
    ),
    put("with a slash at the end", level("DEBUG"), f"{LOGGER}/"),
    put("of a name with a blank", level("DEBUG"), f"{LOGGER}%20x", then=(f"{LOGGER}%20x",)),
    put("of a name with other letters", level("DEBUG"), f"{LOGGER}%C3%A9", then=(f"{LOGGER}%C3%A9",)),
    put("of a name in capitals, which is another one", level("DEBUG"), f"{LOGGER}A", then=(f"{LOGGER}a",)),
]
AGAIN = [
    put("the same again", level("DEBUG"), before=(set_before("DEBUG"),)),
    put("the same again in small letters", level("debug"), before=(set_before("DEBUG"),)),
    put("another one", level("WARN"), before=(set_before("DEBUG"),), then=(LOGGER,)),
    put("off again", level("OFF"), before=(set_before("OFF"),)),
    put("on again", level("INFO"), before=(set_before("OFF"),), then=(LOGGER,)),
    put("with one below", level("WARN"), before=(set_before("DEBUG", ".x"),), then=(LOGGER, f"{LOGGER}.x")),
    put("with several below", level("WARN"), before=(set_before("DEBUG", ".x.y"), set_before("ERROR", ".z"))),
    put("with one below that has it already", level("WARN"), before=(set_before("WARN", ".x"),)),
    put("with one that begins alike", level("WARN"), before=(set_before("DEBUG", "x"),), then=(f"{LOGGER}x",)),
    put("not with one above", level("WARN"), f"{LOGGER}.x", before=(set_before("DEBUG"),), then=(LOGGER,)),
    put("as it inherits it", level("DEBUG"), f"{LOGGER}.x", before=(set_before("DEBUG"),), then=(f"{LOGGER}.x",)),
    put(
        "and what has followed it goes on to follow",
        level("WARN"),
        then=(f"{LOGGER}.x",),
        before=(set_before("DEBUG"), set_before("DEBUG", ".x")),
    ),
]
WRONG = [
    put("no level", {}),
    put("no level but other fields", {"Level": "DEBUG"}),
    put("null for a level", {"level": None}),
    put("an unknown level", level("HIGH"), then=(LOGGER,)),
    put("one of Java's own levels", level("WARNING")),
    put("one of Python's own levels", level("CRITICAL")),
    put("a number", {"level": 5}),
    put("a truth", {"level": True}),
    put("empty text", level(""), differs=LEAK, drover=Answer(404, "invalid log level ''.")),
    put("blank text", level(" ")),
    put("an unknown level of the root logger", level("HIGH"), "/admin/loggers/root"),
    leak("a list for a level", {"level": ["DEBUG"]}, "Cannot deserialize value"),
    leak("an object for a level", {"level": {"a": "b"}}, "Cannot deserialize value"),
    leak("null", b"null", NOT_SPECIFIED),
    leak("a list", ["DEBUG"], "Cannot deserialize value"),
    leak("text", "DEBUG", "Cannot deserialize value"),
    leak("no JSON", b"{", "The request body is not valid JSON"),
    leak("no body", b"", "The request body is not valid JSON"),
    put("another content type", b"DEBUG", headers={"Content-Type": "text/plain"}),
]
SCOPES = [
    put("for the worker", level("DEBUG"), f"{LOGGER}?scope=worker", then=(LOGGER,)),
    put("for the worker in capitals", level("DEBUG"), f"{LOGGER}?scope=WORKER", then=(LOGGER,)),
    put("for an unknown scope", level("DEBUG"), f"{LOGGER}?scope=planet", then=(LOGGER,)),
    put("for an empty scope", level("DEBUG"), f"{LOGGER}?scope=", then=(LOGGER,)),
    put("for two scopes", level("DEBUG"), f"{LOGGER}?scope=worker&scope=cluster", then=(LOGGER,)),
    put("for the cluster", level("DEBUG"), f"{LOGGER}?scope=cluster"),
    put("for the cluster in capitals", level("DEBUG"), f"{LOGGER}?scope=CLUSTER"),
    put("for the cluster in small letters", level("debug"), f"{LOGGER}?scope=cluster"),
    put("for the cluster, an unknown level", level("HIGH"), f"{LOGGER}?scope=cluster", then=(LOGGER,)),
    put("for the cluster, no level", {}, f"{LOGGER}?scope=cluster"),
    put("for the cluster, a number", {"level": 5}, f"{LOGGER}?scope=cluster"),
]
CASES = [*READ, *LEVELS, *AGAIN, *WRONG, *SCOPES]
