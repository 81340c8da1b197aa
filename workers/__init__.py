"""Everything that runs: herder, stores, runtime, connectors."""

VERSION = "0.1.0"
#: What `GET /` shows as the commit; a release sets it.
COMMIT = "unknown"
