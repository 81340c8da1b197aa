"""How far what is shown of a cluster can be trusted."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import Enum

# The follower notes each attempt; a held request takes twenty seconds, a dead cluster's connection attempt a few.
SILENCE = timedelta(seconds=60)


class Contact(Enum):
    LIVE = "live"
    UNREACHABLE = "unreachable"
    # The cluster may be well: it is the control process that has gone silent.
    UNFOLLOWED = "unfollowed"
    # Registered, and not a single answer yet.
    AWAITED = "awaited"


@dataclass(frozen=True, slots=True)
class ClusterView:
    name: str
    url: str
    version: str
    contact: Contact
    fetched_at: datetime | None
    since: datetime | None
    error: str
    #: What curl has to be told besides the URL.
    flags: str = ""

    @property
    def live(self) -> bool:
        return self.contact is Contact.LIVE

    @property
    def reachable(self) -> bool:
        return self.contact is not Contact.UNREACHABLE


def contact(
    fetched_at: datetime | None, checked_at: datetime | None, unreachable_since: datetime | None, now: datetime
) -> Contact:
    if checked_at is None:
        return Contact.AWAITED
    if now - checked_at > SILENCE:
        return Contact.UNFOLLOWED
    if unreachable_since is not None:
        return Contact.UNREACHABLE
    return Contact.AWAITED if fetched_at is None else Contact.LIVE


def troubled(clusters: Sequence[ClusterView]) -> tuple[ClusterView, ...]:
    """One banner each; but it is one control process that follows them all, and its silence is told once."""
    silent = [cluster for cluster in clusters if cluster.contact is Contact.UNFOLLOWED]
    return (*silent[:1], *[cluster for cluster in clusters if not cluster.live and cluster not in silent])
