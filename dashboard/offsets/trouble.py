"""Why a connector's offsets cannot be shown: what happened, and what to do."""

from dataclasses import dataclass

from connect_client import ConnectError, ConnectRefused, ConnectUnreachable
from connect_client.features import Feature, lacking
from dashboard.fleet.clusters import ClusterView

# What Kafka Connect's server says of a path that it does not know; of a connector that it does not know it names the connector.
_NO_SUCH_PATH = ("HTTP 404 Not Found", "HTTP 405 Method Not Allowed")


@dataclass(frozen=True, slots=True)
class Trouble:
    title: str
    text: str
    why: str = ""


def too_old(cluster: ClusterView) -> Trouble | None:
    """Known before anything is asked."""
    why = lacking(cluster.version, Feature.OFFSETS)
    return Trouble(f"Cluster {cluster.name} is too old to tell offsets", f"{why} They can be changed as of 3.6.") if why else None


def trouble(cluster: ClusterView, error: ConnectError | None) -> Trouble:
    """Without an error: the cluster was not even asked, because it is known not to answer."""
    if error is None:
        return Trouble(
            f"Cluster {cluster.name} cannot be reached",
            "Offsets are asked of the cluster when they are looked at: they show as soon as it answers again.",
            cluster.error,
        )
    if isinstance(error, ConnectUnreachable):
        return Trouble(
            f"Cluster {cluster.name} did not answer", "Where the connector stands is not known. Ask again.", str(error)
        )
    if isinstance(error, ConnectRefused) and str(error) in _NO_SUCH_PATH:
        version = f" It says that it is {cluster.version}." if cluster.version else ""
        return Trouble(
            f"Cluster {cluster.name} is too old to tell offsets",
            f"Kafka Connect shows them as of 3.5, and lets them be changed as of 3.6.{version}",
            str(error),
        )
    status = f"{error.status}, " if isinstance(error, ConnectRefused) else ""
    return Trouble(f"Cluster {cluster.name} did not tell the offsets", "Nothing was changed. Ask again.", f"{status}{error}")
