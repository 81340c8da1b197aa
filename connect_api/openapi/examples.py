"""One connector, as every operation shows it."""

from typing import Any

NAME = "orders"
WORKER = "127.0.0.1:8083"
UNNAMED: dict[str, Any] = {
    "connector.class": "FileStreamSource",
    "tasks.max": "1",
    "file": "/srv/orders.txt",
    "topic": "orders",
}
CONFIG = {**UNNAMED, "name": NAME}
TASK = {"connector": NAME, "task": 0}
INFO = {"name": NAME, "config": CONFIG, "tasks": [TASK], "type": "source"}
_RUNNING = {"state": "RUNNING", "worker_id": WORKER, "version": "0.1.0"}
TASK_STATUS = {"id": 0, **_RUNNING}
STATUS = {"name": NAME, "connector": _RUNNING, "tasks": [TASK_STATUS], "type": "source"}
RESTARTING = {**STATUS, "tasks": [{**TASK_STATUS, "state": "RESTARTING"}]}
OFFSETS = {"offsets": [{"partition": {"filename": "/srv/orders.txt"}, "offset": {"position": 120}}]}
SINK_OFFSETS = {"offsets": [{"partition": {"kafka_topic": "orders", "kafka_partition": 0}, "offset": {"kafka_offset": 1200}}]}
PLUGIN = {"class": "org.apache.kafka.connect.file.FileStreamSourceConnector", "type": "source", "version": "0.1.0"}
KEY = {
    "name": "topic",
    "type": "STRING",
    "required": True,
    "default_value": None,
    "importance": "HIGH",
    "documentation": "The topic to publish data to",
    "group": None,
    "order_in_group": -1,
    "width": "NONE",
    "display_name": "topic",
    "dependents": [],
}
VALIDATION = {
    "name": "FileStreamSource",
    "error_count": 1,
    "groups": ["Common", "Transforms", "Predicates", "Error Handling", "Topic Creation", "Exactly Once Support", "offsets.topic"],
    "configs": [
        {
            "definition": KEY,
            "value": {
                "name": "topic",
                "value": None,
                "recommended_values": [],
                "errors": ['Missing required configuration "topic" which has no default value.'],
                "visible": True,
            },
        }
    ],
}
GROUP = {
    "epoch": 7,
    "leader": WORKER,
    "workers": [
        {
            "worker_id": WORKER,
            "leader": True,
            "host": "build-1",
            "pid": 4711,
            "started": 1790000000000,
            "connectors": [NAME],
            "tasks": [TASK],
            "failed_plugins": [
                {"name": "Acme", "value": "acme.source:AcmeSource", "reason": "ModuleNotFoundError: No module named 'acme'"}
            ],
        }
    ],
    "moving": [],
}
