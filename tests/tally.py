"""A connector that writes down its starts and stops, and waits or fails where a test tells it to. Not a test module.

A real plug-in: worker processes find it by its entry point, and it is the worker's own process that writes each line.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from workers.connectors.base import ConnectError, SourceConnector, SourceRange, SourceTask
from workers.connectors.configdef import ConfigDef, Importance, Key, Type
from workers.herder.values import Config, Fields

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

#: `"connector"`, or a task's number.
Instance = str | int
CONNECTOR = "connector"
EVERYTHING = "everything"
_LEDGER, _TASKS = "ledger", "tasks"
#: What processes that are to find it need in their environment.
ENVIRONMENT = {"PYTHONPATH": str(Path(__file__).resolve().parent / "faults" / "plugins")}


# --- in the worker ----------------------------------------------------------------------------------------------------------


def _pass(folder: str, verb: str, instance: Instance) -> None:
    """Notes that the instance has come to this point, stays while it is held there, and fails if it is to."""
    with (Path(folder) / _LEDGER).open("a") as ledger:
        ledger.write(f"{os.getpid()} {verb} {instance}\n")
    while any((Path(folder) / f"hold-{verb}-{whom}").exists() for whom in (instance, EVERYTHING)):
        time.sleep(0.01)
    _fail_if_told(folder, verb, instance)


def _fail_if_told(folder: str, verb: str, instance: Instance) -> None:
    if (Path(folder) / f"fail-{verb}-{instance}").exists():
        raise ConnectError(f"{verb} {instance}: told to fail")


class TallyTask(SourceTask):
    def __init__(self, config: Config) -> None:
        super().__init__(config)
        _fail_if_told(config["folder"], "make", int(config["task"]))

    def _pass(self, verb: str) -> None:
        _pass(self.config["folder"], verb, int(self.config["task"]))

    def start(self, committed: Callable[[Fields], Fields | None]) -> None:
        self._pass("start")

    def next_range(self) -> SourceRange | None:
        _fail_if_told(self.config["folder"], "run", int(self.config["task"]))
        return None

    def read(self, spark: SparkSession, new: SourceRange) -> DataFrame:
        raise AssertionError("there is never anything new")

    def committed(self, new: SourceRange) -> None:
        pass

    def stop(self) -> None:
        self._pass("stop")


class Tally(SourceConnector):
    version = "1.0"
    task_class = TallyTask
    config_def = ConfigDef((Key("folder", Type.STRING, importance=Importance.HIGH),))

    def start(self) -> None:
        _pass(self.config["folder"], "start", CONNECTOR)

    def stop(self) -> None:
        _pass(self.config["folder"], "stop", CONNECTOR)

    def task_configs(self, max_tasks: int) -> list[dict[str, str]]:
        count = int((Path(self.config["folder"]) / _TASKS).read_text())
        return [{"folder": self.config["folder"], "task": str(number)} for number in range(count)]


# --- in the test ------------------------------------------------------------------------------------------------------------


class Entry(NamedTuple):
    """What one process did."""

    pid: int
    verb: str
    instance: Instance


@dataclass(frozen=True)
class Tallied:
    """One connector of this kind: what has been done of it, and what is to happen to it."""

    name: str
    folder: Path

    def config(self) -> dict[str, str]:
        return {"name": self.name, "connector.class": "Tally", "tasks.max": "100", "folder": str(self.folder)}

    def want(self, tasks: int) -> None:
        """So many tasks, when the connector is asked next."""
        (self.folder / _TASKS).write_text(str(tasks))

    def entries(self) -> list[Entry]:
        ledger = self.folder / _LEDGER
        lines = [line.split() for line in ledger.read_text().splitlines()] if ledger.exists() else []
        return [Entry(int(pid), verb, who if who == CONNECTOR else int(who)) for pid, verb, who in lines]

    @contextmanager
    def held(self, verb: str, instance: Instance = EVERYTHING) -> Iterator[None]:
        """Whoever starts or stops meanwhile stays there until this is over."""
        sign = self.folder / f"hold-{verb}-{instance}"
        sign.touch()
        try:
            yield
        finally:
            sign.unlink()

    @contextmanager
    def failing(self, verb: str, instance: Instance) -> Iterator[None]:
        """`verb` is `make`, `start`, `stop`, or `run` for what runs already."""
        sign = self.folder / f"fail-{verb}-{instance}"
        sign.touch()
        try:
            yield
        finally:
            sign.unlink()
