"""`/connectors/{name}/tasks` and `/connectors/{name}/topics`."""

from connect_api.openapi import examples
from connect_api.openapi.operation import ASKED, READ, Answer, Operation

_FIRST = {"name": "$response.body#/0/id/connector", "task": "$response.body#/0/id/task"}
_LINKS: dict[str, object] = {
    operation: {"operationId": operation, "parameters": _FIRST} for operation in ("getTaskStatus", "restartTask")
}
_UNTRACKED = {403: "Topic tracking is disabled."}

OPERATIONS = {
    ("GET", "/connectors/{name}/tasks"): Operation(
        "getConnectorTasks",
        "Tasks",
        "A connector's tasks and their configs",
        {200: Answer("The tasks.", "TaskConfigs", [{"id": examples.TASK, "config": examples.CONFIG}], links=_LINKS)},
        {**READ, 404: "Connector orders not found"},
        parameters=("name",),
        description="Each with the config that the connector has made for it. None while the connector is stopped.",
    ),
    ("GET", "/connectors/{name}/tasks/{task}/status"): Operation(
        "getTaskStatus",
        "Tasks",
        "A task's state",
        {200: Answer("The state.", "TaskStatus", examples.TASK_STATUS)},
        {**READ, 404: "No status found for task orders-0"},
        parameters=("name", "task"),
        description="As its worker has last told it; with the trace, if it failed.",
    ),
    ("POST", "/connectors/{name}/tasks/{task}/restart"): Operation(
        "restartTask",
        "Tasks",
        "Restart a task",
        {204: Answer("It has been told to.")},
        {**ASKED, 404: "Unknown task: orders-0"},
        parameters=("name", "task"),
        description="With the config that it has. It is FAILED again soon if what failed it is still there.",
    ),
    ("GET", "/connectors/{name}/topics"): Operation(
        "getConnectorTopics",
        "Topics",
        "The topics that a connector uses (KIP-558)",
        {200: Answer("The topics; of a connector that is not there, none.", "Topics", {"orders": {"topics": ["orders"]}})},
        {**READ, **_UNTRACKED},
        parameters=("name",),
        description="Those that it has written to or read from since it was created, or since they were reset.",
    ),
    ("PUT", "/connectors/{name}/topics/reset"): Operation(
        "resetConnectorTopics",
        "Topics",
        "Forget the topics that a connector uses (KIP-558)",
        {202: Answer("They are forgotten until they are used again.")},
        {**ASKED, 403: "Topic tracking reset is disabled."},
        parameters=("name",),
        description="Of a connector that is not there, too, as in Kafka Connect.",
    ),
}
