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
from workers.herder.membership import GroupView, Member
from workers.herder.ports import TaskSpec
from workers.herder.topics import ActiveTopics
from workers.herder.values import Config, ConnectorEntry, ConnectorType, InstanceId, Plugin, Status, TaskId
from workers.metrics.worker_recorder import WorkerRecorder
from workers.storage import records
from workers.storage.assignment_store import AssignmentStore
from workers.storage.config_store import ConfigStore
from workers.storage.log import LogError, Part, Positions
from workers.storage.memory_log import MemoryLog, MemoryRight, MemoryTopic, MemoryWriter
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


class FakeTask:
    """See `workers.herder.ports.RunningTask`. What an earlier life does late changes nothing of its successor's."""

    def __init__(self, runner: "FakeRunner", task: TaskId, started: Callable[[], None]) -> None:
        self._runner = runner
        self._id = task
        self._started: Callable[[], None] | None = started

    def begin(self) -> None:
        """Its own start, which comes once, when it is not paused any more."""
        started, self._started = self._started, None
        if started is not None:
            started()

    def pause(self, timeout: float) -> None:
        self._runner.note("pause", self._id)
        self._runner.show(self, self._id, paused=True)

    def resume(self) -> None:
        self._runner.note("resume", self._id)
        self._runner.show(self, self._id, paused=False)
        self.begin()

    def stop(self, timeout: float) -> None:
        self._runner.note("stop", self._id)
        self._runner.show(self, self._id, paused=None)


class FakeRunner:
    """See `workers.herder.ports.TaskRunner`. `running` maps each task to whether it is paused."""

    def __init__(self) -> None:
        self.calls: list[tuple[str, TaskId]] = []
        self.on: dict[tuple[str, TaskId], Callable[[], object]] = {}
        self.specs: dict[TaskId, TaskSpec] = {}
        self.running: dict[TaskId, bool] = {}
        self._failed: dict[TaskId, Callable[[BaseException], None]] = {}
        self._newest: dict[TaskId, FakeTask] = {}

    def show(self, life: FakeTask, task: TaskId, *, paused: bool | None) -> None:
        """None: it has stopped."""
        if self._newest.get(task) is not life:
            return
        if paused is None:
            self.running.pop(task, None)
        else:
            self.running[task] = paused

    def note(self, call: str, task: TaskId) -> None:
        self.calls.append((call, task))
        self.on.get((call, task), lambda: None)()

    def count(self, call: str, task: TaskId) -> int:
        return self.calls.count((call, task))

    def start(
        self, spec: TaskSpec, *, paused: bool, started: Callable[[], None], failed: Callable[[BaseException], None]
    ) -> FakeTask:
        assert spec.id not in self.running, f"{spec.id} was not stopped before it was started again"
        self._failed[spec.id] = failed
        life = self._newest[spec.id] = FakeTask(self, spec.id, started)
        self.note("start", spec.id)
        self.specs[spec.id] = spec
        self.show(life, spec.id, paused=paused)
        if not paused:
            life.begin()
        return life

    def fail(self, task: TaskId, error: BaseException) -> None:
        """As when a task's loop ends: on a thread that is not the herder's."""
        thread = threading.Thread(target=self._failed[task], args=(error,))
        thread.start()
        thread.join()


class FakeGroup:
    """The group coordinator, for any number of members in this process. The first who joined leads."""

    def __init__(self) -> None:
        self._lock = threading.RLock()
        self._listeners: dict[Member, Callable[[GroupView], None]] = {}
        self._cut_off: set[Member] = set()

    def join(self, member: Member, listener: Callable[[GroupView], None]) -> None:
        with self._lock:
            self._listeners[member] = listener
            self._tell()

    def leave(self, member: Member) -> None:
        with self._lock:
            self._listeners.pop(member, None)
            self._tell()

    def cut_off(self, member: Member) -> None:
        """The others see it gone; it hears that it is."""
        with self._lock:
            self._cut_off.add(member)
            self._tell()

    def rejoin(self, member: Member) -> None:
        """Whoever leads meanwhile goes on leading."""
        with self._lock:
            self._cut_off.discard(member)
            self._listeners[member] = self._listeners.pop(member)
            self._tell()

    def holds(self, member: Member) -> bool:
        return member in self._listeners and member not in self._cut_off

    def _tell(self) -> None:
        present = [member for member in self._listeners if member not in self._cut_off]
        for member, listener in self._listeners.items():
            if member in self._cut_off:
                listener(GroupView())
            elif member == present[0]:
                listener(GroupView(True, True, True, frozenset(present)))
            else:
                listener(GroupView(True))


