"""The page that creates a connector as values."""

from dataclasses import dataclass

from connect_client.features import Feature, lacking
from dashboard.configs.panel import Editor
from dashboard.fleet.clusters import ClusterView

#: KIP-980.
INITIAL_STATES = ("RUNNING", "PAUSED", "STOPPED")


@dataclass(frozen=True, slots=True)
class Origin:
    """The connector that the new one is like: its cluster is empty where there is none. `again`: it is to be the same one."""

    cluster: str = ""
    name: str = ""
    version: int = 0
    again: bool = False


@dataclass(frozen=True, slots=True)
class Creation:
    """`others`: what was pasted besides, each as JSON."""

    editor: Editor
    clusters: tuple[ClusterView, ...]
    cluster: ClusterView | None
    origin: Origin
    initial_state: str = ""
    others: tuple[str, ...] = ()

    @property
    def states(self) -> tuple[str, ...]:
        return INITIAL_STATES

    @property
    def places(self) -> tuple[tuple[ClusterView, str], ...]:
        """Where it may be, and why it cannot be given an initial state there; empty, if it can."""
        return tuple((cluster, lacking(cluster.version, Feature.INITIAL_STATE)) for cluster in self.clusters)

    @property
    def lacks_states(self) -> str:
        return next((lacks for place, lacks in self.places if place == self.cluster), "")
