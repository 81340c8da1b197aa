"""Activities as values: what is asked for, what differs, and files that no spreadsheet runs."""

import csv
import io
import json
import re
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from connect_client.secrets import HIDDEN
from dashboard.activities.differences import Difference, differences, masked
from dashboard.activities.files import COLUMNS, as_csv, as_json
from dashboard.activities.query import ActivityQuery, parse
from dashboard.rights.roles import Given, Role
from dashboard.rights.where import expression


@pytest.mark.parametrize(
    ("sent", "query"),
    [
        ({}, ActivityQuery()),
        ({"person": " ann ", "outcome": "refused", "page": "3"}, ActivityQuery(person="ann", outcome="refused", page=3)),
        ({"outcome": "odd", "page": "-1", "since": "yesterday", "shown": "x"}, ActivityQuery()),
        ({"page": "9" * 30, "shown": "9" * 30, "connector": "a\x00b"}, ActivityQuery(connector="ab")),
        ({"since": "2026-11-22T06:30"}, ActivityQuery(since=datetime(2026, 11, 22, 6, 30, tzinfo=UTC))),
        ({"until": "2026-11-22T06:30+02:00"}, ActivityQuery(until=datetime(2026, 11, 22, 4, 30, tzinfo=UTC))),
        ({"shown": "12"}, ActivityQuery(newest=12)),
    ],
)
def test_what_is_asked_for(sent: dict[str, str], query: ActivityQuery) -> None:
    assert parse(sent) == query


def test_an_address_says_the_same() -> None:
    query = ActivityQuery("ann", "stop", "eu", "a&b", "done", datetime(2026, 1, 2, 3, 4, tzinfo=UTC), None, 2)
    assert query.address == "?person=ann&verb=stop&cluster=eu&connector=a%26b&outcome=done&since=2026-01-02T03%3A04&page=2"


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        (None, None, ()),
        ({"a": "1", "b": "2"}, {"a": "1", "b": "3"}, (Difference("b", "2", "3"),)),
        (None, {"a": 1, "b": None}, (Difference("a", None, "1"),)),
        ({"a": "1"}, None, (Difference("a", "1", None),)),
        ([1], [2], (Difference("", "[1]", "[2]"),)),
        ([1], [1], ()),
        ({"db.password": "old"}, {"db.password": "new"}, (Difference("db.password", HIDDEN, HIDDEN),)),
    ],
)
def test_only_what_differs_is_shown(before: Any, after: Any, expected: tuple[Difference, ...]) -> None:
    assert differences(before, after) == expected


def test_secrets_are_hidden_in_files_as_well() -> None:
    assert masked({"password": "x", "a": 1}) == {"password": HIDDEN, "a": 1}


def row(**values: Any) -> dict[str, Any]:
    return dict.fromkeys(COLUMNS) | values


@pytest.mark.parametrize("text", ["=1+1", "+1", "-1", "@x", "\t=1", "\r=1"])
def test_nothing_in_a_csv_is_a_formula(text: str) -> None:
    rows = list(csv.reader(io.StringIO(b"".join(as_csv([row(connector=text)])).decode(), newline="")))
    assert rows[1][COLUMNS.index("connector")] == f"'{text}"


def test_a_csv_keeps_odd_texts() -> None:
    odd = 'a "b", c;\nd'
    rows = list(csv.reader(io.StringIO(b"".join(as_csv([row(message=odd, after={"a": 1}, task=0)])).decode(), newline="")))
    assert rows[0] == list(COLUMNS)
    assert (rows[1][COLUMNS.index("message")], rows[1][COLUMNS.index("after")]) == (odd, '{"a":1}')
    assert rows[1][COLUMNS.index("task")] == "0"


@pytest.mark.parametrize("count", [0, 1, 3])
def test_json_is_one_array(count: int) -> None:
    rows = [row(connector=str(number)) for number in range(count)]
    assert json.loads(b"".join(as_json(rows))) == rows


@given(st.text("ab*?[]!^-.\\", max_size=8), st.text("ab*?[]!^-.\\", max_size=6))
@example("orders-*", "orders-1")
@example("[ab]", "a")
@example("[ab]", "[ab]")
@example("", "")
def test_a_pattern_in_the_database_matches_what_it_matches_here(pattern: str, name: str) -> None:
    assert bool(re.search(expression(pattern), name)) == Given(Role.VIEWER, None, pattern).covers("eu", name)
