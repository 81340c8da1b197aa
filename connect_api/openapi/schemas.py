"""The bodies, as JSON Schema (2020-12). Field names and their order are Kafka Connect's."""

from collections.abc import Mapping, Sequence
from typing import Any

from workers.herder.states import State

Schema = dict[str, Any]
STRING: Schema = {"type": "string"}
OPTIONAL: Schema = {"type": ["string", "null"]}
INTEGER: Schema = {"type": "integer"}
BOOLEAN: Schema = {"type": "boolean"}
STATES = [str(state) for state in State if state is not State.DESTROYED]


def _ref(name: str) -> Schema:
    return {"$ref": f"#/components/schemas/{name}"}


def _said(schema: Mapping[str, Any], description: str) -> Schema:
    return {**schema, "description": description}


def _object(description: str, fields: Mapping[str, Schema], optional: Sequence[str] = ()) -> Schema:
    return {
        "type": "object",
        "description": description,
        "properties": dict(fields),
        "required": [name for name in fields if name not in optional],
        "additionalProperties": False,
    }


def _list(items: Schema, description: str) -> Schema:
    return {"type": "array", "items": items, "description": description}


def _map(values: Schema, description: str) -> Schema:
    return {"type": "object", "additionalProperties": values, "description": description}


def _instance(what: str) -> dict[str, Schema]:
    return {
        "state": {"type": "string", "enum": STATES, "description": f"The {what}'s state, as its worker has last told it."},
        "worker_id": _said(STRING, f"The worker that the {what} is on, as host and port."),
        "version": _said(OPTIONAL, f"The version of the plug-in (KIP-891); null while the {what} does not run."),
        "trace": _said(STRING, "Why it failed. Only there when it did."),
    }


_SCALAR: Schema = {"type": ["string", "number", "boolean"]}
_VALUE: Schema = {"type": ["string", "number", "boolean", "null"]}
_CLASS = _said(STRING, "The connector's class, or its alias: `FileStreamSource`.")
_PARTITION = _said(
    {"type": ["object", "null"]}, "`kafka_topic` and `kafka_partition` of a sink; a source's own primitive values."
)
_OFFSET = _said(
    {"type": ["object", "null"]}, "`kafka_offset` of a sink; a source's own primitive values. null resets the partition."
)

GENERAL = {
    "Error": {
        **_object(
            "What every failure is answered with.",
            {
                "error_code": _said(INTEGER, "The HTTP status."),
                "message": _said(OPTIONAL, "Why, in Kafka Connect's words where it has some."),
            },
        ),
        "examples": [{"error_code": 404, "message": "Connector orders not found"}],
    },
    "Message": _object("What came of it.", {"message": _said(STRING, "For people.")}),
    "ServerInfo": _object(
        "The worker and the Kafka cluster behind it.",
        {
            "version": _said(STRING, "Drover's."),
            "commit": _said(STRING, "What it was built from."),
            "kafka_cluster_id": _said(OPTIONAL, "The Kafka cluster's own id."),
        },
    ),
    "Health": _object(
        "How the worker is (KIP-1017).",
        {
            "status": {"type": "string", "enum": ["healthy", "starting", "unhealthy"], "description": "In one word."},
            "message": _said(STRING, "In a sentence."),
        },
    ),
    "Metrics": _said(STRING, "Prometheus' text format, version 0.0.4."),
    "OpenApi": _said({"type": "object"}, "This document."),
    "Page": _said(STRING, "A page for people."),
}

