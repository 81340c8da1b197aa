"""Chips, menus, pills and headings: what there is to choose, and where it leads."""

from collections import Counter

import pytest

from dashboard.fleet.language import Field
from dashboard.fleet.page import MOST_CHOICES, chips, heading, menus
from dashboard.fleet.query import Column, parse


def counts(**by_field: dict[str, int]) -> dict[Field, Counter[str]]:
    return {field: Counter(by_field.get(field.name.lower(), {})) for field in Field}


def test_chips_show_states_that_occur_and_those_filtered_by() -> None:
    shown = chips(parse({"q": "state:paused ord"}), counts(state={"RUNNING": 2, "FAILED": 1}))
    assert [(chip.word, chip.count, chip.on) for chip in shown] == [
        ("All", 3, False),
        ("failed", 1, False),
        ("paused", 0, True),
        ("healthy", 2, False),
    ]
    assert [chip.address for chip in shown] == [
        "?q=ord",
        "?state=paused&state=failed&q=ord",
        "?q=ord",
        "?state=paused&state=running&q=ord",
    ]


def test_what_was_given_up_has_a_chip_where_there_is_any_of_it() -> None:
    told = counts(state={"FAILED": 3}, **{"is": {"gave-up": 2}})
    shown = chips(parse({"q": "disk"}), told)[-1]
    assert (shown.state, shown.word, shown.count, shown.address, shown.on) == (None, "gave up", 2, "?is=gave-up&q=disk", False)
    shown = chips(parse({"is": "gave-up"}), counts())[-1]
    assert (shown.word, shown.count, shown.address, shown.on) == ("gave up", 0, "?", True)


def test_menus_offer_what_can_be_chosen() -> None:
    told = counts(cluster={"eu": 1, "us": 3}, type={"sink": 4}, **{"class": {"JdbcSink": 2, "S3Sink": 2}})
    shown = menus(parse({"cluster": "eu", "worker": "w1"}), told)
    assert [(menu.word, menu.chosen, [(one.word, one.count, one.on) for one in menu.choices]) for menu in shown] == [
        # What is chosen first, then the most frequent; the same number by name.
        ("Cluster", "eu", [("eu", 1, True), ("us", 3, False)]),
        ("Class", "", [("JdbcSink", 2, False), ("S3Sink", 2, False)]),
        ("Worker", "w1", [("w1", 0, True)]),
    ]
    assert [one.address for one in shown[0].choices] == ["?worker=w1", "?cluster=eu&cluster=us&worker=w1"]
    assert shown[0].cleared == "?worker=w1"


def test_long_menus_say_that_there_is_more() -> None:
    (menu,) = menus(parse({"q": "worker:w7 worker:w8"}), counts(worker={f"w{number}": 1 for number in range(80)}))
    assert (len(menu.choices), menu.more, menu.chosen) == (MOST_CHOICES, 80 - MOST_CHOICES, "w7 +1")
    assert [one.word for one in menu.choices[:3]] == ["w7", "w8", "w0"]


@pytest.mark.parametrize(
    ("sort", "column", "address", "how"),
    [
        ("", Column.STATE, "?sort=-state", "ascending"),
        ("-state", Column.STATE, "?", "descending"),
        ("", Column.NAME, "?sort=name", ""),
        ("name", Column.NAME, "?sort=-name", "ascending"),
        # The newest change and the most failures are what one looks for there.
        ("", Column.SINCE, "?sort=-since", ""),
        ("-since", Column.SINCE, "?sort=since", "descending"),
        ("name", Column.FAILED, "?sort=-failed", ""),
    ],
)
def test_headings_sort_and_turn_round(sort: str, column: Column, address: str, how: str) -> None:
    shown = heading(parse({"sort": sort, "page": "4"}), column)
    assert (shown.address, shown.sorted) == (address, how)
