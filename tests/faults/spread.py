"""A connector that is spread over three workers. Not a test module."""

from __future__ import annotations

from collections import Counter
from contextlib import ExitStack
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tests.conformance.cluster import Cluster
from tests.tally import CONNECTOR, Entry, Instance, Tallied

if TYPE_CHECKING:
    from tests.faults.conftest import Trio

TASKS = (0, 1, 2, 3, 4, 5)
EVERYTHING: tuple[Instance, ...] = (CONNECTOR, *TASKS)


@dataclass(frozen=True)
class Spread:
    """A connector on three workers: the instance itself on one of them, tasks on each."""

    trio: Trio
    cluster: Cluster
    tallied: Tallied

    @property
    def name(self) -> str:
        return self.tallied.name

    def create(self, tasks: int) -> None:
        self.tallied.want(tasks)
        self.cluster.put_config(self.name, self.tallied.config())
        self.cluster.wait_for(self.name, "RUNNING", *["RUNNING"] * tasks)
        owners = self.owners()
        assert Counter(owners[task] for task in range(tasks)).keys() == {worker["pid"] for worker in self.trio.group()["workers"]}

    def owners(self) -> dict[Instance, int]:
        """The process in which each instance runs."""
        found: dict[Instance, int] = {}
        for worker in self.trio.group()["workers"]:
            found |= dict.fromkeys([CONNECTOR] if self.name in worker["connectors"] else [], worker["pid"])
            found |= {task["task"]: worker["pid"] for task in worker["tasks"] if task["connector"] == self.name}
        return found

    def of(self, process: str) -> list[Instance]:
        """What runs in the process of that name."""
        pid = self.trio.drover.process_pid(process)
        return [instance for instance, owner in self.owners().items() if owner == pid]

    def on_two_workers(self) -> list[Instance]:
        """Two tasks that run in different processes."""
        owners = self.owners()
        by_owner: dict[int, Instance] = {owners[task]: task for task in TASKS}
        return list(by_owner.values())[:2]

    def path(self, rest: str) -> str:
        return f"/connectors/{self.name}/{rest}"

    def watched(self) -> Doings:
        return Doings(self.tallied, len(self.tallied.entries()))

    def by_its_owner(self, verb: str, *instances: Instance) -> Counter[Entry]:
        """Once each, in the process that it runs in, and in no other."""
        owners = self.owners()
        return Counter(Entry(owners[instance], verb, instance) for instance in instances)

    def fail(self, *tasks: Instance) -> None:
        with ExitStack() as failing:
            for task in tasks:
                failing.enter_context(self.tallied.failing("run", task))
            states = ["FAILED" if task in tasks else "RUNNING" for task in TASKS]
            self.cluster.wait_for(self.name, "RUNNING", *states)


@dataclass(frozen=True)
class Doings:
    """What the workers have done of a connector from now on."""

    _tallied: Tallied
    _before: int

    def all(self) -> Counter[Entry]:
        return Counter(self._tallied.entries()[self._before :])

    def count(self, verb: str, instance: Instance) -> int:
        return sum(number for entry, number in self.all().items() if (entry.verb, entry.instance) == (verb, instance))
