"""A typed, synchronous client for the Kafka Connect REST API, whoever serves it: Drover or Apache Kafka, old or new."""

from connect_client.client import ConnectClient
from connect_client.definitions import Checked, ConfigKey, Validation
from connect_client.errors import (
    ConnectConflict,
    ConnectDenied,
    ConnectError,
    ConnectNotFound,
    ConnectPartly,
    ConnectRefused,
    ConnectUnexpected,
    ConnectUnreachable,
    ConnectUnusable,
)
from connect_client.listing import Listing, Unchanged
from connect_client.security import Basic, Bearer, Tls, UnusableTls
from connect_client.shapes import (
    Connector,
    ConnectorInfo,
    ConnectorStatus,
    Group,
    Health,
    Instance,
    InstanceStatus,
    Logger,
    PartitionOffset,
    Plugin,
    Position,
    ServerInfo,
    TaskStatus,
    Worker,
)

__all__ = [
    "Basic",
    "Bearer",
    "Checked",
    "ConfigKey",
    "ConnectClient",
    "ConnectConflict",
    "ConnectDenied",
    "ConnectError",
    "ConnectNotFound",
    "ConnectPartly",
    "ConnectRefused",
    "ConnectUnexpected",
    "ConnectUnreachable",
    "ConnectUnusable",
    "Connector",
    "ConnectorInfo",
    "ConnectorStatus",
    "Group",
    "Health",
    "Instance",
    "InstanceStatus",
    "Listing",
    "Logger",
    "PartitionOffset",
    "Plugin",
    "Position",
    "ServerInfo",
    "TaskStatus",
    "Tls",
    "Unchanged",
    "UnusableTls",
    "Validation",
    "Worker",
]
