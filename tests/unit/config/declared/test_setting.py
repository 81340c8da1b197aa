"""Settings read themselves, and say what they are."""

import pytest
from django.core.exceptions import ImproperlyConfigured

from config.declared import ALL
from config.declared.setting import Boolean, Choice, Integer, Milliseconds, Text, Words

COLOUR = Choice("X", "red", "", among=("red", "Green"), why="there are no others")


@pytest.fixture(autouse=True)
def clean(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("X", raising=False)


def test_each_has_a_default() -> None:
    assert (Text("X", "a", "")(), Words("X", ("a", "b"), "")(), Boolean("X", True, "")(), Integer("X", 5, "")()) == (
        "a",
        ["a", "b"],
        True,
        5,
    )
    assert Text("X", None, "")("computed") == "computed"
    assert Milliseconds("X", 1500, "").seconds() == 1.5
    assert COLOUR() == "red"


def test_the_environment_wins(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("X", "7")
    assert (Text("X", "a", "")(), Words("X", ("a",), "")(), Integer("X", 5, "")(), Integer("X", None, "")(6)) == (
        "7",
        ["7"],
        7,
        7,
    )
    monkeypatch.setenv("X", "GREEN")
    assert COLOUR() == "Green"


@pytest.mark.parametrize(
    ("setting", "message"),
    [
        (Integer("X", 5, "", maximum=6), "X must be a whole number, not 'blue'"),
        (Boolean("X", True, ""), "X must be true or false, not 'blue'"),
        (COLOUR, "X must be red or Green, not 'blue': there are no others"),
        (Choice("X", "", "", among=("",)), "X must be empty, not 'blue'"),
    ],
)
def test_what_cannot_be_meant(monkeypatch: pytest.MonkeyPatch, setting: Text, message: str) -> None:
    monkeypatch.setenv("X", "blue")
    with pytest.raises(ImproperlyConfigured) as raised:
        setting()
    assert str(raised.value) == message


@pytest.mark.parametrize(
    ("setting", "kind", "default"),
    [
        (Text("X", "a", ""), "text", "`a`"),
        (Text("X", "", ""), "text", ""),
        (Text("X", None, "", shown="made up", allowed="a name"), "text: a name", "made up"),
        (Words("X", ("a", "b"), ""), "list, comma-separated", "`a`, `b`"),
        (Boolean("X", False, ""), "true or false", "false"),
        (COLOUR, "red, Green", "`red`"),
        (Integer("X", 0, "", minimum=-1), "whole number, -1 or more", "0"),
        (Integer("X", 4, "", minimum=1, maximum=64), "whole number, 1 to 64", "4"),
        (Milliseconds("X", 4, ""), "milliseconds, 0 or more", "4"),
    ],
)
def test_how_it_is_shown(setting: Text, kind: str, default: str) -> None:
    assert (setting.shown_kind(), setting.shown_default()) == (kind, default)


def test_no_two_have_one_name() -> None:
    assert len({setting.variable for setting in ALL}) == len(ALL)
    keys = [setting.key for setting in ALL if setting.key]
    assert len(set(keys)) == len(keys)


def test_each_has_a_meaning_and_a_default_to_show() -> None:
    assert [setting.variable for setting in ALL if not setting.meaning or (setting.default is None and not setting.shown)] == []
