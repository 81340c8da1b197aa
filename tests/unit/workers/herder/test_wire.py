"""Requests' answers as they travel through Redis."""

import pytest

from workers.herder import wire
from workers.herder.actions import Done
from workers.herder.errors import BadRequest, HerderError, NotFound
from workers.herder.states import State
from workers.herder.values import ConnectorInfo, ConnectorStatus, Status, TaskId


def through(done: Done) -> Done:
    return wire.opened(wire.answer(done))


def test_positions_come_back_with_their_partitions_as_numbers() -> None:
    assert through(Done(None, {0: 17}, {0: 3, 4: 9})) == Done(None, {0: 17}, {0: 3, 4: 9})


def test_nothing_comes_back_as_nothing() -> None:
    assert through(Done()) == Done()


def test_a_connectors_info_comes_back() -> None:
    info = ConnectorInfo("ä b", {"name": "ä b", "k": "😀"}, [TaskId("ä b", 0), TaskId("ä b", 1)], "sink")
    created, raw = through(Done((True, info))).result
    assert (created, wire.connector_info(raw)) == (True, info)


def test_a_connectors_status_comes_back_with_its_tasks_by_number() -> None:
    status = ConnectorStatus(
        "a",
        Status(State.RUNNING, "w", 3, None, "1"),
        {10: Status(State.FAILED, "w", 3, "t\n\tat", None), 2: Status(State.RESTARTING, "w2")},
        "source",
    )
    assert wire.connector_status(through(Done(status)).result) == status


@pytest.mark.parametrize(
    ("error", "status", "message"),
    [
        (NotFound("Connector ä not found"), 404, "Connector ä not found"),
        (BadRequest("two\nlines"), 400, "two\nlines"),
        (HerderError("own", 418), 418, "own"),
        (ValueError("any"), 500, "any"),
        (ValueError(), 500, "ValueError"),
        (TimeoutError(), 500, "TimeoutError"),
    ],
)
def test_an_error_is_raised_again_with_its_status_and_text(error: Exception, status: int, message: str) -> None:
    with pytest.raises(HerderError) as raised:
        wire.opened(wire.failure(error))
    assert (raised.value.status, raised.value.message) == (status, message)
