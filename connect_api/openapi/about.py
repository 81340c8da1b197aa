"""What the document says of itself."""

DESCRIPTION = """\
The REST API of Kafka Connect 4.3, as Drover serves it, and Drover's own beside it, under `/api/v1/`.

- Bodies are JSON in UTF-8 both ways. A request with a body says `Content-Type: application/json`.
- Every failure is answered with `{"error_code": <the status>, "message": <why>}`.
- HEAD is answered wherever GET is, OPTIONS everywhere; another method is answered 405, a path that is not here 404.
- A slash may follow every path.
- A write is answered 2xx when it is in Kafka and every read of this server shows it. A 409 that speaks of a rebalance or of no
  leader, and a 503, can be sent again.
- Names of connectors are percent-encoded in paths.

What differs from Apache Kafka Connect on purpose is listed in `docs/compatibility.md`.
"""

#: Tag → what is under it.
TAGS = {
    "Cluster": "The worker, its health and its figures.",
    "Connectors": "Connectors, their configs and their states.",
    "Tasks": "What a connector is made of.",
    "Offsets": "Where connectors stand (KIP-875).",
    "Topics": "What connectors read and write (KIP-558).",
    "Plug-ins": "What connectors can be made of (KIP-769).",
    "Loggers": "How much the workers log (KIP-495, KIP-976).",
    "Drover": "What Kafka Connect does not have.",
}
