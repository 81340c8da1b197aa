"""`/api/`: what Kafka Connect does not have."""

from connect_api.openapi import examples
from connect_api.openapi.operation import ASKED, READ, Answer, Operation

_POSITION = {
    "partition": {"kafka_partition": 3, "kafka_topic": "orders"},
    "offset": {"kafka_offset": 1200},
    "beginning": 0,
    "end": 1350,
    "at": 1180,
}

OPERATIONS = {
    ("GET", "/api/v1/workers"): Operation(
        "getWorkers",
        "Drover",
        "Who is in the worker group, and what runs where",
        {
            200: Answer("The group.", "WorkerGroup", examples.GROUP, headers=("ETag",)),
            304: Answer("Nothing has changed since the answer of `If-None-Match`.", headers=("ETag",)),
        },
        READ,
        parameters=("If-None-Match",),
        description="Kafka Connect does not tell. What is on its way from one worker to another is in `moving`.",
    ),
    ("GET", "/api/v1/connectors/{name}/positions"): Operation(
        "getConnectorPositions",
        "Drover",
        "How far the partitions that a sink reads reach",
        {200: Answer("The positions.", "Positions", {"positions": [_POSITION]})},
        {**ASKED, 400: "Invalid value x for time: milliseconds since 1970 were expected", 404: "Connector orders not found"},
        parameters=("name", "time"),
        description="For lag, and for going to an end or to a moment. Asked of Kafka at this moment.",
    ),
    ("GET", "/api/openapi.json"): Operation(
        "getOpenApi",
        "Drover",
        "This document, as JSON",
        {200: Answer("The document.", "OpenApi")},
        description="OpenAPI 3.1, made of the server's own URL patterns.",
    ),
    ("GET", "/api/openapi.yaml"): Operation(
        "getOpenApiText",
        "Drover",
        "This document, as YAML",
        {200: Answer("The document.", "OpenApi", media_type="application/yaml")},
        description="The same as at `/api/openapi.json`, for people and for version control.",
    ),
    ("GET", "/api/docs"): Operation(
        "getDocs",
        "Drover",
        "A page to read this document on, and to try it",
        {200: Answer("The page.", "Page", media_type="text/html")},
        description="Swagger UI, from this server alone: it needs nothing from elsewhere.",
    ),
}
