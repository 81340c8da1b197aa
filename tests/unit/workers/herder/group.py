"""Several workers of one group in one process. Not a test module."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from tests.fakes import Cluster, FakeRunner, FakeTask, Herding, until
from workers.herder.errors import HerderError
from workers.herder.ports import TaskSpec
from workers.herder.values import InstanceId, RestartRequest, TaskId
from workers.storage.records import status_of, status_record

CONFIG = {"connector.class": "fake.Source", "tasks.max": "100"}


class Hold:
    """Takes the place of a call's own work and stays in it until it is let go; afterwards it no longer stays."""

    def __init__(self) -> None:
        self.entered, self.release = threading.Event(), threading.Event()

    def __call__(self) -> None:
        self.entered.set()
        self.release.wait(10)


class Ledger:
    """Who runs which task at this moment. `twice` are those that were started while another worker still ran them."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._by: dict[TaskId, set[str]] = {}
        self.twice: list[tuple[TaskId, str, set[str]]] = []
        #: Lives that are no more or may not write: what they ran does no harm.
        self.dead: set[str] = set()

    def begin(self, task: TaskId, worker: str) -> None:
        with self._lock:
            others = self._by.setdefault(task, set()) - {worker} - self.dead
            if others and worker not in self.dead:
                self.twice.append((task, worker, others))
            self._by[task].add(worker)

    def end(self, task: TaskId, worker: str) -> None:
        with self._lock:
            self._by.get(task, set()).discard(worker)


class WatchedRunner(FakeRunner):
    def __init__(self, ledger: Ledger, worker: str) -> None:
        super().__init__()
        self._ledger, self._worker = ledger, worker

    def start(self, spec: TaskSpec, *, started: Callable[[], None], failed: Callable[[BaseException], None]) -> FakeTask:
        self._ledger.begin(spec.id, self._worker)
        return super().start(spec, started=started, failed=failed)

    def show(self, life: FakeTask, task: TaskId, *, paused: bool | None) -> None:
        super().show(life, task, paused=paused)
        if paused is None:
            self._ledger.end(task, self._worker)


class Workers:
    """The workers that are there, by id. Whoever has been there longest leads."""

    def __init__(self, *names: str, grace: float = 0.0) -> None:
        self.cluster = Cluster(grace=grace)
        self.ledger = Ledger()
        self.present: dict[str, Herding] = {}
        self._gone: list[Herding] = []
        for name in names:
            self.start(name)

    def __getitem__(self, name: str) -> Herding:
        return self.present[name]

    @property
    def leader(self) -> Herding:
        return next(iter(self.present.values()))

    # --- coming and going -----------------------------------------------------------------------------------------------

    def start(self, name: str, life: str = "1") -> Herding:
        made = self.prepared(name, life)
        made.herder.start()
        self.present[name] = made
        self.settle()
        return made

    def prepared(self, name: str, life: str = "1") -> Herding:
        """Not there yet."""
        runner = WatchedRunner(self.ledger, f"{name}@{life}")
        return Herding(runner=runner, cluster=self.cluster, worker_id=name, life=life)

    def stop(self, name: str) -> Herding:
        """It leaves cleanly."""
        gone = self.present.pop(name)
        gone.herder.stop()
        self.settle()
        return gone

    def cut_off(self, name: str) -> Herding:
        """It hears that the others go on without it."""
        apart = self._part(name)
        self.settle()
        apart.settle()
        return apart

    def cut_off_while_it_stops(self, name: str) -> tuple[Herding, TaskId, Hold]:
        """As `cut_off`, but one of its tasks has not stopped when the others go on; it does when it is let go."""
        task, hold = next(iter(self[name].runner.running)), Hold()
        self[name].runner.on["stop", task] = hold
        apart = self._part(name)
        assert hold.entered.wait(5)
        self.settle()
        return apart, task, hold

    def _part(self, name: str) -> Herding:
        apart = self.present.pop(name)
        self.ledger.dead.add(apart.process)
        apart.membership.cut_off()
        self._gone.append(apart)
        return apart

    def rejoin(self, worker: Herding) -> None:
        """The same process, in another life."""
        self._gone.remove(worker)
        self.ledger.dead.discard(worker.process)
        self.present[worker.worker_id] = worker
        worker.membership.come_back()
        self.settle()

    def deafen(self, name: str) -> Herding:
        """As one that has died, before the group notices: it reads and says nothing any more."""
        dead = self.present.pop(name)
        self.ledger.dead.add(dead.process)
        dead.writer.kill()
        for store in (dead.configs, dead.statuses, dead.assignments):
            store.stop()
            store.log.submit = lambda records: None  # type: ignore[method-assign]
        self._gone.append(dead)
        return dead

    def miss(self, dead: Herding) -> None:
        """The group notices."""
        self.cluster.group.leave(dead.me)
        self.settle()

    def crash(self, name: str) -> Herding:
        dead = self.deafen(name)
        self.miss(dead)
        return dead

    def end(self) -> None:
        for worker in [*self._gone, *self.present.values()]:
            worker.herder.stop()

    # --- waiting --------------------------------------------------------------------------------------------------------

    def settle(self) -> None:
        """Returns when nobody has anything more to do."""
        until(lambda: self._quiet() and self._quiet(), "All workers are at rest")

    def _quiet(self) -> bool:
        topics = (self.cluster.config_topic, self.cluster.status_topic, self.cluster.assignment_topic)
        before = [len(topic.records) for topic in topics]
        for worker in self.present.values():
            worker.call(lambda: None)
        idle = all(worker.herder.idle() for worker in self.present.values())
        return idle and before == [len(topic.records) for topic in topics]

    # --- asking ---------------------------------------------------------------------------------------------------------

    def create(self, name: str = "a", tasks: int = 6, **more: str) -> None:
        config = {**CONFIG, "name": name, "tasks": str(tasks), **more}
        self.leader.call(lambda: self.leader.herder.actions.create_connector(name, config, None))
        self.settle()

    def put(self, name: str = "a", tasks: int = 6, **more: str) -> None:
        config = {**CONFIG, "name": name, "tasks": str(tasks), **more}
        self.leader.call(lambda: self.leader.herder.actions.put_connector_config(name, config))
        self.settle()

    def delete(self, name: str = "a") -> None:
        self.leader.call(lambda: self.leader.herder.actions.delete_connector(name))
        self.settle()

    def restart(self, name: str = "a", *, only_failed: bool = False, settle: bool = True) -> None:
        """With the tasks."""
        request = RestartRequest(name, only_failed, include_tasks=True)
        self.leader.call(lambda: self.leader.herder.actions.restart_connector(request))
        if settle:
            self.settle()

    def refusal(self, worker: Herding, action: Callable[[], object]) -> tuple[int, str]:
        try:
            worker.call(action)
        except HerderError as error:
            return error.status, error.message
        raise AssertionError("it was not refused")

    # --- looking --------------------------------------------------------------------------------------------------------

    def tasks(self) -> dict[str, set[TaskId]]:
        """What runs where."""
        return {name: set(worker.runner.running) for name, worker in self.present.items()}

    def counts(self) -> list[int]:
        return sorted(len(tasks) for tasks in self.tasks().values())

    def owner(self, instance: InstanceId) -> Herding:
        member = self.leader.assignments.owner(instance)
        assert member is not None, f"{instance} has no owner"
        return self.present[member.worker_id]

    def starts(self, task: TaskId) -> int:
        """On all workers that there were."""
        return sum(worker.runner.count("start", task) for worker in [*self._gone, *self.present.values()])

    def stops(self, task: TaskId) -> int:
        return sum(worker.runner.count("stop", task) for worker in [*self._gone, *self.present.values()])

    def seen(self, instance: InstanceId) -> list[str | None]:
        """Every state that was ever written of it. RESTARTING twice is once: an owner may get to the request before it has read
        what the leader says of it."""
        states = self.leader.states(instance)
        return [s for i, s in enumerate(states) if s != "RESTARTING" or i == 0 or states[i - 1] != "RESTARTING"]

    def shown(self, instance: InstanceId) -> str:
        """State and worker, on which all who are there agree."""
        statuses = [worker.status(instance) for worker in self.present.values()]
        assert all(status == statuses[0] for status in statuses), f"{instance}: {statuses}"
        return "nothing" if statuses[0] is None else f"{statuses[0].state} on {statuses[0].worker_id}"

    def check(self) -> None:
        """What must hold whenever all is at rest."""
        assert not self.ledger.twice, f"nothing ever runs on two workers: {self.ledger.twice}"
        for instance, place in self.leader.assignments.snapshot().places.items():
            assert place.owner is not None, f"{instance} waits for {place.awaited}"
            if isinstance(instance, TaskId):
                assert instance in self.present[place.owner.worker_id].runner.running
            assert self.shown(instance).endswith(f" on {place.owner.worker_id}"), (
                f"{instance} on {place.owner}: {self.history(instance)}"
            )

    def history(self, instance: InstanceId) -> str:
        """Everything that was ever said of it: state, worker, epoch and how far that worker had acted."""
        key = status_record(instance, None).key
        found = [status_of(r.value, r.headers) for r in self.cluster.status_topic.records if r.key == key]
        return ", ".join(f"{s.state} {s.worker_id} {s.generation} {s.acted_on}" if s else "-" for s in found)


@contextmanager
def workers(*names: str, grace: float = 0.0) -> Iterator[Workers]:
    group = Workers(*names, grace=grace)
    try:
        yield group
    finally:
        group.end()


def tasks_of(name: str, count: int) -> list[TaskId]:
    return [TaskId(name, number) for number in range(count)]


def all_of(name: str, tasks: int) -> list[InstanceId]:
    """The connector, too."""
    return [name, *tasks_of(name, tasks)]
