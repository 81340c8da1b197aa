"""What the control room keeps."""

from dashboard.models.alerts import Alert, AlertDelivery, AlertRule
from dashboard.models.clusters import Cluster, ClustersFile
from dashboard.models.history import Activity, ConfigVersion, Gap, Readings, Sampling, StateChange
from dashboard.models.jobs import Job, JobItem
from dashboard.models.moves import Move
from dashboard.models.offsets import OffsetChange
from dashboard.models.people import FailedSignIn, Grant, Token
from dashboard.models.resources import Resource, ResourceAnnotation, ResourceConnector
from dashboard.models.restarting import AutoRestart, RestartOverride, RestartPolicy
from dashboard.models.seen import ClusterSnapshot, ConnectorSnapshot, GroupSnapshot, PluginSnapshot

__all__ = [
    "Activity",
    "Alert",
    "AlertDelivery",
    "AlertRule",
    "AutoRestart",
    "Cluster",
    "ClusterSnapshot",
    "ClustersFile",
    "ConfigVersion",
    "ConnectorSnapshot",
    "FailedSignIn",
    "Gap",
    "Grant",
    "GroupSnapshot",
    "Job",
    "JobItem",
    "Move",
    "OffsetChange",
    "PluginSnapshot",
    "Readings",
    "Resource",
    "ResourceAnnotation",
    "ResourceConnector",
    "RestartOverride",
    "RestartPolicy",
    "Sampling",
    "StateChange",
    "Token",
]
