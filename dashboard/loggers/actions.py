"""Reading and setting levels: the cluster is asked while somebody waits."""

from dataclasses import dataclass

from connect_client import ConnectError, Logger
from dashboard.activity import Who, note
from dashboard.clusters import client
from dashboard.loggers.page import CLUSTER, LEVELS, WORKER
from dashboard.models import Cluster

_LONGEST_NAME = 500


class Unusable(Exception):
    """It was not asked for; why, in a sentence."""


@dataclass(frozen=True, slots=True)
class Done:
    """`loggers`: those that have another level now, of the worker that answered; None: all workers will have it in a moment."""

    loggers: tuple[str, ...] | None

    @property
    def scope(self) -> str:
        return CLUSTER if self.loggers is None else WORKER


def read(cluster: Cluster) -> list[Logger]:
    """Raises ConnectError."""
    return client(cluster).loggers()


def set_level(cluster: Cluster, name: str, level: str, who: Who, *, whole_cluster: bool) -> Done:
    """`name`: a logger or a namespace. Raises Unusable; ConnectError, after which it may have been changed only if there was no
    answer."""
    name, level = name.strip(), level.strip().upper()
    if not name or len(name) > _LONGEST_NAME:
        raise Unusable("Say which logger: a name, the beginning of some, or root.")
    if level not in LEVELS:
        raise Unusable(f"There is no level {level or 'without a name'}: {', '.join(LEVELS)}.")
    refused = ""
    try:
        return Done(client(cluster).set_level(name, level, cluster=whole_cluster))
    except ConnectError as error:
        refused = str(error)
        raise
    finally:
        after = {"logger": name, "level": level, "scope": CLUSTER if whole_cluster else WORKER}
        note(who, "set-log-level", cluster=cluster.name, after=after, refused=refused)
