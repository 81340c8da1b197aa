"""The standalone herder with plug-ins and a task runner that only keep notes. For the unit and API tiers; not a test module."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from tests.fakes import WORKER, FakeGroups, FakePlugins, FakeRunner
from workers.herder.standalone import StandaloneHerder
from workers.herder.states import TargetState
from workers.herder.values import ConnectorInfo, InstanceId, Status
from workers.storage.log import LogRecord
from workers.storage.memory_log import MemoryLog
from workers.storage.offset_store import OffsetStore
from workers.storage.offset_stores import OffsetStores
from workers.storage.records import status_instance, status_of


@dataclass
class Alone:
    """`said` is every state that was ever written, in order, with None for a tombstone."""

    plugins: FakePlugins = field(default_factory=FakePlugins)
    runner: FakeRunner = field(default_factory=FakeRunner)
    request_timeout: float = 10.0
    stop_timeout: float = 5.0
    said: list[tuple[InstanceId, str | None]] = field(default_factory=list)
    offsets: OffsetStore = field(default_factory=lambda: OffsetStore(MemoryLog()))
    groups: FakeGroups = field(default_factory=FakeGroups)

    def __post_init__(self) -> None:
        self.herder = StandaloneHerder(
            WORKER,
            self.plugins,
            self.runner,
            lambda: "cluster-1",
            offsets=OffsetStores(self.offsets),
            consumer_groups=lambda config: self.groups,
            request_timeout=self.request_timeout,
            stop_timeout=self.stop_timeout,
        )

    @contextmanager
    def started(self) -> Iterator["Alone"]:
        self.offsets.start()
        self.herder.start()
        MemoryLog(self.herder._topics[1]).start(self._note)
        self.herder.ready()
        try:
            yield self
        finally:
            self.herder.stop()

    def _note(self, record: LogRecord) -> None:
        instance, status = status_instance(record.key), status_of(record.value)
        assert instance is not None
        self.said.append((instance, str(status.state) if status else None))

    def create(self, name: str = "a", initial: TargetState | None = None, **config: str) -> ConnectorInfo:
        """A connector of two tasks, unless told otherwise."""
        return self.herder.create_connector(name, connector(name, **config), initial)

    def status(self, instance: InstanceId = "a") -> Status | None:
        return self.herder._statuses.get(instance)

    def state(self, instance: InstanceId = "a") -> str | None:
        status = self.status(instance)
        return None if status is None else str(status.state)

    def states(self, instance: InstanceId = "a") -> list[str | None]:
        return [state for of, state in self.said if of == instance]


def connector(name: str = "a", **more: str) -> dict[str, str]:
    return {"name": name, "connector.class": "fake.Source", "tasks.max": "10", "tasks": "2", **more}