CONNECTORS = {
    "Config": _map(
        STRING, "A connector's config, flat: key to text. Variables (`${file:/path:key}`) are shown, never their values."
    ),
    "ConfigToPut": {
        **_map(
            _SCALAR,
            "A whole config, flat. Numbers and booleans become text as written. `name`, if it is there, is the connector's.",
        ),
        "properties": {"connector.class": _CLASS},
        "required": ["connector.class"],
    },
    "ConfigToValidate": {
        **_map(_VALUE, "A whole config, flat; what is null has no value."),
        "properties": {"connector.class": _CLASS},
        "required": ["connector.class"],
    },
    "ConfigToPatch": _map(_VALUE, "What changes in the config; null removes a key (KIP-477)."),
    "TaskId": _object("One task.", {"connector": _said(STRING, "Its connector."), "task": _said(INTEGER, "Its number, from 0.")}),
    "ConnectorInfo": _object(
        "A connector as it is configured.",
        {
            "name": STRING,
            "config": _ref("Config"),
            "tasks": _list(_ref("TaskId"), "The tasks it has at this moment; none while it is stopped."),
            "type": {
                "type": "string",
                "enum": ["source", "sink", "unknown"],
                "description": "`unknown` where there is no such class.",
            },
        },
    ),
    "ConnectorToCreate": {
        **_object(
            "A new connector.",
            {
                "name": {**_SCALAR, "minLength": 1, "description": "Blanks around it are cut off."},
                "config": _ref("ConfigToPut"),
                "initial_state": {
                    "type": ["string", "null"],
                    "pattern": "^([Rr][Uu][Nn][Nn][Ii][Nn][Gg]|[Pp][Aa][Uu][Ss][Ee][Dd]|[Ss][Tt][Oo][Pp][Pp][Ee][Dd])$",
                    "description": "RUNNING (the default), PAUSED or STOPPED, in any case (KIP-980).",
                },
                "offsets": {
                    "type": ["array", "null"],
                    "items": _ref("PartitionOffsetToPut"),
                    "description": "Drover's own: where the connector begins.",
                },
            },
            optional=("initial_state", "offsets"),
        )
    },
    "ConnectorNames": _list(STRING, "The connectors' names, in no particular order."),
    "ExpandedConnectors": _map(
        _object(
            "What `expand` asked for.", {"status": _ref("ConnectorStatus"), "info": _ref("ConnectorInfo")}, ("status", "info")
        ),
        "By connector.",
    ),
    "Connectors": {
        "oneOf": [_ref("ConnectorNames"), _ref("ExpandedConnectors")],
        "description": "Names; or, with `expand`, a map.",
    },
    "ConnectorStatus": _object(
        "A connector's and its tasks' states.",
        {
            "name": STRING,
            "connector": _object("The connector instance.", _instance("connector"), ("trace",)),
            "tasks": _list(_ref("TaskStatus"), "The tasks."),
            "type": {"type": "string", "enum": ["source", "sink", "unknown"]},
        },
    ),
    "TaskStatus": _object("A task's state.", {"id": _said(INTEGER, "The task's number."), **_instance("task")}, ("trace",)),
    "TaskConfigs": _list(
        _object("A task and its config.", {"id": _ref("TaskId"), "config": _ref("Config")}), "Ordered by the tasks' numbers."
    ),
    "Topics": _map(
        _object("What is in use.", {"topics": _list(STRING, "In no particular order.")}),
        "By connector: it is the only one in it.",
    ),
    "PartitionOffset": _object(
        "One partition and where the connector stands in it.", {"partition": _PARTITION, "offset": _OFFSET}
    ),
    "PartitionOffsetToPut": _object(
        "One partition and where the connector is to stand in it.",
        {"partition": _PARTITION, "offset": _OFFSET},
        ("partition", "offset"),
    ),
    "OffsetsToAlter": _object(
        "Where the connector is to stand. What is not named stays.",
        {"offsets": {**_list(_ref("PartitionOffsetToPut"), "One for each partition."), "minItems": 1}},
    ),
    "Offsets": _object(
        "Where the connector stands (KIP-875). What is read here can be sent back.",
        {"offsets": _list(_ref("PartitionOffset"), "One for each partition, in no particular order.")},
    ),
}

_KEY = _object(
    "A key that a plug-in knows.",
    {
        "name": STRING,
        "type": {
            "type": "string",
            "enum": ["BOOLEAN", "STRING", "INT", "SHORT", "LONG", "DOUBLE", "LIST", "CLASS", "PASSWORD"],
            "description": "What its text has to be.",
        },
        "required": _said(BOOLEAN, "Whether there is no default."),
        "default_value": _said(OPTIONAL, "As text."),
        "importance": {"type": "string", "enum": ["HIGH", "MEDIUM", "LOW"]},
        "documentation": _said(OPTIONAL, "What it is for."),
        "group": _said(OPTIONAL, "What it is shown with."),
        "order_in_group": _said(INTEGER, "Its place there."),
        "width": {"type": "string", "enum": ["NONE", "SHORT", "MEDIUM", "LONG"], "description": "Of its input."},
        "display_name": _said(OPTIONAL, "What it is called there."),
        "dependents": _list(STRING, "Keys that are looked at anew when this one changes."),
    },
)

