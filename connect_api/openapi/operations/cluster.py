"""`/`, `/health`, `/metrics`."""

from connect_api.openapi.operation import READ, Answer, Operation

_HEALTHY = {"status": "healthy", "message": "Worker has completed startup and is ready to handle requests."}
_STARTING = {"status": "starting", "message": "Worker is still starting up."}
_UNHEALTHY = {
    "status": "unhealthy",
    "message": "Worker was unable to handle this request and may be unable to handle other requests.",
}
_SAMPLE = 'kafka_connect_connector_status{connector="orders",status="running"} 1\n'

OPERATIONS = {
    ("GET", "/"): Operation(
        "getServerInfo",
        "Cluster",
        "Version of the worker, id of the Kafka cluster",
        {
            200: Answer(
                "The versions.",
                "ServerInfo",
                {"version": "0.1.0", "commit": "unknown", "kafka_cluster_id": "4L6g3nShT-eMCtK--X86sw"},
            ),
            302: Answer("To the control room: for a request that accepts `text/html`, which is a person's."),
        },
        READ,
        description="Answered by the server that was asked, whatever the state of the group: for finding out who is there.",
    ),
    ("GET", "/health"): Operation(
        "getHealth",
        "Cluster",
        "Whether the worker is ready (KIP-1017)",
        {
            200: Answer("It is.", "Health", _HEALTHY),
            500: Answer("It does not answer.", "Health", _UNHEALTHY),
            503: Answer("It is starting.", "Health", _STARTING),
        },
        description="200 once the topics have been read and the leader answers. Not of the error's shape, whatever the status.",
    ),
    ("GET", "/metrics"): Operation(
        "getMetrics",
        "Drover",
        "Figures for Prometheus",
        {200: Answer("Named after Kafka Connect's JMX attributes.", "Metrics", _SAMPLE, media_type="text/plain")},
        READ,
        description="Drover's own: Kafka Connect's figures are in JMX. docs/metrics.md names them all.",
    ),
}
