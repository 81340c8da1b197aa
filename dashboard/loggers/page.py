"""The page of a cluster's loggers as values, ready for its template."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime

from connect_client import ConnectError, ConnectNotFound, ConnectUnreachable, Logger, calls
from connect_client.features import Feature, is_drover, lacking, supports
from dashboard.fleet.clusters import ClusterView
from dashboard.fleet.connector_page import Curl, curl
from dashboard.offsets.trouble import Trouble

ROOT = "root"
#: By log4j's names, the fewest lines first.
LEVELS = ("OFF", "FATAL", "ERROR", "WARN", "INFO", "DEBUG", "TRACE", "ALL")
CLUSTER, WORKER = "cluster", "worker"


@dataclass(frozen=True, slots=True)
class Line:
    """`set_at`: when somebody last set it; None: not since the worker started, or not told."""

    name: str
    level: str
    set_at: datetime | None


@dataclass(frozen=True, slots=True)
class Typed:
    """What is in the form."""

    logger: str = ""
    level: str = "DEBUG"
    scope: str = CLUSTER
    error: str = ""


NOTHING_TYPED = Typed()


@dataclass(frozen=True, slots=True)
class LoggersPage:
    cluster: ClusterView
    typed: Typed = NOTHING_TYPED
    lines: tuple[Line, ...] = ()
    asked_at: datetime | None = None
    trouble: Trouble | None = None

    @property
    def kept(self) -> bool:
        """It was dear to fetch, or is somebody's at work: an event does not have it asked for again. A cluster that is known to
        be away was not asked, and shows as soon as it is back."""
        return self.cluster.reachable

    @property
    def only_one_worker(self) -> str:
        """Why no more than one worker can be changed; empty where all can be."""
        why = lacking(self.cluster.version, Feature.CLUSTER_LOGGERS)
        return f"{why} Only the worker that answers is changed." if why else ""

    @property
    def whose(self) -> str:
        if is_drover(self.cluster.version):
            return "of all its processes; where they differ, the newest"
        return "of the worker that answered; others may have other levels"

    @property
    def set_since(self) -> int:
        return sum(line.set_at is not None for line in self.lines)

    @property
    def scopes(self) -> tuple[tuple[str, str, bool, bool], ...]:
        """Value, word, chosen, possible."""
        possible = not self.only_one_worker
        whole = possible and self.typed.scope == CLUSTER
        one = "the process that answers and its workers" if is_drover(self.cluster.version) else "the worker that answers"
        return ((CLUSTER, "all workers of the cluster", whole, possible), (WORKER, one, not whole, True))

    @property
    def levels(self) -> tuple[str, ...]:
        return LEVELS

    @property
    def curls(self) -> tuple[Curl, ...]:
        name, level = self.typed.logger or "org.apache.kafka.connect", self.typed.level
        url = self.cluster.url
        return (
            Curl("The loggers", curl(url, calls.loggers())),
            Curl(f"Log {name} at {level}", curl(url, calls.set_level(name, level, cluster=not self.only_one_worker))),
        )


def lines(loggers: Iterable[Logger]) -> tuple[Line, ...]:
    """The root logger first."""
    found = (Line(one.name, one.level, _moment(one.last_modified)) for one in loggers)
    return tuple(sorted(found, key=lambda line: (line.name != ROOT, line.name)))


def too_old(cluster: ClusterView) -> Trouble | None:
    """Known before anything is asked."""
    why = lacking(cluster.version, Feature.LOGGERS)
    return Trouble(f"Cluster {cluster.name} is too old for log levels", why) if why else None


def away(cluster: ClusterView) -> Trouble | None:
    """It is not even asked."""
    if cluster.reachable:
        return None
    text = "Levels are asked of the cluster when they are looked at: they show as soon as it answers again."
    return Trouble(f"Cluster {cluster.name} cannot be reached", text, cluster.error)


def trouble(cluster: ClusterView, error: ConnectError) -> Trouble:
    if isinstance(error, ConnectUnreachable):
        return Trouble(f"Cluster {cluster.name} did not answer", "Its levels are not known. Ask again.", str(error))
    if isinstance(error, ConnectNotFound):
        return Trouble(
            f"Cluster {cluster.name} has no loggers at this address",
            "Where admin.listeners is set, they are at another address, or nowhere.",
            str(error),
        )
    return Trouble(f"Cluster {cluster.name} did not tell its levels", "Nothing was changed. Ask again.", str(error))


def whole_cluster(cluster: ClusterView, scope: str) -> bool:
    """Whether all workers are asked for."""
    return scope != WORKER and supports(cluster.version, Feature.CLUSTER_LOGGERS)


def _moment(milliseconds: int | None) -> datetime | None:
    return None if milliseconds is None else datetime.fromtimestamp(milliseconds / 1000, UTC)
