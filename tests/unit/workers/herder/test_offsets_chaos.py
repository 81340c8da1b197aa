"""Offsets altered, reset and deleted by chance while workers come, go, die and are cut off, and while tasks of any life commit:
what was altered by hand holds against every task of before, and the tasks that run in the end are not among those."""

import time
from collections.abc import Callable
from contextlib import suppress

import pytest

from tests.fakes import Herding, until
from tests.unit.workers.herder.group import CONFIG, Workers, workers
from tests.unit.workers.herder.test_group_chaos import SEEDS, STEPS, Chaos
from workers.herder import leadership
from workers.herder.actions import Actions
from workers.herder.errors import HerderError
from workers.herder.states import TargetState
from workers.herder.values import PartitionOffset
from workers.storage.memory_log import MemoryLog, MemoryTopic
from workers.storage.offset_store import OffsetStore
from workers.storage.records import KeyValue

P = {"p": 1}
_SOON = 1.0


class OffsetChaos(Chaos):
    """`truth` is where each connector stands; `altered` the epoch as of which that was last changed by hand."""

    def __init__(self, group: Workers, seed: int) -> None:
        super().__init__(group, seed)
        self.truth: dict[str, int | None] = {}
        self.altered: dict[str, int] = {}
        self.epochs: set[tuple[str, int]] = set()
        self.value = 0

    def everybody(self) -> list[Herding]:
        return [*self.group.present.values(), *self.apart, *self.group._gone]

    def step(self) -> None:
        super().step()
        self.epochs |= {(task.connector, spec.epoch) for worker in self.everybody() for task, spec in worker.runner.specs.items()}
        if self.epochs and self.chance.random() < 0.7:
            name, epoch = self.chance.choice(sorted(self.epochs))
            self.commit(name, epoch)

    def commit(self, name: str, epoch: int) -> None:
        """Of a task that was started by the assignment of that epoch, whether it still runs or not."""
        self.value += 1
        self.group.leader.offsets.commit(name, P, {"n": self.value}, epoch)
        if epoch > self.altered.get(name, -1):
            self.truth[name] = self.value
        self.check_truth()

    def user_acts(self) -> None:
        name = self.chance.choice("ab")
        state = self.chance.choice([TargetState.STOPPED, TargetState.STOPPED, TargetState.STARTED])
        config = {**CONFIG, "name": name, "tasks": "3"}
        choices: list[Callable[[], object]] = [
            lambda: self.act(lambda actions: actions.set_target_state(name, state)),
            lambda: self.act(lambda actions: actions.create_connector(name, config, state)),
            lambda: self.change(name, self.alter),
            lambda: self.change(name, self.reset),
            lambda: self.change(name, self.delete),
        ]
        with suppress(HerderError):
            self.chance.choices(choices, [4, 1, 4, 1, 1])[0]()

    def act(self, action: Callable[[Actions], object]) -> None:
        leader = self.group.leader
        leader.call(lambda: action(leader.herder.actions))

    def change(self, name: str, how: Callable[[Herding, str], int | None]) -> None:
        leader = self.group.leader
        truth = how(leader, name)
        # A reset of nothing alters nothing.
        if truth is not None or self.truth.get(name) is not None:
            self.altered[name] = leader.assignments.epoch
        self.truth[name] = truth
        self.check_truth()

    def alter(self, leader: Herding, name: str) -> int:
        self.value += 1
        wanted = [PartitionOffset(P, {"n": self.value})]
        leader.herder.offsets.alter(name, wanted, time.monotonic() + _SOON)
        return self.value

    def reset(self, leader: Herding, name: str) -> None:
        leader.herder.offsets.reset(name, time.monotonic() + _SOON)

    def delete(self, leader: Herding, name: str) -> None:
        leader.herder.offsets.delete(None, name, time.monotonic() + _SOON)

    # --- looking --------------------------------------------------------------------------------------------------------

    def check_truth(self) -> None:
        stores = [self.group.leader.offsets, reader(self.group.cluster.offset_topic)]
        for name, value in self.truth.items():
            expected = None if value is None else {"n": value}
            assert [store.offset(name, P) for store in stores] == [expected] * 2, f"{name} as of {self.altered.get(name)}"

    def check_those_that_run(self) -> None:
        for worker in self.group.present.values():
            for task in worker.runner.running:
                epoch = worker.runner.specs[task].epoch
                assert epoch > self.altered.get(task.connector, -1), f"{task} is one of before"
                self.commit(task.connector, epoch)

    def check_what_compaction_leaves(self) -> None:
        until(lambda: not self.group.leader.offsets.restatements(), "What counts has been stated again")
        newest: dict[bytes, KeyValue] = {}
        for record in self.group.cluster.offset_topic.records:
            newest[record.key] = KeyValue(record.key, record.value, tuple(record.headers.items()))
        left = MemoryTopic()
        left.append([line for line in newest.values() if line.value is not None])
        for name, value in self.truth.items():
            assert reader(left).offset(name, P) == (None if value is None else {"n": value}), name


def reader(topic: MemoryTopic) -> OffsetStore:
    store = OffsetStore(MemoryLog(topic))
    store.start()
    return store


@pytest.mark.parametrize("seed", SEEDS)
def test_whatever_happens_offsets_hold(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(leadership, "_RETRY", 0.01)
    with workers("x", "y", "z") as group:
        chaos = OffsetChaos(group, seed)
        for name in "ab":
            group.create(name, tasks=3)
        try:
            for _ in range(STEPS):
                chaos.step()
            chaos.come_to_rest()
            chaos.check_those_that_run()
            chaos.check_what_compaction_leaves()
        finally:
            group._gone.extend(chaos.apart)