PLUGINS = {
    "Plugins": _list(
        _object(
            "A plug-in.",
            {
                "class": _said(STRING, "Its full name, for `connector.class` and the like."),
                "type": {
                    "type": "string",
                    "enum": ["sink", "source", "transformation", "predicate", "converter", "header_converter"],
                },
                "version": _said(OPTIONAL, "Its own version."),
            },
        ),
        "Sinks, sources, then the others.",
    ),
    "ConfigKey": _KEY,
    "ConfigKeys": _list(_ref("ConfigKey"), "The plug-in's own keys first, then those of all connectors (KIP-769)."),
    "Validation": _object(
        "Each key, its value and what is wrong with it.",
        {
            "name": _said(OPTIONAL, "`connector.class` as it was given."),
            "error_count": _said(INTEGER, "The number of keys with errors."),
            "groups": _list(STRING, "In the order to be shown."),
            "configs": _list(
                _object(
                    "One key.",
                    {
                        "definition": {
                            "oneOf": [_ref("ConfigKey"), {"type": "null"}],
                            "description": "null where the key is nobody's.",
                        },
                        "value": _object(
                            "What it would be.",
                            {
                                "name": STRING,
                                "value": OPTIONAL,
                                "recommended_values": _list(OPTIONAL, "What it could be."),
                                "errors": _list(STRING, "What is wrong."),
                                "visible": _said(BOOLEAN, "Whether it is to be shown beside the others."),
                            },
                        ),
                    },
                ),
                "One for each key.",
            ),
        },
    ),
}

LOGGERS = {
    "Logger": _object(
        "A logger.",
        {
            "level": _said(OPTIONAL, "What it logs at least."),
            "last_modified": _said({"type": ["integer", "null"]}, "When it was changed over REST, in milliseconds since 1970."),
        },
    ),
    "Loggers": _map(_ref("Logger"), "By name; `root` is the one above all."),
    "LevelToPut": {
        "type": "object",
        "description": "A level.",
        "properties": {
            "level": {
                "type": "string",
                "pattern": "^(?i:OFF|FATAL|ERROR|WARN|INFO|DEBUG|TRACE|ALL)$",
                "description": "In any case.",
            }
        },
        "required": ["level"],
        "additionalProperties": _VALUE,
    },
    "LoggerNames": _list(STRING, "The loggers whose level is another one now, sorted."),
}

CONTROL_ROOM = {
    "Positions": _object(
        "How far the partitions that a sink reads reach; of a source none.",
        {
            "positions": _list(
                _object(
                    "One partition of Kafka.",
                    {
                        "partition": _object("Which.", {"kafka_partition": INTEGER, "kafka_topic": STRING}),
                        "offset": {
                            "oneOf": [_object("What is committed.", {"kafka_offset": INTEGER}), {"type": "null"}],
                            "description": "null where nothing is.",
                        },
                        "beginning": _said(INTEGER, "The first offset that the log still has."),
                        "end": _said(INTEGER, "The one behind its last."),
                        "at": _said({"type": ["integer", "null"]}, "The first as of `time`; null where nothing is that young."),
                    },
                ),
                "One for each partition.",
            )
        },
    ),
    "WorkerGroup": _object(
        "Who is in the worker group and what runs where.",
        {
            "epoch": _said(INTEGER, "Counts the assignments."),
            "leader": _said(OPTIONAL, "The worker that writes configs; null while there is none."),
            "workers": _list(
                _object(
                    "A member.",
                    {
                        "worker_id": STRING,
                        "leader": BOOLEAN,
                        "host": STRING,
                        "pid": INTEGER,
                        "started": _said(INTEGER, "In milliseconds since 1970; 0 if it has not said."),
                        "connectors": _list(STRING, "The connector instances that it has."),
                        "tasks": _list(_ref("TaskId"), "The tasks that it has."),
                        "failed_plugins": _list(
                            _object(
                                "An entry point: its name, what it points to, and why nothing came of it.",
                                {"name": STRING, "value": STRING, "reason": STRING},
                            ),
                            "The connector plug-ins that are installed there but cannot be loaded.",
                        ),
                    },
                ),
                "All members.",
            ),
            "moving": _list(
                _object(
                    "A task; or, with null, the connector instance.", {"connector": STRING, "task": {"type": ["integer", "null"]}}
                ),
                "What nobody runs at this moment.",
            ),
        },
    ),
}

ALL: dict[str, Schema] = {**GENERAL, **CONNECTORS, **PLUGINS, **LOGGERS, **CONTROL_ROOM}
