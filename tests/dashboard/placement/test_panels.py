"""Panels of workers as values: what runs where, what became of what ran there, what stays in its place, how even it is."""

from datetime import UTC, datetime, timedelta

import pytest

from connect_client import ConnectorStatus, Instance, Worker
from connect_client.shapes import InstanceStatus, TaskStatus
from connect_client.states import State
from dashboard.fleet.clusters import ClusterView, Contact
from dashboard.placement.memory import Seen
from dashboard.placement.page import ClusterWorkers, WorkersPage, cluster_workers
from dashboard.placement.panels import MOST_LINES, Known, fate
from dashboard.placement.roster import Roster, from_statuses
from dashboard.placement.shown import Shown, panel_id, parse

NOW = datetime(2026, 11, 21, 12, tzinfo=UTC)
LIVE = ClusterView("eu", "http://eu:8083/", "4.3.0", Contact.LIVE, NOW, None, "")


def seconds_ago(seconds: float) -> datetime:
    return NOW - timedelta(seconds=seconds)


def status(name: str, connector: tuple[str, str], *tasks: tuple[str, str]) -> ConnectorStatus:
    """Each a state and the worker that told it."""
    told = tuple(TaskStatus(number, state, worker) for number, (state, worker) in enumerate(tasks))
    return ConnectorStatus(name, InstanceStatus(*connector), told)


def known(*statuses: ConnectorStatus) -> dict[str, Known]:
    return {one.name: Known(number, one.name, one) for number, one in enumerate(statuses, start=1)}


def tasks(name: str, *numbers: int) -> tuple[Instance, ...]:
    return tuple(Instance(name, number) for number in numbers)


def section(
    *workers: Seen, of: dict[str, Known], shown: Shown | None = None, moving: tuple[Instance, ...] = ()
) -> ClusterWorkers:
    return cluster_workers(LIVE, Roster(True, workers, moving), of, shown or {}, NOW)


UP, ELSEWHERE = ("RUNNING", "w1"), ("RUNNING", "w2")
ORDERS = status("orders", UP, UP, ("FAILED", "w1"), ELSEWHERE)


def test_lines_are_connectors_with_their_cells() -> None:
    lake = status("lake", ELSEWHERE, UP)
    worker = Worker("w1", connectors=("orders",), tasks=(*tasks("orders", 0, 1, 2, 7), *tasks("lake", 0), *tasks("deleted", 0)))
    lines = section(Seen(worker), of=known(ORDERS, lake)).panels[0].lines
    assert [line.name for line in lines] == ["lake", "orders"]
    assert lines[0].own is None
    assert lines[1].own is not None
    assert (lines[1].own.state, lines[1].own.title) == (State.RUNNING, "Connector orders · RUNNING")
    # The third was last told RUNNING by another worker, and of the fourth nothing was told yet.
    assert [cell.state for cell in lines[1].cells] == [State.RUNNING, State.FAILED, State.UNASSIGNED, State.UNASSIGNED]
    assert lines[1].cells[1].title == "orders, task 1 · FAILED"


def test_many_tasks_are_counted() -> None:
    many = status("many", UP, *[UP] * 30, ("FAILED", "w1"))
    line = section(Seen(Worker("w1", tasks=tasks("many", *range(31)))), of=known(many)).panels[0].lines[0]
    assert (line.cells, line.counts) == ((), ((State.FAILED, 1), (State.RUNNING, 30)))


def test_of_too_many_connectors_those_that_do_not_run_come_first() -> None:
    statuses = [status(f"c{number:03}", UP) for number in range(MOST_LINES + 20)]
    statuses[-1] = status("z", ("FAILED", "w1"))
    worker = Worker("w1", connectors=tuple(one.name for one in statuses))
    panel = section(Seen(worker), of=known(*statuses)).panels[0]
    assert (len(panel.lines), panel.more, panel.lines[-1].name) == (MOST_LINES, 20, "z")


def test_what_is_shown_keeps_its_place() -> None:
    a, b, c = (status(name, UP, UP) for name in "abc")
    worker = Worker("w1", connectors=("b", "c"))
    shown = {panel_id("eu", "w1"): (3, 1, 99)}
    panel = section(Seen(worker), of=known(a, b, c), shown=shown).panels[0]
    assert [(line.name, line.here) for line in panel.lines] == [("c", True), ("a", False), ("", False), ("b", True)]
    assert panel.changes == 3


@pytest.mark.parametrize(
    ("ran", "now_on", "text"),
    [
        ((), {}, "nothing ran on it"),
        ((0, 1, 2), {0: "w1", 1: "w2", 2: "w2"}, "its 3 tasks run on 2 others"),
        ((0, 1), {0: "w2", 1: "w2"}, "its 2 tasks run on w2"),
        ((0,), {0: "w2"}, "its task runs on w2"),
        ((0, 1, 2), {0: "w2"}, "1 of its 3 tasks runs on w2, 2 wait"),
        ((0, 1), {1: "w2", 0: ""}, "its 2 tasks run on 2 others"),
        ((0, 1), {}, "its 2 tasks wait for a worker"),
        # Of a task that is no more, nothing is to be said.
        ((0, 9), {0: "w2"}, "its task runs on w2"),
    ],
)
def test_fate(ran: tuple[int, ...], now_on: dict[int, str], text: str) -> None:
    seen = Seen(Worker("w3", tasks=tasks("orders", *ran)), left_at=NOW)
    where = {Instance("orders", task): worker for task, worker in now_on.items()}
    assert fate(seen, known(ORDERS), where) == text


