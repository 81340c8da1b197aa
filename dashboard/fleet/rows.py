"""A connector as a line of the fleet."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from connect_client import Connector, ConnectorStatus
from connect_client.states import State, failures, own_state
from connect_client.traces import root_cause
from dashboard.fleet.clusters import ClusterView
from dashboard.fleet.verbs import Offer, Verb, offers

# More tasks than this become a bar of proportions.
MOST_CELLS = 24
BAR_WIDTH = 240
_BROKEN = (State.FAILED, State.RESTARTING)


@dataclass(frozen=True, slots=True)
class Cell:
    task: int
    state: State
    worker: str


@dataclass(frozen=True, slots=True)
class Segment:
    """A stretch of the bar, in its own units (`BAR_WIDTH` in all)."""

    state: State
    count: int
    start: float
    width: float


@dataclass(frozen=True, slots=True)
class Automatic:
    """How automatic restarts of what has failed stand: after so many the next is at `next_at`, or it was given up."""

    restarts: int
    next_at: datetime | None
    gave_up: bool


@dataclass(frozen=True, slots=True)
class Row:
    """`gone`: it was shown here and has been deleted since; nothing but its place is left. `tall`: it had a second line when it
    was last drawn, and keeps it even if there is nothing to say there now: rows below it would jump up.
    """

    id: int
    cluster: str
    name: str
    type: str
    class_name: str
    state: State
    since: datetime | None
    cells: tuple[Cell, ...]
    segments: tuple[Segment, ...]
    failures: int
    cause: str
    offers: tuple[Offer, ...]
    reachable: bool = True
    live: bool = True
    gone: bool = False
    tall: bool = False
    automatic: Automatic | None = None

    @property
    def key(self) -> str:
        return f"{self.cluster}/{self.name}"

    @property
    def short_class(self) -> str:
        return short_class(self.class_name)


def row(
    id: int,
    cluster: ClusterView,
    connector: Connector,
    state: State,
    since: datetime | None,
    *,
    tall: bool = False,
    automatic: Automatic | None = None,
) -> Row:
    status = connector.status
    few = status is None or len(status.tasks) <= MOST_CELLS
    return Row(
        id=id,
        cluster=cluster.name,
        name=connector.name,
        type=type_of(connector),
        class_name=class_of(connector),
        state=state,
        since=since,
        cells=cells(status) if few else (),
        segments=() if few else segments(status),
        failures=failures(status),
        cause=cause(status),
        offers=_for_a_row(offers(status, connector.name, cluster.version)),
        reachable=cluster.reachable,
        live=cluster.live,
        tall=tall,
        automatic=automatic if state in (State.FAILED, State.DEGRADED) else None,
    )


def gone(id: int) -> Row:
    return Row(id, "", "", "", "", State.STOPPED, None, (), (), 0, "", (), gone=True)


def class_of(connector: Connector) -> str:
    return (connector.info and connector.info.config.get("connector.class")) or ""


def short_class(name: str) -> str:
    """`FileStreamSink` of `org.apache.kafka.connect.file.FileStreamSinkConnector`."""
    return name.rpartition(".")[2].removesuffix("Connector") or name


def type_of(connector: Connector) -> str:
    told = (connector.info and connector.info.type) or (connector.status and connector.status.type)
    return told if told in ("source", "sink") else ""


def cause(status: ConnectorStatus | None) -> str:
    """The root cause in one line: the connector's own, or the first such task's, named when it is one of several.

    What is being restarted keeps the trace of the failure before for as long as the cluster tells it; that is worth a line, too.
    """
    if status is None:
        return ""
    if own_state(status.connector.state) in _BROKEN and status.connector.trace:
        return root_cause(status.connector.trace)
    broken = [task for task in status.tasks if own_state(task.state) in _BROKEN and task.trace]
    if not broken:
        return ""
    text = root_cause(broken[0].trace)
    return text if len(status.tasks) == 1 else f"task {broken[0].id}: {text}"


def cells(status: ConnectorStatus | None) -> tuple[Cell, ...]:
    return tuple(Cell(task.id, own_state(task.state), task.worker_id) for task in status.tasks) if status else ()


def segments(status: ConnectorStatus | None) -> tuple[Segment, ...]:
    counts = Counter(cell.state for cell in cells(status))
    total = sum(counts.values())
    result: list[Segment] = []
    start = 0.0
    for state in sorted(counts, key=lambda state: state.rank):
        width = round(BAR_WIDTH * counts[state] / total, 1)
        result.append(Segment(state, counts[state], start, width))
        start = round(start + width, 1)
    return tuple(result)


def _for_a_row(all_of_them: Sequence[Offer]) -> tuple[Offer, ...]:
    """A row has the one restart that fits and pause or resume; the rest is on the connector's page."""
    some_failed = any(offer.verb is Verb.RESTART_FAILED for offer in all_of_them)
    left_out = {Verb.STOP, Verb.RESTART} if some_failed else {Verb.STOP}
    return tuple(offer for offer in all_of_them if offer.verb not in left_out)
