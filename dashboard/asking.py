"""What a cluster is asked while somebody waits for a page. Everything else on a page comes from the database."""

from dataclasses import dataclass, replace
from datetime import datetime

from connect_client import ConnectError, PartitionOffset
from connect_client.states import State, own_state
from dashboard import queries
from dashboard.clusters import client
from dashboard.models import ConnectorSnapshot
from dashboard.offsets import partitions
from dashboard.offsets.history import Past
from dashboard.offsets.panel import DEAD, NO_PARTITIONS, NOTHING_TYPED, OffsetsPanel, Place, Review, Typed, curls, panel_key
from dashboard.offsets.partitions import Reach
from dashboard.offsets.table import Table, table
from dashboard.offsets.trouble import too_old, trouble


@dataclass(frozen=True, slots=True)
class Standing:
    """Where a connector stands in each of its partitions, in order, and how far Kafka's reach."""

    known: tuple[PartitionOffset, ...]
    reach: Reach


def standing(snapshot: ConnectorSnapshot) -> Standing:
    """Raises ConnectError."""
    offsets = client(snapshot.cluster).offsets(snapshot.name)
    found = reach(snapshot)
    return Standing(partitions.standing(offsets, found), found)


def reach(snapshot: ConnectorSnapshot, time: int | None = None) -> Reach:
    """Nothing where the cluster does not tell: it is no Drover, or cannot at this moment; a page does without.

    `time`, in milliseconds since 1970, asks for the offsets of that moment, too.
    """
    if (snapshot.info or {}).get("type") != "sink":
        return {}
    try:
        return partitions.reach(client(snapshot.cluster).positions(snapshot.name, time))
    except ConnectError:
        return {}


def topics(snapshot: ConnectorSnapshot) -> tuple[str, ...]:
    """Those that the connector has used (KIP-558). Nothing where the cluster does not keep count; a page does without."""
    try:
        return tuple(client(snapshot.cluster).topics(snapshot.name))
    except ConnectError:
        return ()


def opened(snapshot: ConnectorSnapshot, now: datetime, *, shown: str = "", result: Past | None = None) -> OffsetsPanel:
    """The offsets tab. `shown`: the key of the panel that is on somebody's screen already. It stays there, and the cluster is not
    asked again, as long as it fits: what is typed into it belongs to whoever types."""
    place = _place(snapshot, now)
    key = panel_key(place.state)
    if shown == key or (shown == DEAD and not place.cluster.reachable):
        return OffsetsPanel(place, shown, kept=True)
    history = queries.offset_changes(snapshot)
    if old := too_old(place.cluster):
        return OffsetsPanel(place, key, trouble=old, history=history)
    if not place.cluster.reachable:
        return OffsetsPanel(place, DEAD, trouble=trouble(place.cluster, None), result=result, history=history)
    try:
        now_at = standing(snapshot)
    except ConnectError as error:
        return OffsetsPanel(place, key, trouble=trouble(place.cluster, error), result=result, history=history)
    panel = drawn(snapshot, now, table(now_at.known, now_at.reach))
    return replace(panel, asked_at=now, result=result, topics=topics(snapshot))


def drawn(
    snapshot: ConnectorSnapshot,
    now: datetime,
    shown: Table = NO_PARTITIONS,
    *,
    review: Review | None = None,
    typed: Typed = NOTHING_TYPED,
) -> OffsetsPanel:
    """A panel of what has been asked for already."""
    place, history = _place(snapshot, now), queries.offset_changes(snapshot)
    commands = curls(place, shown, review, history)
    return OffsetsPanel(place, panel_key(place.state), table=shown, review=review, typed=typed, history=history, curls=commands)


def _place(snapshot: ConnectorSnapshot, now: datetime) -> Place:
    cluster = queries.cluster_view(snapshot.cluster, now)
    status = queries.sight(snapshot, cluster, now).connector.status
    state = own_state(status.connector.state) if status else State.UNASSIGNED
    return Place(cluster, snapshot.name, state)
