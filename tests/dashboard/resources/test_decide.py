"""What is to be done next to a connector, and what is told of it."""

from datetime import UTC, datetime, timedelta

import pytest

from connect_client import ConnectorStatus, ConnectRefused, ConnectUnreachable, InstanceStatus, TaskStatus, calls
from dashboard.configs import pairs
from dashboard.resources import conditions
from dashboard.resources.conditions import Condition
from dashboard.resources.decide import (
    CYCLE,
    GRACE,
    SETTLING,
    AnnotationState,
    Change,
    Configure,
    Create,
    Deed,
    Memory,
    Obey,
    Seen,
    Settle,
    Standing,
    change,
    in_sync,
    next_deed,
)
from dashboard.resources.orders import Deed as OrderDeed
from dashboard.resources.orders import ManageOffsets, Order, Restart, RestartTask
from dashboard.resources.spec import Wanted

NOW = datetime(2026, 11, 22, 8, tzinfo=UTC)
CONFIG = {"name": "orders", "connector.class": "Source", "topic": "a"}
WANTED = Wanted("orders", CONFIG)
RESTART = Order("orders", Restart(), ("restart",))


def status(words: str) -> ConnectorStatus:
    own, *tasks = words.split()
    told = tuple(TaskStatus(number, state, "w") for number, state in enumerate(tasks))
    return ConnectorStatus("orders", InstanceStatus(own, "w"), told)


def seen(words: str = "RUNNING RUNNING", **config: str) -> Seen:
    return Seen({**CONFIG, **config}, status(words) if words else None)


def ago(interval: timedelta) -> datetime:
    return NOW - interval


@pytest.mark.parametrize(
    ("found", "expected"),
    [
        (Seen(None, None), Create()),
        (seen(topic="b"), Configure(drift=False)),
        (seen("FAILED", extra="1"), Configure(drift=False)),
        (seen(), None),
        (seen(""), None),
        (seen("STOPPED"), Change("resume")),
        (seen("PAUSED"), Change("resume")),
        # The wrong config of a connector in the wrong state goes first.
        (seen("STOPPED", topic="b"), Configure(drift=False)),
    ],
)
def test_the_next_deed(found: Seen, expected: Deed | None) -> None:
    assert next_deed(WANTED, found, Memory(), (), NOW) == expected


@pytest.mark.parametrize(
    ("state", "wanted", "verb"),
    [
        ("RUNNING", "running", None),
        ("RUNNING", "paused", "pause"),
        ("RUNNING", "stopped", "stop"),
        ("PAUSED", "running", "resume"),
        ("PAUSED", "paused", None),
        ("PAUSED", "stopped", "stop"),
        ("STOPPED", "running", "resume"),
        ("STOPPED", "paused", "pause"),
        ("STOPPED", "stopped", None),
        ("FAILED", "running", None),
        ("FAILED", "paused", None),
        ("FAILED", "stopped", "stop"),
        ("UNASSIGNED", "paused", None),
        ("UNASSIGNED", "running", None),
        ("RESTARTING", "stopped", None),
    ],
)
def test_states(state: str, wanted: str, verb: str | None) -> None:
    assert change(status(state), wanted) == verb


@pytest.mark.parametrize(
    ("asked", "before", "expected"),
    [
        ("stopped", SETTLING - timedelta(seconds=1), None),
        ("stopped", SETTLING, Change("stop")),
        # Another state was asked for: this one has not been.
        ("paused", timedelta(0), Change("stop")),
    ],
)
def test_a_state_is_asked_for_once(asked: str, before: timedelta, expected: Deed | None) -> None:
    wanted = Wanted("orders", CONFIG, "stopped")
    memory = Memory(state_asked=asked, state_asked_at=ago(before))
    assert next_deed(wanted, seen(), memory, (), NOW) == expected


def test_a_config_in_another_order_is_the_same() -> None:
    assert in_sync(CONFIG, dict(reversed(list(CONFIG.items()))), Memory())


@pytest.mark.parametrize(
    ("written", "told", "now", "same"),
    [
        # The server has added a key, and has it still.
        (CONFIG, {**CONFIG, "x": "1"}, {**CONFIG, "x": "1"}, True),
        # Somebody else has changed it since.
        (CONFIG, {**CONFIG, "x": "1"}, {**CONFIG, "x": "2"}, False),
        # The document has changed since.
        ({**CONFIG, "old": "1"}, {**CONFIG, "x": "1"}, {**CONFIG, "x": "1"}, False),
    ],
)
def test_a_server_that_has_its_own_way_of_telling(
    written: dict[str, str], told: dict[str, str], now: dict[str, str], same: bool
) -> None:
    assert in_sync(CONFIG, now, Memory(pairs.digest(written), pairs.digest(told))) is same


def test_what_was_written_and_is_not_there_is_drift() -> None:
    memory = Memory(written=pairs.digest(CONFIG), told=pairs.digest(CONFIG))
    assert next_deed(WANTED, seen(topic="b"), memory, (), NOW) == Configure(drift=True)


