"""Workers that come, go, die and are cut off while users do what they like, by chance from a fixed seed: in the end everything
that is wanted runs once, and everybody shows the truth. CHAOS_SEEDS=500 looks longer."""

import os
import random
from collections.abc import Callable
from contextlib import suppress

import pytest

from tests.fakes import Herding, until
from tests.unit.workers.herder.group import CONFIG, Workers, workers
from workers.herder import leadership
from workers.herder.actions import Actions, Forward
from workers.herder.errors import HerderError
from workers.herder.reconcile import wanted_instances
from workers.herder.states import SETTLED, TargetState
from workers.herder.values import ConnectorEntry, InstanceId, RestartRequest, TaskId
from workers.storage.records import status_of, status_record

SEEDS = range(int(os.environ.get("CHAOS_SEEDS", "12")))
STEPS = 40


class Chaos:
    def __init__(self, group: Workers, seed: int) -> None:
        self.group = group
        self.chance = random.Random(seed)
        self.apart: list[Herding] = []
        self.lives = 1

    def step(self) -> None:
        """Something, at once after the one before or when all is quiet again."""
        self.chance.choices([self.user_acts, self.somebody_comes, self.somebody_goes, self.something_fails], [8, 2, 2, 2])[0]()
        if self.chance.random() < 0.2:
            self.group.settle()

    # --- users ----------------------------------------------------------------------------------------------------------

    def user_acts(self) -> None:
        name = self.chance.choice("abc")
        config = {**CONFIG, "name": name, "tasks": str(self.chance.randrange(7)), "color": self.chance.choice(["red", "blue"])}
        state = self.chance.choice(list(TargetState))
        restart = RestartRequest(name, self.chance.random() < 0.3, self.chance.random() < 0.7)
        number = self.chance.randrange(7)
        choices: list[Callable[[Actions], object]] = [
            lambda actions: actions.put_connector_config(name, config),
            lambda actions: actions.put_connector_config(name, config),
            lambda actions: actions.delete_connector(name),
            lambda actions: actions.set_target_state(name, state),
            lambda actions: actions.set_target_state(name, TargetState.STARTED),
            lambda actions: actions.restart_connector(restart),
            lambda actions: actions.restart_connector(restart),
            lambda actions: actions.restart_task(TaskId(name, number)),
        ]
        ask, leader = self.chance.choice(choices), self.group.leader
        with suppress(HerderError):
            answer = leader.call(lambda: ask(leader.herder.actions))
            if isinstance(answer, Forward) and answer.worker_id in self.group.present:
                instance: InstanceId = name if ask in choices[5:7] else TaskId(name, number)
                owner = self.group[answer.worker_id]
                owner.call(lambda: owner.herder.actions.restart_here(instance))

    def something_fails(self) -> None:
        worker = self.group.present[self.chance.choice(sorted(self.group.present))]
        running = sorted(worker.runner.running)
        if running:
            worker.runner.fail(self.chance.choice(running), OSError("by chance"))

    # --- workers --------------------------------------------------------------------------------------------------------

    def somebody_comes(self) -> None:
        if self.apart and self.chance.random() < 0.5:
            worker = self.apart.pop()
            # It has heard that it was cut off.
            worker.settle()
            self.group.ledger.dead.discard(worker.process)
            self.group.present[worker.worker_id] = worker
            worker.membership.come_back()
        elif free := sorted(set("vwxyz") - {*self.group.present, *(worker.worker_id for worker in self.apart)}):
            self.lives += 1
            worker = self.group.prepared(self.chance.choice(free), str(self.lives))
            worker.herder.start()
            self.group.present[worker.worker_id] = worker

    def somebody_goes(self) -> None:
        if len(self.group.present) < 2:
            return
        name = self.chance.choice(sorted(self.group.present))
        how = self.chance.choice(["stop", "crash", "cut off"])
        if how == "stop":
            self.group.present.pop(name).herder.stop()
        elif how == "crash":
            self.group.cluster.group.leave(self.group.deafen(name).me)
        else:
            worker = self.group.present.pop(name)
            self.group.ledger.dead.add(worker.process)
            worker.membership.cut_off()
            self.apart.append(worker)

    # --- the end --------------------------------------------------------------------------------------------------------

    def come_to_rest(self) -> None:
        for worker in self.apart:
            worker.settle()
        self.group.settle()
        for worker in self.apart:
            worker.settle()
            assert worker.runner.running == {}, f"{worker.worker_id} is cut off"
        # A leader that another has fenced, who should not have, claims the lead back after a while.
        try:
            until(self.everything_has_its_place, "Everything has its place")
        except AssertionError as error:
            now = self.group.leader.assignments.snapshot()
            led = {name: worker.led for name, worker in self.group.present.items()}
            raise AssertionError(f"{now}\nwanted: {sorted(map(str, self.wanted()))}\nled: {led}") from error

    def wanted(self) -> dict[InstanceId, ConnectorEntry]:
        entries = self.group.leader.configs.snapshot().connectors.values()
        return {instance: entry for entry in entries for instance in wanted_instances(entry)}

    def everything_has_its_place(self) -> bool:
        self.group.settle()
        now = self.group.leader.assignments.snapshot()
        present = {worker.me for worker in self.group.present.values()}
        return set(now.places) == set(self.wanted()) and {place.owner for place in now.places.values()} <= present

    def check(self) -> None:
        leader, wanted = self.group.leader, self.wanted()
        self.group.check()
        for instance, entry in wanted.items():
            assert leader.state(instance) in (SETTLED[entry.target_state], "FAILED"), f"{instance} of {entry.target_state}"
            self.check_the_last_word(instance)
        seen = leader.statuses.snapshot()
        shown: set[InstanceId] = {*seen.connectors, *(TaskId(name, n) for name, tasks in seen.tasks.items() for n in tasks)}
        ghosts = shown - set(wanted)
        assert not ghosts, {str(ghost): self.group.history(ghost) for ghost in ghosts}

    def check_the_last_word(self, instance: InstanceId) -> None:
        """What is left when the topic has been compacted."""
        key = status_record(instance, None).key
        last = [record for record in self.group.cluster.status_topic.records if record.key == key][-1]
        assert status_of(last.value, last.headers) == self.group.leader.status(instance), f"the last word about {instance}"


@pytest.mark.parametrize("seed", SEEDS)
def test_whatever_happens_it_ends_well(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(leadership, "_RETRY", 0.01)
    with workers("x", "y", "z") as group:
        chaos = Chaos(group, seed)
        for name in "ab":
            group.create(name, tasks=5)
        for _ in range(STEPS):
            chaos.step()
        chaos.come_to_rest()
        try:
            chaos.check()
        finally:
            group._gone.extend(chaos.apart)