class FakeMembership:
    """See `workers.herder.membership.Group`."""

    def __init__(self, group: FakeGroup, me: Member) -> None:
        self.group = group
        self.me = me
        self._joined = self._lost = False

    def join(self, listener: Callable[[GroupView], None]) -> None:
        def hear(view: GroupView) -> None:
            self._lost = self._lost or (self._joined and not view.joined)
            self._joined = view.joined
            listener(view)

        self.group.join(self.me, hear)

    def holds(self) -> bool:
        return self.group.holds(self.me) and not self._lost

    def stopped(self) -> None:
        self._lost = False

    def leave(self) -> None:
        self.group.leave(self.me)


class FailingWriter(MemoryWriter):
    """Raises the errors it is given, one for each write."""

    def __init__(self, right: MemoryRight) -> None:
        super().__init__(right)
        self.errors: list[LogError] = []
        self._dead = False

    def kill(self) -> None:
        """With its process."""
        self._dead = True
        self.release()

    def claim(self) -> None:
        if self._dead:
            raise LogError("This process is no more")
        super().claim()

    def write(self, parts: Sequence[Part]) -> list[Positions]:
        if self.errors:
            raise self.errors.pop(0)
        return super().write(parts)


def another_hand(topic: MemoryTopic) -> ConfigStore:
    """A config store that writes whoever leads: Kafka Connect's own tools, or a worker of the past."""
    writer = MemoryWriter()
    writer.claim()
    store = ConfigStore(MemoryLog(topic), writer)
    store.start()
    return store


@dataclass
class Cluster:
    """What the workers of one group share."""

    config_topic: MemoryTopic = field(default_factory=MemoryTopic)
    status_topic: MemoryTopic = field(default_factory=MemoryTopic)
    assignment_topic: MemoryTopic = field(default_factory=MemoryTopic)
    right: MemoryRight = field(default_factory=MemoryRight)
    group: FakeGroup = field(default_factory=FakeGroup)


@dataclass
class Herding:
    """One herder and the topics it stands on. Give several the same `cluster` and they are one group."""

    plugins: FakePlugins = field(default_factory=FakePlugins)
    runner: FakeRunner = field(default_factory=FakeRunner)
    cluster: Cluster = field(default_factory=Cluster)
    worker_id: str = WORKER
    life: str = "1"
    stop_timeout: float = 5.0
    #: Whether this worker led, in order of the changes.
    led: list[bool] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.config_topic, self.status_topic = self.cluster.config_topic, self.cluster.status_topic
        self.writer = FailingWriter(self.cluster.right)
        self.configs = ConfigStore(MemoryLog(self.config_topic), self.writer)
        self.statuses = StatusStore(MemoryLog(self.status_topic))
        self.assignments = AssignmentStore(MemoryLog(self.cluster.assignment_topic), self.writer)
        self.topics = ActiveTopics(self.statuses, lambda name: self.configs.entry(name) is not None)
        self.me = Member(self.worker_id, self.life)
        self.recorder = WorkerRecorder()
        self.herder = DistributedHerder(
            self.configs,
            self.statuses,
            self.assignments,
            self.writer,
            FakeMembership(self.cluster.group, self.me),
            self.plugins,
            self.runner,
            topics=self.topics,
            stop_timeout=self.stop_timeout,
            on_lead=self.led.append,
            recorder=self.recorder,
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
        """Returns when the herder has nothing more to do."""
        for _ in range(3):
            self.call(lambda: None)
            until(self.herder.idle, "The herder is idle")

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
