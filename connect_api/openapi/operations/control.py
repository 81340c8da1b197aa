"""What a connector is told to do."""

from connect_api.openapi import examples
from connect_api.openapi.operation import ASKED, Answer, Operation

_UNKNOWN = {404: "Unknown connector orders"}

OPERATIONS = {
    ("PUT", "/connectors/{name}/pause"): Operation(
        "pauseConnector",
        "Connectors",
        "Pause a connector",
        {202: Answer("It will be paused.")},
        {**ASKED, **_UNKNOWN},
        parameters=("name",),
        description="It and its tasks keep what they have and do nothing, until it is resumed.",
    ),
    ("PUT", "/connectors/{name}/resume"): Operation(
        "resumeConnector",
        "Connectors",
        "Resume a paused or stopped connector",
        {202: Answer("It will run.")},
        {**ASKED, **_UNKNOWN},
        parameters=("name",),
        description="One that was paused goes on; one that was stopped gets its tasks anew; one that failed is tried again.",
    ),
    ("PUT", "/connectors/{name}/stop"): Operation(
        "stopConnector",
        "Connectors",
        "Stop a connector (KIP-875)",
        {204: Answer("It stops; its tasks are no more.")},
        {**ASKED, **_UNKNOWN},
        parameters=("name",),
        description="Its config stays, and its offsets can be changed.",
    ),
    ("POST", "/connectors/{name}/restart"): Operation(
        "restartConnector",
        "Connectors",
        "Restart a connector, its tasks, or what has failed of them (KIP-745)",
        {
            202: Answer("What will be restarted is RESTARTING in it.", "ConnectorStatus", examples.RESTARTING),
            204: Answer("The connector instance alone has been restarted: neither parameter was true."),
        },
        {**ASKED, 404: "Unknown connector: orders"},
        parameters=("name", "includeTasks", "onlyFailed"),
        description="Without parameters the connector instance alone, before this is answered. With them, a plan that is kept.",
    ),
}
