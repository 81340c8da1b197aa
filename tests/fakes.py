"""A herder without Kafka, Redis and Spark: real logic on logs in memory, with plug-ins and a task runner that only keep notes.

For the unit and API tiers; not a test module.
"""

import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, TypeVar

import orjson

from workers.herder.distributed import DistributedHerder
from workers.herder.errors import BadRequest
from workers.herder.ports import TaskSpec
from workers.herder.topics import ActiveTopics
from workers.herder.values import Config, ConnectorEntry, ConnectorType, InstanceId, Plugin, Status, TaskId
from workers.storage import records
from workers.storage.config_store import ConfigStore
from workers.storage.log import LogError, Positions
from workers.storage.memory_log import MemoryLog, MemoryTopic
from workers.storage.records import KeyValue
from workers.storage.status_store import StatusStore

T = TypeVar("T")

VERSION = "9.9"
WORKER = "worker-1:8083"


def until(probe: Callable[[], T], what: str = "", seconds: float = 10.0) -> T:
    """The first truthy value of `probe`. Polls a hundred times more often than `eventually`: there is no process to wait for."""
    deadline = time.monotonic() + seconds
    while not (value := probe()):
        assert time.monotonic() < deadline, f"{what or 'It'} did not come true within {seconds:g} s; last seen: {value!r}"
        time.sleep(0.0005)
    return value


class FakeConnector:
    """See `workers.herder.ports.ConnectorInstance`."""

    def __init__(self, plugins: "FakePlugins", config: Config) -> None:
        self._plugins = plugins
        self.config = config
        self.name = config["name"]

    def start(self) -> None:
        self._plugins.note("start", self.name)

    def stop(self) -> None:
        self._plugins.note("stop", self.name)

    def task_configs(self, max_tasks: int) -> list[dict[str, str]]:
        """As many as `tasks` says, `tasks.max` or not; each with the `color` that it is to have."""
        self._plugins.note("task_configs", self.name)
        count = int(self.config.get("tasks", "1"))
        return [{"n": str(n), "color": self.config.get("color", "")} for n in range(count)]


class FakePlugins:
    """See `workers.herder.ports.Plugins`. `on` runs in place of a call's own work: to fail, to block, to look around.

    A config is wrong when it has a key `invalid`; that is also the message.
    """

    def __init__(self) -> None:
        self.calls: list[tuple[str, str]] = []
        self.on: dict[tuple[str, str], Callable[[], object]] = {}

    def note(self, call: str, name: str) -> None:
        self.calls.append((call, name))
        self.on.get((call, name), lambda: None)()

    def count(self, call: str, name: str = "a") -> int:
        return self.calls.count((call, name))

    def list(self) -> Sequence[Plugin]:
        return [Plugin("fake.Sink", "sink", VERSION), Plugin("fake.Source", "source", VERSION)]

    def type_of(self, config: Config) -> ConnectorType:
        kinds: Mapping[str, ConnectorType] = {"fake.Source": "source", "fake.Sink": "sink"}
        return kinds.get(config.get("connector.class", ""), "unknown")

    def version_of(self, config: Config) -> str | None:
        return VERSION if self.type_of(config) != "unknown" else None

    def errors(self, config: Config) -> Sequence[str]:
        if "connector.class" not in config:
            raise BadRequest("Connector config contains no connector type")
        return [config["invalid"]] if "invalid" in config else []

    def create(self, config: Config) -> FakeConnector:
        self.note("create", config["name"])
        return FakeConnector(self, config)


