"""The workers' page as values, ready for its template."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from connect_client import Instance
from dashboard.fleet.clusters import ClusterView, troubled
from dashboard.fleet.durations import span
from dashboard.fleet.sentence import count
from dashboard.placement.memory import GONE_SHOWN
from dashboard.placement.panels import Known, Line, Panel, line_of, panel
from dashboard.placement.roster import Roster, places
from dashboard.placement.shown import Shown, panel_id

BAR_WIDTH = 1000
_MOST_EVENTS = 3
_MOST_MOVING = 12


@dataclass(frozen=True, slots=True)
class Segment:
    """A worker's stretch of the bar, in its own units (`BAR_WIDTH` in all)."""

    title: str
    start: float
    width: float


@dataclass(frozen=True, slots=True)
class Event:
    """Somebody left or came back. `text` is what follows the time."""

    worker_id: str
    left: bool
    at: datetime
    text: str


@dataclass(frozen=True, slots=True)
class ClusterWorkers:
    """One cluster's section. `told`: it says itself who is there."""

    cluster: ClusterView
    told: bool
    panels: tuple[Panel, ...]
    bar: tuple[Segment, ...]
    balance: str
    moving: tuple[Line, ...]
    moving_count: int

    @property
    def present(self) -> int:
        return sum(not panel.gone for panel in self.panels)

    @property
    def tasks(self) -> int:
        return sum(len(panel.seen.worker.tasks) for panel in self.panels if not panel.gone)

    @property
    def more_moving(self) -> int:
        return max(0, self.moving_count - sum(len(line.cells) + (line.own is not None) for line in self.moving))


@dataclass(frozen=True, slots=True)
class WorkersPage:
    clusters: tuple[ClusterWorkers, ...]
    now: datetime

    @property
    def headline(self) -> str:
        """`3 workers, 60 tasks`: those that run on a worker; what waits for one is told beside it."""
        workers, tasks = sum(part.present for part in self.clusters), sum(part.tasks for part in self.clusters)
        if not workers:
            return "No workers"
        among = f" in {len(self.clusters)} clusters" if self.several_clusters else ""
        return f"{count(workers, 'worker')}{among}, {count(tasks, 'task')}"

    @property
    def events(self) -> tuple[Event, ...]:
        """The latest first."""
        of_all = [event for part in self.clusters for panel in part.panels if (event := _event(panel, self.now))]
        return tuple(sorted(of_all, key=lambda event: event.at, reverse=True)[:_MOST_EVENTS])

    @property
    def moving(self) -> int:
        return sum(part.moving_count for part in self.clusters)

    @property
    def changes(self) -> int:
        return sum(panel.changes for part in self.clusters for panel in part.panels)

    @property
    def several_clusters(self) -> bool:
        return len(self.clusters) > 1

    @property
    def troubled(self) -> tuple[ClusterView, ...]:
        return troubled([part.cluster for part in self.clusters])


def cluster_workers(
    cluster: ClusterView, roster: Roster, connectors: Mapping[str, Known], shown: Shown, now: datetime
) -> ClusterWorkers:
    where = places(roster.workers)
    panels = []
    for seen in roster.workers:
        id = panel_id(cluster.name, seen.worker.worker_id)
        # A panel that somebody is looking at does not go away under the pointer.
        if id in shown or not (seen.left_at and seen.gone and now - seen.left_at > GONE_SHOWN):
            panels.append(panel(cluster.name, seen, connectors, where, shown.get(id, ()), now))
    bar = _bar(panels)
    lines = _moving(roster.moving, connectors)
    return ClusterWorkers(cluster, roster.told, tuple(panels), bar, _balance(panels), lines, len(roster.moving))


def _moving(moving: Iterable[Instance], connectors: Mapping[str, Known]) -> tuple[Line, ...]:
    by_connector: defaultdict[str, list[Instance]] = defaultdict(list)
    for instance in list(moving)[:_MOST_MOVING]:
        if instance.connector in connectors:
            by_connector[instance.connector].append(instance)
    return tuple(line_of(connectors[name], instances) for name, instances in by_connector.items())


def _present(panels: Sequence[Panel]) -> list[Panel]:
    return [panel for panel in panels if not panel.gone]


def _bar(panels: Sequence[Panel]) -> tuple[Segment, ...]:
    present = _present(panels)
    total = sum(len(panel.seen.worker.tasks) for panel in present)
    segments: list[Segment] = []
    start = 0.0
    for one in present if total else ():
        worker = one.seen.worker
        width = round(BAR_WIDTH * len(worker.tasks) / total, 1)
        title = f"{worker.worker_id}: {count(len(worker.tasks), 'task')}, {count(len(worker.connectors), 'connector')}"
        segments.append(Segment(title, start, width))
        start = round(start + width, 1)
    return tuple(segments)


def _balance(panels: Sequence[Panel]) -> str:
    """In words what the bar shows."""
    tasks = sorted(len(panel.seen.worker.tasks) for panel in _present(panels))
    if not tasks:
        return ""
    if len(tasks) == 1:
        return f"{count(tasks[0], 'task')}, all on one worker"
    least, most = tasks[0], tasks[-1]
    if least == most:
        return f"balanced: {count(most, 'task')} each"
    return f"{'balanced' if most - least == 1 else 'uneven'}: {least:,} to {most:,} tasks each"


def _event(panel: Panel, now: datetime) -> Event | None:
    seen = panel.seen
    worker_id = seen.worker.worker_id
    if seen.left_at and seen.gone:
        return Event(worker_id, True, seen.left_at, panel.fate) if now - seen.left_at < GONE_SHOWN else None
    return Event(worker_id, False, seen.back_at, _again(seen.left_at, seen.back_at)) if panel.back and seen.back_at else None


def _again(left_at: datetime | None, back_at: datetime) -> str:
    """How long it was away, if that was seen."""
    return f"was away for {span(back_at - left_at)}" if left_at else ""
