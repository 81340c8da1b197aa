"""A worker as a panel: what runs on it, connector by connector."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime

from connect_client import ConnectorStatus, Instance, InstanceStatus, TaskStatus
from connect_client.states import State, own_state
from dashboard.fleet.order import hold
from dashboard.fleet.rows import MOST_CELLS
from dashboard.placement.memory import BACK_SHOWN, Seen
from dashboard.placement.roster import own
from dashboard.placement.shown import panel_id

# A panel with more connectors than this shows first what is not well, and counts the rest.
MOST_LINES = 60


@dataclass(frozen=True, slots=True)
class Known:
    """A connector as far as this page is concerned."""

    id: int
    name: str
    status: ConnectorStatus | None


@dataclass(frozen=True, slots=True)
class Cell:
    """A task, or the connector instance where `task` is None. Without a state it is the mark of one that ran here."""

    task: int | None
    state: State | None
    title: str


@dataclass(frozen=True, slots=True)
class Line:
    """What a worker runs of one connector. `here` is false for one that was shown and has moved on: its place is kept.
    Where there are too many tasks for cells, `counts` takes their place."""

    id: int
    name: str
    own: Cell | None = None
    cells: tuple[Cell, ...] = ()
    counts: tuple[tuple[State, int], ...] = ()
    here: bool = True


@dataclass(frozen=True, slots=True)
class Panel:
    id: int
    seen: Seen
    lines: tuple[Line, ...]
    more: int
    changes: int
    fate: str
    recent: bool

    @property
    def gone(self) -> bool:
        return self.seen.gone

    @property
    def back(self) -> bool:
        return self.recent and not self.seen.gone

    @property
    def started(self) -> datetime | None:
        started = self.seen.worker.started
        return datetime.fromtimestamp(started / 1000, UTC) if started else None


def panel(
    cluster: str,
    seen: Seen,
    connectors: Mapping[str, Known],
    where: Mapping[Instance, str],
    shown: tuple[int, ...],
    now: datetime,
) -> Panel:
    worker = seen.worker
    runs: dict[str, list[Instance]] = {}
    for instance in (*own(worker), *worker.tasks):
        if instance.connector in connectors:
            runs.setdefault(instance.connector, []).append(instance)
    lines = {
        connectors[name].id: _gone_line(connectors[name], instances, where)
        if seen.gone
        else _line(connectors[name], instances, worker.worker_id)
        for name, instances in runs.items()
    }
    held = hold([line.id for line in _first(lines.values())], shown, MOST_LINES)
    names = {known.id: known.name for known in connectors.values()} if set(held.ids) - lines.keys() else {}
    return Panel(
        id=panel_id(cluster, worker.worker_id),
        seen=seen,
        lines=tuple(lines.get(id) or Line(id, names.get(id, ""), here=False) for id in held.ids),
        more=len(lines.keys() - set(held.ids)),
        changes=held.changes,
        fate=fate(seen, connectors, where) if seen.gone else "",
        recent=seen.back_at is not None and now - seen.back_at < BACK_SHOWN,
    )


def fate(seen: Seen, connectors: Mapping[str, Known], where: Mapping[Instance, str]) -> str:
    """What became of that which ran on a worker that has left: `its 20 tasks run on 2 others`."""
    tasks = [task for task in seen.worker.tasks if _exists(task, connectors)]
    noun, had = ("task", tasks) if tasks else ("connector", [one for one in own(seen.worker) if one.connector in connectors])
    if not had:
        return "nothing ran on it"
    places = [where[instance] for instance in had if instance in where]
    others = places[0] if len(set(places)) == 1 else f"{len(set(places))} others"
    left = len(had) - len(places)
    if not places:
        return f"its {_count(had, noun)} {_verb(had, 'wait')} for a worker"
    if not left:
        return f"its {_count(had, noun)} {_verb(had, 'run')} on {others}"
    return f"{len(places):,} of its {_count(had, noun)} {_verb(places, 'run')} on {others}, {left:,} {_verb(range(left), 'wait')}"


def line_of(known: Known, instances: Iterable[Instance]) -> Line:
    """What nobody runs of one connector."""
    return _line(known, list(instances), "")


def _line(known: Known, instances: list[Instance], worker_id: str) -> Line:
    cells = [_cell(known, instance, worker_id) for instance in instances]
    tasks = [cell for cell in cells if cell.task is not None]
    few = len(tasks) <= MOST_CELLS
    counts = Counter(cell.state for cell in tasks if cell.state)
    return Line(
        known.id,
        known.name,
        next((cell for cell in cells if cell.task is None), None),
        tuple(tasks) if few else (),
        () if few else tuple(sorted(counts.items(), key=lambda item: item[0].rank)),
    )


def _gone_line(known: Known, instances: list[Instance], where: Mapping[Instance, str]) -> Line:
    def cell(instance: Instance) -> Cell:
        place = where.get(instance)
        return Cell(instance.task, None, f"{_named(instance)} · {f'runs on {place}' if place else 'waits for a worker'}")

    cells = [cell(instance) for instance in instances if instance.task is None or _exists(instance, {known.name: known})]
    tasks = tuple(cell for cell in cells if cell.task is not None)
    return Line(known.id, known.name, next((cell for cell in cells if cell.task is None), None), tasks[:MOST_CELLS])


def _cell(known: Known, instance: Instance, worker_id: str) -> Cell:
    state = _state(_told(known, instance), worker_id)
    return Cell(instance.task, state, f"{_named(instance)} · {state}")


def _state(told: InstanceStatus | TaskStatus | None, worker_id: str) -> State:
    """Where it was last told RUNNING by another worker, this one has still to start it."""
    if told is None:
        return State.UNASSIGNED
    state = own_state(told.state)
    elsewhere = told.worker_id and told.worker_id != worker_id
    return State.UNASSIGNED if state is State.RUNNING and elsewhere else state


def _told(known: Known, instance: Instance) -> InstanceStatus | TaskStatus | None:
    if known.status is None:
        return None
    if instance.task is None:
        return known.status.connector
    return next((task for task in known.status.tasks if task.id == instance.task), None)


def _exists(task: Instance, connectors: Mapping[str, Known]) -> bool:
    known = connectors.get(task.connector)
    return known is not None and _told(known, task) is not None


def _first(lines: Iterable[Line]) -> list[Line]:
    """By name; of too many, those with something that does not run come before the rest."""
    by_name = sorted(lines, key=lambda line: line.name)
    if len(by_name) <= MOST_LINES:
        return by_name
    chosen = sorted(by_name, key=_well)[:MOST_LINES]
    return sorted(chosen, key=lambda line: line.name)


def _well(line: Line) -> bool:
    cells = (*line.cells, *([line.own] if line.own else []))
    states = {cell.state for cell in cells} | {state for state, _ in line.counts}
    return states <= {State.RUNNING}


def _named(instance: Instance) -> str:
    return f"Connector {instance.connector}" if instance.task is None else f"{instance.connector}, task {instance.task}"


def _count(things: list[Instance], noun: str) -> str:
    return noun if len(things) == 1 else f"{len(things):,} {noun}s"


def _verb(things: Iterable[object], verb: str) -> str:
    return f"{verb}s" if len(list(things)) == 1 else verb
