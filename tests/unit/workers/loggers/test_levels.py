"""Levels by name, and what a change of a namespace means."""

import logging
from collections.abc import Mapping

import pytest

from workers.loggers.levels import LoggerLevel, canonical, changed, level_named, merged, name_of, shown


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("DEBUG", "DEBUG"),
        ("debug", "DEBUG"),
        (" Warn ", "WARN"),
        ("off", "OFF"),
        ("ALL", "ALL"),
        ("WARNING", None),
        ("CRITICAL", None),
        ("NOTSET", None),
        ("5", None),
        ("", None),
    ],
)
def test_levels_are_log4js(text: str, name: str | None) -> None:
    assert level_named(text) == name


@pytest.mark.parametrize(
    ("number", "name"),
    [
        (logging.CRITICAL, "FATAL"),
        (logging.ERROR, "ERROR"),
        (logging.WARNING, "WARN"),
        (logging.INFO, "INFO"),
        (logging.DEBUG, "DEBUG"),
        (5, "TRACE"),
        (1, "ALL"),
        # One that lets warnings through, and nothing below.
        (25, "WARN"),
        (45, "FATAL"),
        (60, "OFF"),
        (1000, "OFF"),
    ],
)
def test_pythons_numbers_have_names(number: int, name: str) -> None:
    assert name_of(number) == name


@pytest.mark.parametrize(("name", "known"), [("root", "root"), ("ROOT", "root"), ("", "root"), ("a.Root", "a.Root"), ("A", "A")])
def test_the_root_logger_has_one_name(name: str, known: str) -> None:
    assert canonical(name) == known


@pytest.mark.parametrize(
    ("namespace", "before", "after", "names"),
    [
        ("a", {"a": "INFO", "a.b": "WARN"}, {"a": "DEBUG", "a.b": "DEBUG"}, ["a", "a.b"]),
        ("a", {"a": "DEBUG", "a.b": "WARN"}, {"a": "DEBUG", "a.b": "DEBUG"}, ["a.b"]),
        ("a", {"a": "DEBUG"}, {"a": "DEBUG"}, []),
        # Made meanwhile.
        ("a", {}, {"a": "DEBUG"}, ["a"]),
        # As text; what another has changed meanwhile is not told.
        ("a", {"ab": "INFO", "b": "INFO"}, {"ab": "DEBUG", "b": "DEBUG"}, ["ab"]),
        # Its own level is another's, and stays.
        ("a", {"a.b": "OFF"}, {"a": "DEBUG", "a.b": "OFF"}, ["a"]),
        ("root", {"root": "INFO", "a": "INFO"}, {"root": "DEBUG", "a": "DEBUG"}, ["a", "root"]),
    ],
)
def test_what_has_changed(namespace: str, before: dict[str, str], after: dict[str, str], names: list[str]) -> None:
    assert changed(namespace, "DEBUG", before, after) == names


def test_what_is_off_counts_as_never_seen() -> None:
    assert changed("a", "OFF", {"a": "OFF"}, {"a": "OFF"}) == ["a"]


def test_a_list_is_sorted_and_without_what_is_off() -> None:
    levels = {"b": LoggerLevel("INFO"), "a": LoggerLevel("WARN", 1), "c": LoggerLevel("OFF", 2)}
    assert list(shown(levels).items()) == [("a", LoggerLevel("WARN", 1)), ("b", LoggerLevel("INFO"))]


@pytest.mark.parametrize(
    ("processes", "level"),
    [
        ([{"a": LoggerLevel("INFO")}, {"a": LoggerLevel("WARN")}], LoggerLevel("INFO")),
        ([{"a": LoggerLevel("INFO")}, {"a": LoggerLevel("WARN", 5)}], LoggerLevel("WARN", 5)),
        ([{"a": LoggerLevel("INFO", 6)}, {"a": LoggerLevel("WARN", 5)}], LoggerLevel("INFO", 6)),
        ([{}, {"a": LoggerLevel("WARN")}], LoggerLevel("WARN")),
    ],
)
def test_of_several_processes_the_newest_word_counts(processes: list[Mapping[str, LoggerLevel]], level: LoggerLevel) -> None:
    assert merged([*processes, {"b": LoggerLevel("ERROR")}]) == {"a": level, "b": LoggerLevel("ERROR")}
