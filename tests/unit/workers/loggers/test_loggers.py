"""The loggers of one process."""

import logging
import threading

import pytest

from tests.fakes import until
from workers.loggers.levels import LoggerLevel
from workers.loggers.loggers import Loggers


class Other:
    """Loggers of another kind."""

    def __init__(self, **levels: str) -> None:
        self._levels = {"root": "WARN", **levels}
        self.entered, self.gate = threading.Event(), threading.Event()
        self.gate.set()

    def levels(self) -> dict[str, str]:
        return dict(self._levels)

    def create(self, name: str) -> None:
        self._levels.setdefault(name, self._levels["root"])

    def set(self, namespace: str, level: str) -> None:
        self.entered.set()
        self.gate.wait(5)
        self._levels[namespace] = level


@pytest.fixture
def times() -> list[int]:
    return [30, 20, 10]


@pytest.fixture
def loggers(times: list[int]) -> Loggers:
    return Loggers(clock=times.pop)


def test_a_level_reaches_the_logger_and_is_dated(loggers: Loggers, name: str) -> None:
    assert loggers.set(name, "DEBUG") == [name]
    assert loggers.levels()[name] == LoggerLevel("DEBUG", 10)
    assert logging.getLogger(name).isEnabledFor(logging.DEBUG)


def test_what_is_so_already_is_not_dated_anew(loggers: Loggers, name: str) -> None:
    loggers.set(name, "DEBUG")
    assert loggers.set(name, "DEBUG") == []
    assert loggers.levels()[name] == LoggerLevel("DEBUG", 10)


def test_nobody_has_changed_what_is_as_it_began(loggers: Loggers, name: str) -> None:
    logging.getLogger(name).setLevel(logging.ERROR)
    assert loggers.levels()[name] == LoggerLevel("ERROR", None)
    assert "root" in loggers.levels()


def test_one_that_is_not_there_is_not_made_by_looking(loggers: Loggers, name: str) -> None:
    assert name not in loggers.levels()
    logging.getLogger(f"{name}.x.y")
    assert {found for found in loggers.levels() if found.startswith(name)} == {f"{name}.x.y"}


def test_those_below_follow_also_from_a_level_of_their_own(loggers: Loggers, name: str) -> None:
    below, own, alike = (logging.getLogger(f"{name}{rest}") for rest in (".a", ".b", "c"))
    own.setLevel(logging.ERROR)
    alike.setLevel(logging.ERROR)
    assert loggers.set(name, "DEBUG") == sorted([name, below.name, own.name, alike.name])
    assert below.level == logging.NOTSET, "it goes on to follow"


def test_one_that_only_begins_alike_and_has_no_level_of_its_own_is_another(loggers: Loggers, name: str) -> None:
    logging.getLogger(f"{name}c")
    assert loggers.set(name, "DEBUG") == [name]


def test_off_lets_nothing_through(loggers: Loggers, name: str) -> None:
    loggers.set(name, "OFF")
    assert not logging.getLogger(name).isEnabledFor(logging.CRITICAL)
    assert loggers.levels()[name].level == "OFF"
    loggers.set(name, "ALL")
    assert logging.getLogger(name).isEnabledFor(1)


@pytest.mark.parametrize("root", ["root", "ROOT", ""])
def test_the_root_logger_is_all_of_them(loggers: Loggers, name: str, root: str) -> None:
    logging.getLogger(name).setLevel(logging.ERROR)
    changed = loggers.set(root, "DEBUG")
    assert {"root", name} <= set(changed)
    assert {level.level for level in loggers.levels().values()} == {"DEBUG"}


def test_loggers_of_both_kinds_are_one_list(name: str) -> None:
    logging.getLogger(f"{name}.python")
    both = Loggers([Other(**{f"{name}.java": "ERROR"})])
    assert both.levels()["root"].level == logging.getLevelName(logging.root.getEffectiveLevel()).replace("WARNING", "WARN")
    assert both.levels()[f"{name}.java"].level == "ERROR"
    assert both.set(f"{name}.java", "DEBUG") == [f"{name}.java"]
    assert both.levels()[f"{name}.java"].level == "DEBUG"


def test_a_new_name_has_the_level_that_python_gives_it(name: str) -> None:
    """Also where the other kind's root logger is at another level."""
    both = Loggers([Other()])
    root = both.levels()["root"].level
    assert root != "WARN"
    assert both.set(name, root) == []
    assert both.levels()[name] == LoggerLevel(root, None)


def test_a_name_of_the_other_kind_has_the_level_that_it_has_there(name: str) -> None:
    both = Loggers([Other(**{name: "WARN"})])
    assert both.levels()[name].level == "WARN"
    assert both.set(name, both.levels()["root"].level) == [name]


def test_what_one_kind_keeps_is_not_told_as_changed(name: str) -> None:
    class Stubborn(Other):
        def set(self, namespace: str, level: str) -> None:
            pass

    assert Loggers([Stubborn(**{name: "OFF"})]).set(name, "DEBUG") == []


def test_records_are_followed_one_after_another_and_without_waiting(name: str) -> None:
    other = Other()
    other.gate.clear()
    loggers = Loggers([other])
    loggers.follow(name, "debug")
    until(other.entered.is_set, "It has begun")
    loggers.follow(name, "HIGH")
    loggers.follow(name, "Error")
    loggers.followed(0.01)
    other.gate.set()
    loggers.followed(5)
    assert loggers.levels()[name].level == "ERROR"


def test_where_nothing_was_followed_nothing_is_waited_for() -> None:
    Loggers().followed(60)


def test_a_name_cannot_write_a_line_of_its_own(name: str, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.INFO, "workers.loggers.loggers"):
        Loggers().set(f"{name}\nCRITICAL it burns", "ERROR")
    assert [record.getMessage().count("\n") for record in caplog.records] == [0]
