"""A typed, synchronous client for the Kafka Connect REST API, whoever serves it: Drover or Apache Kafka, old or new."""

from connect_client.client import ConnectClient
from connect_client.errors import (
    ConnectConflict,
    ConnectError,
    ConnectNotFound,
    ConnectRefused,
    ConnectUnexpected,
    ConnectUnreachable,
)
from connect_client.listing import Listing, Unchanged
from connect_client.shapes import (
    Connector,
    ConnectorInfo,
    ConnectorStatus,
    Group,
    Health,
    Instance,
    InstanceStatus,
    Plugin,
    ServerInfo,
    TaskStatus,
    Worker,
)

__all__ = [
    "ConnectClient",
    "ConnectConflict",
    "ConnectError",
    "ConnectNotFound",
    "ConnectRefused",
    "ConnectUnexpected",
    "ConnectUnreachable",
    "Connector",
    "ConnectorInfo",
    "ConnectorStatus",
    "Group",
    "Health",
    "Instance",
    "InstanceStatus",
    "Listing",
    "Plugin",
    "ServerInfo",
    "TaskStatus",
    "Unchanged",
    "Worker",
]
