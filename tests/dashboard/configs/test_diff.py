"""Differences between two configs."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from connect_client.secrets import HIDDEN
from dashboard.configs.diff import Difference, Kind, changes, differences

CONFIGS = st.dictionaries(st.sampled_from("abcdefgh"), st.text(max_size=2), max_size=8)


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        ({"a": "1"}, {"a": "1"}, [Difference(Kind.SAME, "a", "1", "1")]),
        ({"a": "1"}, {"a": "2"}, [Difference(Kind.CHANGED, "a", "1", "2")]),
        ({}, {"a": "2"}, [Difference(Kind.ADDED, "a", None, "2")]),
        ({"a": "1", "b": "2", "c": "3"}, {"c": "3", "a": "1"}, [
            Difference(Kind.SAME, "c", "3", "3"),
            Difference(Kind.SAME, "a", "1", "1"),
            Difference(Kind.REMOVED, "b", "2", None),
        ]),
        ({"password": "x"}, {"password": "y"}, [Difference(Kind.CHANGED, "password", HIDDEN, HIDDEN, secret=True)]),
        ({"password": "x"}, {"password": "x"}, [Difference(Kind.SAME, "password", HIDDEN, HIDDEN, secret=True)]),
        ({"password": "x"}, {}, [Difference(Kind.REMOVED, "password", HIDDEN, None, secret=True)]),
        ({"password": "${a:b}"}, {"password": "x"}, [Difference(Kind.CHANGED, "password", HIDDEN, HIDDEN, secret=True)]),
        ({"pin": "1"}, {"pin": "2"}, [Difference(Kind.CHANGED, "pin", HIDDEN, HIDDEN, secret=True)]),
    ],
)  # fmt: skip
def test_differences(before: dict[str, str], after: dict[str, str], expected: list[Difference]) -> None:
    assert list(differences(before, after, {"pin"})) == expected


@given(CONFIGS, CONFIGS)
def test_each_key_once_and_enough_to_make_one_of_the_other(before: dict[str, str], after: dict[str, str]) -> None:
    found = differences(before, after)
    assert sorted(one.key for one in found) == sorted(before.keys() | after.keys())
    assert [one.key for one in found if one.kind is not Kind.REMOVED] == list(after)
    made = dict(before)
    for one in changes(found):
        if one.becomes is None:
            del made[one.key]
        else:
            made[one.key] = one.becomes
    assert made == after
