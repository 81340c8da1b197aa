"""`/admin/loggers` (KIP-495, KIP-976)."""

from connect_api.openapi.operation import ASKED, READ, Answer, Body, Operation

_LOGGER = {"level": "INFO", "last_modified": None}
_NOT_FOUND = {404: "Logger nope not found."}

OPERATIONS = {
    ("GET", "/admin/loggers"): Operation(
        "getLoggers",
        "Loggers",
        "All loggers and their levels",
        {200: Answer("The loggers.", "Loggers", {"root": _LOGGER})},
        READ,
        description="Those that have been used or given a level. `root` counts where nothing nearer does.",
    ),
    ("GET", "/admin/loggers/{name}"): Operation(
        "getLogger",
        "Loggers",
        "A logger's level",
        {200: Answer("The logger.", "Logger", _LOGGER)},
        {**READ, **_NOT_FOUND},
        parameters=("logger",),
        description="What counts for it, and when it was last given one over REST.",
    ),
    ("PUT", "/admin/loggers/{name}"): Operation(
        "setLevel",
        "Loggers",
        "Give a logger, and all beneath it, another level",
        {
            200: Answer("Whose level is another one now.", "LoggerNames", ["root"]),
            204: Answer("All workers will have it: `scope` was `cluster`."),
        },
        {**ASKED, 400: "Desired 'level' parameter was not specified in request.", 404: "invalid log level 'HIGH'."},
        parameters=("logger", "scope"),
        body=Body("LevelToPut", "The level.", {"debug": {"level": "DEBUG"}}),
        description="A logger that is not there yet is made.",
    ),
}