class FakeRunner:
    """See `workers.herder.ports.TaskRunner`. `running` maps each task to whether it is paused."""

    def __init__(self) -> None:
        self.calls: list[tuple[str, TaskId]] = []
        self.on: dict[tuple[str, TaskId], Callable[[], object]] = {}
        self.specs: dict[TaskId, TaskSpec] = {}
        self.running: dict[TaskId, bool] = {}
        self._failed: dict[TaskId, Callable[[BaseException], None]] = {}

    def _note(self, call: str, task: TaskId) -> None:
        self.calls.append((call, task))
        self.on.get((call, task), lambda: None)()

    def count(self, call: str, task: TaskId) -> int:
        return self.calls.count((call, task))

    def start(self, spec: TaskSpec, *, paused: bool, failed: Callable[[BaseException], None]) -> None:
        assert spec.id not in self.running, f"{spec.id} was not stopped before it was started again"
        self._failed[spec.id] = failed
        self._note("start", spec.id)
        self.specs[spec.id] = spec
        self.running[spec.id] = paused

    def pause(self, task: TaskId, timeout: float) -> None:
        self._note("pause", task)
        self.running[task] = True

    def resume(self, task: TaskId) -> None:
        self._note("resume", task)
        self.running[task] = False

    def stop(self, task: TaskId, timeout: float) -> None:
        self._note("stop", task)
        self.running.pop(task, None)

    def fail(self, task: TaskId, error: BaseException) -> None:
        """As when a task's loop ends: on a thread that is not the herder's."""
        thread = threading.Thread(target=self._failed[task], args=(error,))
        thread.start()
        thread.join()


class FailingLog(MemoryLog):
    """Raises the errors it is given, one for each write."""

    def __init__(self, topic: MemoryTopic) -> None:
        super().__init__(topic)
        self.errors: list[LogError] = []

    def write(self, records: Sequence[KeyValue]) -> Positions:
        if self.errors:
            raise self.errors.pop(0)
        return super().write(records)


@dataclass
class Herding:
    """One herder and the topics it stands on."""

    plugins: FakePlugins = field(default_factory=FakePlugins)
    runner: FakeRunner = field(default_factory=FakeRunner)
    config_topic: MemoryTopic = field(default_factory=MemoryTopic)
    status_topic: MemoryTopic = field(default_factory=MemoryTopic)
    fenced: threading.Event = field(default_factory=threading.Event)

    def __post_init__(self) -> None:
        self.config_log = FailingLog(self.config_topic)
        self.status_log = FailingLog(self.status_topic)
        self.configs = ConfigStore(self.config_log)
        self.statuses = StatusStore(self.status_log)
        self.topics = ActiveTopics(self.statuses, lambda name: name in self.configs.snapshot().connectors)
        self.herder = DistributedHerder(
            self.configs,
            self.statuses,
            self.plugins,
            self.runner,
            topics=self.topics,
            worker_id=WORKER,
            on_fenced=self.fenced.set,
        )

    @contextmanager
    def started(self) -> Iterator["Herding"]:
        self.herder.start()
        try:
            yield self
        finally:
            self.herder.stop()

    # --- asking -------------------------------------------------------------------------------------------------------

    def call(self, action: Callable[[], Any]) -> Any:
        return self.ask(action).result(10)

    def ask(self, action: Callable[[], Any]) -> Future[Any]:
        return self.herder.call(action)

    def settle(self) -> None:
        """Returns when the herder has nothing more to do. Each round lets one thing that follows from another be done."""
        for _ in range(8):
            self.call(lambda: None)
            until(lambda: not self.herder._host._lanes._waiting, "The lanes are empty")

    # --- looking ------------------------------------------------------------------------------------------------------

    def entry(self, name: str = "a") -> ConnectorEntry | None:
        return self.configs.snapshot().connectors.get(name)

    def status(self, instance: InstanceId = "a") -> Status | None:
        return self.statuses.get(instance)

    def state(self, instance: InstanceId = "a") -> str | None:
        status = self.status(instance)
        return None if status is None else str(status.state)

    def states(self, instance: InstanceId = "a") -> list[str | None]:
        """Every state that was ever written of an instance, in order; None for a tombstone."""
        key = records.status_record(instance, None).key
        found = [record.value for record in self.status_topic.records if record.key == key]
        return [None if value is None else orjson.loads(value)["state"] for value in found]

    def config_keys(self) -> list[str]:
        return [record.key.decode() for record in self.config_topic.records]
