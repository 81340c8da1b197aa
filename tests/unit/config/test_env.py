"""Strict readers of the environment."""

from pathlib import Path

import pytest
from django.core.exceptions import ImproperlyConfigured

from config import env


@pytest.fixture(autouse=True)
def clean(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("X", raising=False)
    monkeypatch.delenv("X_FILE", raising=False)


@pytest.mark.parametrize(("value", "expected"), [(None, "default"), ("", "default"), ("a", "a"), (" a ", " a ")])
def test_text(monkeypatch: pytest.MonkeyPatch, value: str | None, expected: str) -> None:
    if value is not None:
        monkeypatch.setenv("X", value)
    assert env.text("X", "default") == expected


@pytest.mark.parametrize(("value", "expected"), [(None, ["d"]), ("", ["d"]), ("a", ["a"]), (" a ,, b,", ["a", "b"])])
def test_words(monkeypatch: pytest.MonkeyPatch, value: str | None, expected: list[str]) -> None:
    if value is not None:
        monkeypatch.setenv("X", value)
    assert env.words("X", ["d"]) == expected


def test_a_file_holds_the_value_and_goes_before_the_variable(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.write_text("  s3cret\n")
    monkeypatch.setenv("X_FILE", str(secret))
    monkeypatch.setenv("X", "other")
    assert env.text("X", "default") == "s3cret"


def test_a_file_that_cannot_be_read_stops_the_start(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("X_FILE", str(tmp_path / "missing"))
    with pytest.raises(ImproperlyConfigured, match=r"^X_FILE names .*missing, which cannot be read: No such file or directory$"):
        env.text("X", "default")


@pytest.mark.parametrize(("value", "expected"), [(None, 7), ("", 7), ("5", 5), ("10", 10), (" 6 ", 6)])
def test_integer(monkeypatch: pytest.MonkeyPatch, value: str | None, expected: int) -> None:
    if value is not None:
        monkeypatch.setenv("X", value)
    assert env.integer("X", 7, minimum=5, maximum=10) == expected


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ("five", "X must be a whole number, not 'five'"),
        ("5.0", "X must be a whole number, not '5.0'"),
        ("4", "X must be at least 5 and at most 10, not 4"),
        ("11", "X must be at least 5 and at most 10, not 11"),
    ],
)
def test_an_integer_that_cannot_be_meant(monkeypatch: pytest.MonkeyPatch, value: str, message: str) -> None:
    monkeypatch.setenv("X", value)
    with pytest.raises(ImproperlyConfigured) as raised:
        env.integer("X", 7, minimum=5, maximum=10)
    assert str(raised.value) == message


def test_an_integer_without_an_upper_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("X", "-1")
    with pytest.raises(ImproperlyConfigured, match=r"^X must be at least 0, not -1$"):
        env.integer("X", 7)


@pytest.mark.parametrize("value", ["1", "true", "TRUE", "Yes", "on"])
def test_true(monkeypatch: pytest.MonkeyPatch, value: str) -> None:
    monkeypatch.setenv("X", value)
    assert env.boolean("X", False) is True


@pytest.mark.parametrize("value", ["0", "false", "False", "no", "OFF"])
def test_false(monkeypatch: pytest.MonkeyPatch, value: str) -> None:
    monkeypatch.setenv("X", value)
    assert env.boolean("X", True) is False


@pytest.mark.parametrize("default", [True, False])
def test_unset_is_the_default(default: bool) -> None:
    assert env.boolean("X", default) is default


@pytest.mark.parametrize("value", ["maybe", "2", "tru"])
def test_a_boolean_that_cannot_be_meant(monkeypatch: pytest.MonkeyPatch, value: str) -> None:
    monkeypatch.setenv("X", value)
    with pytest.raises(ImproperlyConfigured, match=f"^X must be true or false, not '{value}'$"):
        env.boolean("X", False)
