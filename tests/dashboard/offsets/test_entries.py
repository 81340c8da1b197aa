"""What is typed into the form: what it means, what it cannot mean, and that none of it is lost."""

from typing import Any

import pytest

from connect_client import PartitionOffset, Position
from dashboard.offsets.entries import (
    Entry,
    Fill,
    Form,
    Unusable,
    all_wanted,
    fill,
    filled,
    form,
    moment,
    overlaid,
    packed,
    unpacked,
    wanted,
)
from dashboard.offsets.partitions import reach

T0, T1 = ({"kafka_topic": "t", "kafka_partition": number} for number in range(2))
FILE = {"filename": "/a"}
AT_5, NOWHERE = PartitionOffset(T0, {"kafka_offset": 5}), PartitionOffset(T1, None)
AT_7 = PartitionOffset(FILE, {"position": 7})


@pytest.mark.parametrize(
    ("at", "entry", "offset"),
    [
        (AT_5, Entry("5"), {"kafka_offset": 5}),
        (AT_5, Entry(" 0 "), {"kafka_offset": 0}),
        (AT_5, Entry("05"), {"kafka_offset": 5}),
        (AT_5, Entry(str(2**63 - 1)), {"kafka_offset": 2**63 - 1}),
        (AT_5, Entry("rubbish", reset=True), None),
        (NOWHERE, Entry(""), None),
        (NOWHERE, Entry("0"), {"kafka_offset": 0}),
        (NOWHERE, Entry("", reset=True), None),
        (AT_7, Entry('{"position":7}'), {"position": 7}),
        (AT_7, Entry('{ "position": 0, "file": null }'), {"position": 0, "file": None}),
        (AT_7, Entry("{}"), {}),
        (AT_7, Entry("", reset=True), None),
    ],
)
def test_what_is_meant(at: PartitionOffset, entry: Entry, offset: dict[str, Any] | None) -> None:
    assert wanted(at, entry) == PartitionOffset(at.partition, offset)


@pytest.mark.parametrize(
    ("at", "text", "message"),
    [
        (AT_5, "", "Nothing is typed here"),
        (AT_5, "-1", "“-1” is no offset: a whole number is wanted"),
        (AT_5, "1.5", "no offset"),
        (AT_5, "1,200", "no offset"),
        (AT_5, "٣", "no offset"),
        (AT_5, str(2**63), "no offset"),
        (AT_5, '{"kafka_offset": 1}', "no offset"),
        (AT_7, "  ", "Nothing is typed here"),
        (AT_7, "{", "This is not JSON"),
        (AT_7, '{"position": NaN}', "This is not JSON"),
        (AT_7, "7", "A JSON object is wanted"),
        (AT_7, "null", "A JSON object is wanted"),
        (AT_7, '{"a": 1, "b": {}}', "plain values only, and “b” is a list or an object"),
        (AT_7, '{"b": []}', "plain values only"),
    ],
)
def test_what_cannot_be_meant(at: PartitionOffset, text: str, message: str) -> None:
    with pytest.raises(Unusable, match=message):
        wanted(at, Entry(text))


def test_every_bad_value_is_named_in_its_place() -> None:
    found, errors = all_wanted(Form((AT_5, NOWHERE, AT_7), (Entry("x"), Entry("3"), Entry("y"))))
    assert found == [PartitionOffset(T1, {"kafka_offset": 3})]
    assert sorted(errors) == [0, 2]


def test_a_form_as_it_was_sent() -> None:
    sent = {"known": packed([AT_5, NOWHERE]), "to-0": "x", "reset-1": "on", "to-7": "9", "step": "review"}
    assert form(sent) == Form((AT_5, NOWHERE), (Entry("x"), Entry("", reset=True)))


@pytest.mark.parametrize("known", ["", "x", "{}", "1", "[1]", '[{"partition":{}}]', '[{"partition":1,"offset":null}]'])
def test_what_is_no_form(known: str) -> None:
    assert unpacked(known) in (None, ())
    assert form({"known": known}) in (None, Form((), ()))


def test_changes_are_laid_over_a_form() -> None:
    fresh = Form.fresh((AT_5, NOWHERE, AT_7))
    assert fresh.entries == (Entry("5"), Entry(""), Entry('{"position":7}'))
    asked_for = [PartitionOffset(T1, {"kafka_offset": 3}), PartitionOffset(FILE, None), PartitionOffset({"x": 1}, None)]
    laid = overlaid(fresh, asked_for)
    assert laid.entries == (Entry("5"), Entry("3"), Entry('{"position":7}', reset=True))
    assert all_wanted(laid)[0] == [AT_5, *asked_for[:2]]


@pytest.mark.parametrize(
    ("word", "expected"),
    [
        ("earliest", Fill("earliest", None)),
        ("latest-12", Fill("latest", 12)),
        ("time-0", Fill("time", 0)),
        ("time-x", None),
        ("never", None),
        ("", None),
    ],
)
def test_buttons_that_fill_in(word: str, expected: Fill | None) -> None:
    assert fill(word) == expected


REACH = reach([Position("t", 0, 5, 2, 9, 4), Position("t", 1, None, 0, 0, None)])


@pytest.mark.parametrize(
    ("wish", "texts", "errors"),
    [
        (Fill("earliest", None), ["2", "0", "typed"], [2]),
        (Fill("latest", None), ["9", "0", "typed"], [2]),
        # Nothing is that young in the second: its end.
        (Fill("time", None), ["4", "0", "typed"], [2]),
        (Fill("latest", 0), ["9", "", "typed"], []),
        (Fill("latest", 2), ["5", "", "typed"], [2]),
        (Fill("latest", 3), ["5", "", "typed"], []),
    ],
)
def test_filled_in(wish: Fill, texts: list[str], errors: list[int]) -> None:
    before = Form((AT_5, NOWHERE, AT_7), (Entry("5"), Entry("", reset=True), Entry("typed")))
    after, wrong = filled(before, wish, REACH)
    assert [entry.text for entry in after.entries] == texts
    assert sorted(wrong) == errors
    assert after.entries[1].reset is (wish.number is not None), "what is filled in is meant"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("2026-11-21T18:30", 1795285800000),
        ("2026-11-21 18:30:01.5", 1795285801500),
        ("2026-11-21T19:30+01:00", 1795285800000),
        ("1969-01-01", 0),
    ],
)
def test_moments_are_in_utc(text: str, expected: int) -> None:
    assert moment(text) == expected


@pytest.mark.parametrize("text", ["", "noon", "2026-13-01", "18:30"])
def test_no_moment(text: str) -> None:
    with pytest.raises(Unusable, match="Give the time first"):
        moment(text)
