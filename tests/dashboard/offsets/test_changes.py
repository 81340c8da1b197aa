"""Before and after, what somebody else did meanwhile, what was done before, and why nothing can be shown."""

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from connect_client import (
    ConnectConflict,
    ConnectError,
    ConnectNotFound,
    ConnectRefused,
    ConnectUnreachable,
    PartitionOffset,
    Position,
)
from connect_client.states import State
from dashboard.fleet.clusters import ClusterView, Contact
from dashboard.offsets.changes import Change, changes, moved, resets
from dashboard.offsets.history import Deed, Outcome, Past
from dashboard.offsets.panel import Place, Review, curls, panel_key
from dashboard.offsets.partitions import reach
from dashboard.offsets.table import table
from dashboard.offsets.trouble import trouble

NOW = datetime(2026, 11, 21, 12, tzinfo=UTC)
LIVE = ClusterView("eu", "http://eu:8083/", "3.4.0", Contact.LIVE, NOW, None, "Connection refused.")


def at(number: int, offset: int | None) -> PartitionOffset:
    partition = {"kafka_topic": "t", "kafka_partition": number}
    return PartitionOffset(partition, None if offset is None else {"kafka_offset": offset})


def shown(found: tuple[Change, ...]) -> list[tuple[str, str, str, str]]:
    return [(change.name, change.was, change.becomes, change.by) for change in found]


def test_only_what_changes() -> None:
    known = [at(0, 5), at(1, 1200), at(2, None), at(3, 7)]
    wanted = [at(0, 5), at(1, 200), at(2, 0), at(3, None), at(4, 1), at(5, None)]
    assert shown(changes(known, wanted)) == [
        ("t 1", "1,200", "200", "−1,000"),
        ("t 2", "", "0", ""),
        ("t 3", "7", "", ""),
        ("t 4", "", "1", ""),
    ]


def test_a_sources_change() -> None:
    known, wanted = PartitionOffset({"f": "/a"}, {"position": 1}), PartitionOffset({"f": "/a"}, {"position": 2})
    assert shown(changes([known], [wanted])) == [('{"f":"/a"}', '{"position":1}', '{"position":2}', "")]


@pytest.mark.parametrize(
    ("offset", "remark"), [(9, "before the beginning, 10"), (10, ""), (20, ""), (21, "beyond the end, 20"), (None, "")]
)
def test_what_the_log_does_not_have_is_remarked(offset: int | None, remark: str) -> None:
    (change,) = changes([at(0, 15)], [at(0, offset)], reach([Position("t", 0, 15, 10, 20)]))
    assert change.remark.startswith(remark)
    assert bool(change.remark) is bool(remark)


def test_all_resets() -> None:
    assert shown(resets([at(0, 5), at(1, None)])) == [("t 0", "5", "", "")]


def test_what_somebody_else_did() -> None:
    then, now = [at(0, 5), at(1, 1), at(2, None), at(3, None)], [at(0, 6), at(2, None), at(4, 9)]
    assert shown(moved(then, now)) == [("t 0", "5", "6", "+1"), ("t 4", "", "9", ""), ("t 1", "1", "", "")]
    assert moved(then, [at(1, 1), at(0, 5)]) == ()


# --- history ----------------------------------------------------------------------------------------------------------


def past(deed: Deed, outcome: Outcome, message: str = "", number: int = 2) -> Past:
    return Past(1, NOW, "me", deed, outcome, message, tuple(Change({"f": n}, {"p": 1}, None) for n in range(number)))


@pytest.mark.parametrize(
    ("one", "title", "ended", "can_be_put_back"),
    [
        (past(Deed.ALTER, Outcome.DONE, "Altered."), "2 offsets altered", "Altered.", True),
        (past(Deed.RESET, Outcome.DONE, "Reset."), "All 2 offsets reset", "Reset.", True),
        (past(Deed.RESET, Outcome.DONE, "Reset.", 1), "The only offset reset", "Reset.", True),
        (
            past(Deed.PUT_BACK, Outcome.REFUSED, "400, No.", 1),
            "1 offset put back",
            "Refused, nothing was changed: 400, No.",
            False,
        ),
        (past(Deed.ALTER, Outcome.UNKNOWN, "500, Hm."), "2 offsets altered", "What came of it is not known: 500, Hm.", True),
        (past(Deed.ALTER, Outcome.UNKNOWN), "2 offsets altered", "What came of it is not known: no answer has been noted.", True),
    ],
)
def test_past(one: Past, title: str, ended: str, can_be_put_back: bool) -> None:
    assert (one.title, one.can_be_put_back) == (title, can_be_put_back)
    assert one.ended.startswith(ended)


def test_a_long_past_is_shown_in_part_and_kept_whole() -> None:
    long = past(Deed.ALTER, Outcome.DONE, number=60)
    assert (len(long.shown), long.more, len(long.former)) == (50, 10, 60)


# --- the panel --------------------------------------------------------------------------------------------------------


def test_panels_are_kept_by_what_can_be_done_in_them() -> None:
    assert panel_key(State.STOPPED) != panel_key(State.RUNNING) == panel_key(State.PAUSED)


def labels(state: State, review: Review | None = None, *history: Past, version: str = "4.3.0") -> list[str]:
    place, known = Place(replace(LIVE, version=version), "a b", state), [at(0, 5)]
    return [curl.label for curl in curls(place, table(known, reach([Position("t", 0, 5, 0, 9)])), review, history)]


def test_every_button_has_its_curl() -> None:
    always = ["Offsets", "Earliest, latest, lag"]
    assert labels(State.RUNNING) == [*always, "Stop"]
    assert labels(State.STOPPED) == [*always, "Reset all", "Resume"]
    assert labels(State.STOPPED, version="3.5.1") == always
    change = Change({"f": 1}, None, {"p": 1})
    assert labels(State.STOPPED, Review(Deed.ALTER, (), (change,))) == [*always, "Apply 1 change", "Resume"]
    assert labels(State.STOPPED, Review(Deed.RESET, (), (change,))) == [*always, "Reset all", "Resume"]
    done = past(Deed.ALTER, Outcome.DONE)
    assert (
        labels(State.STOPPED, None, past(Deed.ALTER, Outcome.REFUSED), done)[-2] == "Put back what was before: 2 offsets altered"
    )


@pytest.mark.parametrize(
    ("error", "title", "why"),
    [
        (None, "Cluster eu cannot be reached", "Connection refused."),
        (ConnectUnreachable("No connection."), "Cluster eu did not answer", "No connection."),
        (ConnectNotFound(404, 404, "HTTP 404 Not Found"), "Cluster eu is too old to tell offsets", "HTTP 404 Not Found"),
        (ConnectRefused(405, 405, "HTTP 405 Method Not Allowed"), "Cluster eu is too old", "HTTP 405 Method Not Allowed"),
        (ConnectNotFound(404, 404, "Connector a not found"), "Cluster eu did not tell the offsets", "404, Connector a not found"),
        (ConnectConflict(409, 409, "Rebalance"), "Cluster eu did not tell the offsets", "409, Rebalance"),
        (ConnectError("Not JSON."), "Cluster eu did not tell the offsets", "Not JSON."),
    ],
)
def test_troubles(error: ConnectError | None, title: str, why: str) -> None:
    found = trouble(LIVE, error)
    assert found.title.startswith(title)
    assert found.why == why
    assert ("3.4.0" in found.text) is ("too old" in found.title)
