"""What runs where: told by the cluster, or read from the statuses of its connectors."""

from collections import defaultdict
from collections.abc import Container, Iterable, Mapping
from dataclasses import dataclass, replace

from connect_client import ConnectorStatus, Instance, Worker
from connect_client.states import State, own_state
from dashboard.placement.memory import Seen, natural


@dataclass(frozen=True, slots=True)
class Roster:
    """`told`: the cluster itself says who is there. Otherwise a worker is known only by what runs on it."""

    told: bool
    workers: tuple[Seen, ...]
    moving: tuple[Instance, ...]

    def only(self, connectors: Container[str], *, whole: bool = False) -> "Roster":
        """Without what runs of other connectors: somebody may not see them. `whole`: everything may be seen."""
        return (
            self
            if whole
            else Roster(self.told, tuple(_only(seen, connectors) for seen in self.workers), _of(self.moving, connectors))
        )


def _only(seen: Seen, connectors: Container[str]) -> Seen:
    worker = seen.worker
    names = tuple(name for name in worker.connectors if name in connectors)
    return replace(seen, worker=replace(worker, connectors=names, tasks=_of(worker.tasks, connectors)))


def _of(instances: Iterable[Instance], connectors: Container[str]) -> tuple[Instance, ...]:
    return tuple(instance for instance in instances if instance.connector in connectors)


def from_statuses(statuses: Iterable[ConnectorStatus]) -> Roster:
    """As far as statuses tell: they name a worker for each instance, also for one that waits for another worker."""
    runs: defaultdict[str, list[Instance]] = defaultdict(list)
    moving: list[Instance] = []
    for status in statuses:
        told = {Instance(status.name, None): status.connector} | {Instance(status.name, task.id): task for task in status.tasks}
        for instance, one in told.items():
            waits = not one.worker_id or own_state(one.state) is State.UNASSIGNED
            (moving if waits else runs[one.worker_id]).append(instance)
    workers = [_worker(worker_id, runs[worker_id]) for worker_id in sorted(runs, key=natural)]
    return Roster(False, tuple(Seen(worker) for worker in workers), tuple(moving))


def places(workers: Iterable[Seen]) -> Mapping[Instance, str]:
    """Where each instance runs now."""
    return {
        instance: seen.worker.worker_id
        for seen in workers
        if not seen.gone
        for instance in (*own(seen.worker), *seen.worker.tasks)
    }


def own(worker: Worker) -> tuple[Instance, ...]:
    """Its connector instances."""
    return tuple(Instance(name, None) for name in worker.connectors)


def _worker(worker_id: str, runs: Iterable[Instance]) -> Worker:
    instances = sorted(runs, key=lambda instance: (instance.connector, instance.task or 0))
    connectors = tuple(instance.connector for instance in instances if instance.task is None)
    return Worker(worker_id, connectors=connectors, tasks=tuple(i for i in instances if i.task is not None))
