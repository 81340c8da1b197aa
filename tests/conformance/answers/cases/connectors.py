"""`/connectors`: listing, creating, reading, deleting."""

from tests.conformance.answers.case import Answer, Case

SOURCE = "org.apache.kafka.connect.file.FileStreamSourceConnector"
CONFIG = {"connector.class": SOURCE, "tasks.max": "1", "file": "{file}", "topic": "{c}"}

CASES = [
    Case("read a source", "GET", "/connectors/{c}", given="source"),
    Case("read a sink", "GET", "/connectors/{c}", given="sink"),
    Case("read a stopped one", "GET", "/connectors/{c}", given="stopped"),
    Case("read an unknown one", "GET", "/connectors/{c}"),
    Case("read with a slash at the end", "GET", "/connectors/{c}/", given="source"),
    Case("read the config", "GET", "/connectors/{c}/config", given="source"),
    Case("read the config of an unknown one", "GET", "/connectors/{c}/config"),
    Case("delete an unknown one", "DELETE", "/connectors/{c}"),
    Case("delete", "DELETE", "/connectors/{c}", given="source", changes=True, then=("/connectors/{c}",)),
    Case("create", "POST", "/connectors", {"name": "{c}", "config": CONFIG}, then=("/connectors/{c}/config",)),
    Case(
        "create with an unknown field",
        "POST",
        "/connectors",
        {"name": "{c}", "config": CONFIG, "foo": 1},
        differs="unknown field in `POST /connectors`",
        drover=Answer(400, "Unrecognized field"),
    ),
]
