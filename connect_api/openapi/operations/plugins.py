"""`/connector-plugins` (KIP-769)."""

from connect_api.openapi import examples
from connect_api.openapi.operation import READ, Answer, Body, Operation

_UNKNOWN = {404: "Unknown plugin Nope."}

OPERATIONS = {
    ("GET", "/connector-plugins"): Operation(
        "getPlugins",
        "Plug-ins",
        "What connectors there are; and converters and so on",
        {200: Answer("The plug-ins.", "Plugins", [examples.PLUGIN])},
        READ,
        parameters=("connectorsOnly",),
        description="What `connector.class` may name; with `connectorsOnly=false` converters, transformations and so on, too.",
    ),
    ("GET", "/connector-plugins/{plugin}/config"): Operation(
        "getPluginConfig",
        "Plug-ins",
        "The keys that a plug-in knows",
        {200: Answer("The keys.", "ConfigKeys", [examples.KEY])},
        {**READ, **_UNKNOWN, 400: "Invalid version specification: ["},
        parameters=("plugin", "version"),
        description="With types, defaults and documentation: what a form or an editor needs.",
    ),
    ("PUT", "/connector-plugins/{plugin}/config/validate"): Operation(
        "validateConfig",
        "Plug-ins",
        "What is wrong with a config",
        {
            200: Answer(
                "Each key, its value and its errors: 200 whatever is wrong with the values.", "Validation", examples.VALIDATION
            )
        },
        {**READ, 400: "Included connector type FileStreamSink does not match request type FileStreamSource"},
        parameters=("plugin",),
        body=Body(
            "ConfigToValidate",
            "The whole config.",
            {"without a topic": {"connector.class": "FileStreamSource", "file": "/srv/orders.txt"}},
        ),
        description="Nothing is created, and no connector needs to be there.",
    ),
}