@pytest.mark.parametrize(
    ("state", "tried", "expected"),
    [
        (AnnotationState.FRESH, None, Obey(RESTART)),
        (AnnotationState.FAILED, CYCLE - timedelta(seconds=1), None),
        (AnnotationState.FAILED, CYCLE, Obey(RESTART)),
        (AnnotationState.ASKING, GRACE - timedelta(seconds=1), None),
        (AnnotationState.ASKING, GRACE, Settle(RESTART, done=False)),
        (AnnotationState.UNKNOWN, CYCLE * 9, None),
    ],
)
def test_when_an_order_is_obeyed(state: str, tried: timedelta | None, expected: Deed | None) -> None:
    standing = Standing(RESTART, state, ago(tried) if tried else None)
    assert next_deed(WANTED, seen(), Memory(), (standing,), NOW) == expected
    assert next_deed(WANTED, seen(), Memory(configured=True), (standing,), NOW) is None


@pytest.mark.parametrize(
    ("deed", "words", "restarted", "again"),
    [
        (Restart(), "RUNNING", False, None),
        (Restart(), "RUNNING", True, "done"),
        (Restart(), "FAILED RUNNING", False, "again"),
        (Restart(), "FAILED", True, "done"),
        (Restart(include_tasks=True), "FAILED RUNNING", False, None),
        (Restart(include_tasks=True), "FAILED FAILED", False, "again"),
        (Restart(True, True), "RUNNING FAILED", False, "again"),
        (Restart(True, True), "RUNNING RUNNING", False, "again"),
        (RestartTask(1), "RUNNING FAILED RUNNING", False, None),
        (RestartTask(1), "RUNNING RUNNING FAILED", False, "again"),
        (RestartTask(7), "RUNNING", False, None),
        (ManageOffsets("reset"), "STOPPED", False, "again"),
    ],
)
def test_what_may_have_been_asked_for_already(deed: OrderDeed, words: str, restarted: bool, again: str | None) -> None:
    order = Order("orders", deed, ("x",))
    standing = Standing(order, AnnotationState.ASKING, ago(GRACE), restarted)
    wanted = Wanted("orders", CONFIG, "stopped" if words == "STOPPED" else "running")
    expected = Obey(order) if again == "again" else Settle(order, done=again == "done")
    assert next_deed(wanted, seen(words), Memory(), (standing,), NOW) == expected


def test_orders_one_after_the_other() -> None:
    first, second = Order("orders", ManageOffsets("list"), ("a",)), RESTART
    failed = Standing(first, AnnotationState.FAILED, NOW)
    assert next_deed(WANTED, seen(), Memory(), (Standing(first), Standing(second)), NOW) == Obey(first)
    assert next_deed(WANTED, seen(), Memory(), (failed, Standing(second)), NOW) == Obey(second)


FAILED = "Connector has failed, see connectorStatus for more details."
TASKS = "The following tasks have failed: 0, 2, see connectorStatus for more details."


@pytest.mark.parametrize(
    ("words", "wanted", "expected"),
    [
        ("RUNNING RUNNING", "running", None),
        ("FAILED RUNNING", "running", Condition("NotReady", "Throwable", FAILED)),
        ("RUNNING FAILED RUNNING FAILED", "running", Condition("NotReady", "Throwable", TASKS)),
        (
            "FAILED",
            "paused",
            Condition("NotReady", "NoStackTraceThrowable", "Connector orders cannot be paused since it is in failed state."),
        ),
        ("PAUSED PAUSED", "paused", None),
    ],
)
def test_what_is_told_of_a_connector(words: str, wanted: str, expected: Condition | None) -> None:
    assert conditions.of_connector(Wanted("orders", CONFIG, wanted), seen(words)) == expected


def test_what_is_told_of_a_refusal() -> None:
    found = conditions.trouble(ConnectRefused(500, 500, "It broke"), calls.create("orders", {}))
    assert found == Condition("NotReady", "ConnectRestException", "POST /connectors returned 500 (500): It broke")
    away = conditions.trouble(ConnectUnreachable("http://x did not answer within 8 s."), calls.status("orders"))
    assert away == Condition("NotReady", "ConnectTimeoutException", "http://x did not answer within 8 s.")


def test_a_condition_keeps_its_time() -> None:
    first = conditions.told([conditions.READY, Condition("Warning", "A", "b")], [], NOW)
    later = conditions.told([conditions.READY, Condition("Warning", "A", "c")], first, NOW + timedelta(seconds=1.5))
    assert later == [
        {"type": "Ready", "status": "True", "lastTransitionTime": "2026-11-22T08:00:00.000Z"},
        {
            "type": "Warning",
            "status": "True",
            "reason": "A",
            "message": "c",
            "lastTransitionTime": "2026-11-22T08:00:01.500Z",
        },
    ]


def test_a_mirror_maker_is_ready_when_all_of_it_is() -> None:
    broken = Condition("NotReady", "Throwable", TASKS)
    running, failed = status("RUNNING"), status("FAILED")
    assert conditions.of_mirror({"a": None, "b": None}, {"a": running, "b": running}) is None
    assert conditions.of_mirror({"a": None, "b": broken}, {"a": running, "b": running}) == Condition(
        "NotReady", "Throwable", f"b: {TASKS}"
    )
    told = conditions.of_mirror({"a": None, "b": broken}, {"a": running, "b": failed})
    assert told == Condition("NotReady", "Throwable", "One or more connectors are in FAILED state")