def test_fate_of_connectors_alone() -> None:
    seen = Seen(Worker("w3", connectors=("orders", "deleted")), left_at=NOW)
    assert fate(seen, known(ORDERS), {Instance("orders", None): "w1"}) == "its connector runs on w1"


def test_a_worker_that_left_shows_what_ran_on_it() -> None:
    gone = Seen(Worker("w2", connectors=("orders",), tasks=tasks("orders", 0, 2, 9)), left_at=seconds_ago(12))
    part = section(Seen(Worker("w1", tasks=tasks("orders", 0))), gone, of=known(ORDERS))
    line = part.panels[1].lines[0]
    assert [(cell.state, cell.title) for cell in line.cells] == [
        (None, "orders, task 0 · runs on w1"),
        (None, "orders, task 2 · waits for a worker"),
    ]
    assert (part.present, part.tasks, len(part.bar)) == (1, 1, 1)


@pytest.mark.parametrize(
    ("left", "back", "open_panel", "panels", "sentence"),
    [
        (seconds_ago(12), None, False, 2, [("w2", True, "nothing ran on it")]),
        (seconds_ago(700), None, False, 1, []),
        # It stays on a page that is open.
        (seconds_ago(700), None, True, 2, []),
        (seconds_ago(50), seconds_ago(10), False, 2, [("w2", False, "was away for 40 s")]),
        (None, seconds_ago(10), False, 2, [("w2", False, "")]),
        (seconds_ago(100), seconds_ago(70), False, 2, []),
    ],
)
def test_leaving_and_coming_back_are_told_for_a_while(
    left: datetime | None, back: datetime | None, open_panel: bool, panels: int, sentence: list[tuple[str, bool, str]]
) -> None:
    shown: Shown = {panel_id("eu", "w2"): ()} if open_panel else {}
    part = section(Seen(Worker("w1")), Seen(Worker("w2"), left, back), of={}, shown=shown)
    assert len(part.panels) == panels
    assert [(event.worker_id, event.left, event.text) for event in WorkersPage((part,), NOW).events] == sentence


@pytest.mark.parametrize(
    ("spread", "words", "widths"),
    [
        ([], "", []),
        ([0], "0 tasks, all on one worker", []),
        ([3], "3 tasks, all on one worker", [1000.0]),
        ([2, 2], "balanced: 2 tasks each", [500.0, 500.0]),
        ([2, 3], "balanced: 2 to 3 tasks each", [400.0, 600.0]),
        ([1, 0, 3], "uneven: 0 to 3 tasks each", [250.0, 0.0, 750.0]),
    ],
)
def test_balance(spread: list[int], words: str, widths: list[float]) -> None:
    workers = [Seen(Worker(f"w{number}", tasks=tasks("orders", *range(many)))) for number, many in enumerate(spread)]
    part = section(*workers, of=known(ORDERS))
    assert (part.balance, [segment.width for segment in part.bar]) == (words, widths)


@pytest.mark.parametrize(
    ("workers", "clusters", "headline"),
    [(0, 1, "No workers"), (1, 1, "1 worker, 1 task"), (3, 1, "3 workers, 3 tasks"), (2, 2, "4 workers in 2 clusters, 4 tasks")],
)
def test_headline(workers: int, clusters: int, headline: str) -> None:
    part = section(*[Seen(Worker(f"w{number}", tasks=tasks("orders", 0))) for number in range(workers)], of=known(ORDERS))
    assert WorkersPage((part,) * clusters, NOW).headline == headline


def test_what_nobody_runs() -> None:
    moving = (Instance("orders", None), *tasks("orders", 0, 1), *tasks("many", *range(20)))
    many = status("many", UP, *[("UNASSIGNED", "w1")] * 20)
    part = section(of=known(ORDERS, many), moving=moving)
    assert [(line.name, len(line.cells), line.own is not None) for line in part.moving] == [
        ("orders", 2, True),
        ("many", 9, False),
    ]
    assert (part.moving_count, part.more_moving) == (23, 11)


def test_workers_of_kafka_connect_are_those_that_statuses_name() -> None:
    lake = status("lake", ("RUNNING", "w10"), ("UNASSIGNED", "w1"), ("RUNNING", ""))
    roster = from_statuses([ORDERS, lake])
    assert [(seen.worker.worker_id, seen.worker.connectors, seen.worker.tasks) for seen in roster.workers] == [
        ("w1", ("orders",), tasks("orders", 0, 1)),
        ("w2", (), tasks("orders", 2)),
        ("w10", ("lake",), ()),
    ]
    assert (roster.told, roster.moving) == (False, tasks("lake", 0, 1))
    assert not any(seen.worker.leader for seen in roster.workers)


@pytest.mark.parametrize(
    ("text", "shown"),
    [("", {}), ("7", {7: ()}), ("7.3.1,8.2.2", {7: (3, 1), 8: (2,)}), ("x,7.a,9.1.", {}), ("1" * 11, {})],
)
def test_shown(text: str, shown: Shown) -> None:
    assert parse(text) == shown
