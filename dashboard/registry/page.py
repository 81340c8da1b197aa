"""The pages of Settings → Clusters as values, ready for their templates."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from dashboard.fleet.clusters import ClusterView
from dashboard.models import Cluster
from dashboard.registry import pem
from dashboard.registry.tried import Tried, remarks
from dashboard.registry.wish import FIELDS, NONE, Errors


@dataclass(frozen=True, slots=True)
class Line:
    """A cluster of the list. `fixed`: why it cannot be changed here."""

    view: ClusterView
    urls: tuple[str, ...]
    origin: str
    connectors: int
    fixed: str

    @property
    def more_urls(self) -> int:
        return len(self.urls) - 1


@dataclass(frozen=True, slots=True)
class ClustersPage:
    """`file` and `trouble`: the file of clusters, and why it was not taken up."""

    lines: tuple[Line, ...]
    file: str = ""
    trouble: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ClusterForm:
    """`values` by field, as they were typed or are kept, without secrets; of a new cluster `name` is empty."""

    name: str
    values: Mapping[str, str]
    secret_is_set: bool = False
    private_key_is_set: bool = False
    fixed: str = ""
    errors: Errors = field(default_factory=dict)
    tried: tuple[Tried, ...] = ()
    remove_error: str = ""

    @property
    def title(self) -> str:
        return f"Cluster {self.name}" if self.name else "Add a cluster"

    @property
    def about_authorities(self) -> str:
        return pem.about(self.values["authorities"])

    @property
    def about_certificate(self) -> str:
        return pem.about(self.values["certificate"])

    @property
    def remarks(self) -> tuple[str, ...]:
        return remarks(self.tried)

    @property
    def unplaced(self) -> tuple[tuple[str, str], ...]:
        """Errors of what the form has no field for: of a cluster that is there, its name."""
        shown = set(FIELDS) - ({"name"} if self.name else set())
        return tuple((name, error) for name, error in self.errors.items() if name not in shown)

    @property
    def first_error(self) -> str:
        return next((name for name in FIELDS if name in self.errors), "")


def kept(cluster: Cluster) -> dict[str, str]:
    """What a form of it begins with."""
    return {
        "name": cluster.name,
        "urls": "\n".join(cluster.urls),
        "auth": cluster.auth,
        "username": cluster.username,
        "authorities": cluster.authorities,
        "certificate": cluster.certificate,
        "poll_seconds": f"{cluster.poll_seconds:g}",
        "bootstrap_servers": cluster.bootstrap_servers,
    }


NEW = {**dict.fromkeys(FIELDS, ""), "auth": NONE, "poll_seconds": "1"}


def typed(sent: Mapping[str, str]) -> dict[str, str]:
    """What a form is drawn with again: everything but secrets."""
    return {name: sent.get(name, "") for name in FIELDS if name not in ("secret", "private_key")}
