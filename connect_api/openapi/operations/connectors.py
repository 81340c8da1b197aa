"""`/connectors`, and what a connector is: its config, its states."""

from connect_api.openapi import examples
from connect_api.openapi.operation import ASKED, READ, Answer, Body, Operation

_NAME = {"name": "$response.body#/name"}
_LINKS: dict[str, object] = {
    operation: {"operationId": operation, "parameters": _NAME}
    for operation in ("getConnector", "getConnectorStatus", "getConnectorTasks", "pauseConnector", "deleteConnector")
}
_CREATED = Answer("It is there now.", "ConnectorInfo", {**examples.INFO, "tasks": []}, headers=("Location",), links=_LINKS)
_NOT_FOUND = {404: "Connector orders not found"}
_INVALID = """\
Connector configuration is invalid and contains the following 1 error(s):
Missing required configuration "topic" which has no default value.
You can also find the above list of errors at the endpoint `/connector-plugins/{connectorType}/config/validate`"""
_MISMATCH = "Connector name configuration (other) doesn't match connector name in the URL (orders)"

OPERATIONS = {
    ("GET", "/connectors"): Operation(
        "getConnectors",
        "Connectors",
        "All connectors",
        {
            200: Answer(
                "Their names; or, with `expand`, a map by name.",
                "Connectors",
                {"orders": {"status": examples.STATUS}},
                headers=("ETag", "Preference-Applied"),
            ),
            304: Answer("Nothing has changed since the answer of `If-None-Match`.", headers=("ETag", "Preference-Applied")),
        },
        READ,
        parameters=("expand", "If-None-Match", "Prefer"),
        description="The `ETag`, 304 and `Prefer` are Drover's own: a page stays live without polling.",
    ),
    ("POST", "/connectors"): Operation(
        "createConnector",
        "Connectors",
        "Create a connector",
        {201: _CREATED},
        {**ASKED, 400: _INVALID, 409: "Connector orders already exists"},
        body=Body(
            "ConnectorToCreate",
            "`name` in the config, if it is there, is the same as beside it.",
            {
                "running": {"name": examples.NAME, "config": examples.UNNAMED},
                "stopped": {"name": examples.NAME, "config": examples.UNNAMED, "initial_state": "STOPPED"},
            },
        ),
        description="Answered when the config is in Kafka. Its tasks are made after that: they are not in the answer yet.",
    ),
    ("GET", "/connectors/{name}"): Operation(
        "getConnector",
        "Connectors",
        "A connector's config and tasks",
        {200: Answer("The connector.", "ConnectorInfo", examples.INFO)},
        {**READ, **_NOT_FOUND},
        parameters=("name",),
        description="As every worker knows it from the config topic; what it is doing tells its status.",
    ),
    ("DELETE", "/connectors/{name}"): Operation(
        "deleteConnector",
        "Connectors",
        "Delete a connector",
        {204: Answer("It is gone; its tasks stop.")},
        {**ASKED, **_NOT_FOUND},
        parameters=("name", "includeOffsets"),
        description="Its offsets stay for whoever comes by the same name, unless `includeOffsets` is true.",
    ),
    ("GET", "/connectors/{name}/config"): Operation(
        "getConnectorConfig",
        "Connectors",
        "A connector's config",
        {200: Answer("The config.", "Config", examples.CONFIG)},
        {**READ, **_NOT_FOUND},
        parameters=("name",),
        description="As it was given, with `name` in it: what is read here can be put again, here or to another cluster.",
    ),
    ("PUT", "/connectors/{name}/config"): Operation(
        "putConnectorConfig",
        "Connectors",
        "Create a connector, or give it another config",
        {200: Answer("It has this config now.", "ConnectorInfo", examples.INFO), 201: _CREATED},
        {**ASKED, 400: _MISMATCH},
        parameters=("name",),
        body=Body("ConfigToPut", "The whole config.", {"config": examples.CONFIG}),
        description="The connector is started anew with it, its tasks where their own configs change.",
    ),
    ("PATCH", "/connectors/{name}/config"): Operation(
        "patchConnectorConfig",
        "Connectors",
        "Change some keys of a config (KIP-477)",
        {200: Answer("It has this config now.", "ConnectorInfo", examples.INFO)},
        {**ASKED, **_NOT_FOUND, 400: _INVALID},
        parameters=("name",),
        body=Body("ConfigToPatch", "What changes.", {"more tasks": {"tasks.max": "4"}, "a default again": {"batch.size": None}}),
        description="Changes the config that the leader has at that moment: two callers cannot undo each other's changes.",
    ),
    ("GET", "/connectors/{name}/status"): Operation(
        "getConnectorStatus",
        "Connectors",
        "A connector's and its tasks' states",
        {200: Answer("The states.", "ConnectorStatus", examples.STATUS)},
        {**READ, 404: "No status found for connector orders"},
        parameters=("name",),
        description="A connector that was created just now may have none yet: 404.",
    ),
}
