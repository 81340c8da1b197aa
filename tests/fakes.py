"""A herder without Kafka, Redis and Spark: real logic on logs in memory, with plug-ins and a task runner that only keep notes.

For the unit and API tiers; not a test module.
"""

import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar

import orjson

from workers.herder.distributed import DistributedHerder
from workers.herder.errors import BadRequest, NotFound
from workers.herder.membership import GroupView, Member
from workers.herder.ports import ConnectorContext, TaskSpec
from workers.herder.topics import ActiveTopics
from workers.herder.values import (
    Config,
    ConfigInfo,
    ConfigInfos,
    ConfigKeyInfo,
    ConfigValueInfo,
    ConnectorEntry,
    ConnectorType,
    InstanceId,
    Partition,
    PartitionOffset,
    Plugin,
    Position,
    Status,
    TaskId,
)
from workers.metrics.worker_recorder import WorkerRecorder
from workers.storage import records
from workers.storage.assignment_store import AssignmentStore
from workers.storage.config_store import ConfigStore
from workers.storage.log import LogError, Part, Positions
from workers.storage.memory_log import MemoryLog, MemoryRight, MemoryTopic, MemoryWriter
from workers.storage.offset_store import OffsetStore
from workers.storage.offset_stores import OffsetStores
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

    def start(self, context: ConnectorContext) -> None:
        self._plugins.contexts[self.name] = context
        self._plugins.note("start", self.name)

    def stop(self) -> None:
        self._plugins.note("stop", self.name)

    def alter_offsets(self, offsets: Sequence[PartitionOffset]) -> bool:
        """What a test has put `on` it says, else that it has an eye on them."""
        self._plugins.offsets.append(list(offsets))
        return self._plugins.note("alter_offsets", self.name) is not False

    def task_configs(self, max_tasks: int) -> list[dict[str, str]]:
        """As many as `tasks` says, `tasks.max` or not; each with the `color` that it is to have."""
        self._plugins.note("task_configs", self.name)
        count = self._plugins.tasks.get(self.name, int(self.config.get("tasks", "1")))
        return [{"n": str(n), "color": self.config.get("color", "")} for n in range(count)]


class FakePlugins:
    """See `workers.herder.ports.Plugins`. `on` runs in place of a call's own work: to fail, to block, to look around.

    A config is wrong when it has a key `invalid`; that is also the message.
    """

    def __init__(self) -> None:
        self.calls: list[tuple[str, str]] = []
        self.on: dict[tuple[str, str], Callable[[], object]] = {}
        #: How many tasks a connector wants by now, whatever its config says.
        self.tasks: dict[str, int] = {}
        #: What each connector may ask of its worker, from its newest start.
        self.contexts: dict[str, ConnectorContext] = {}
        #: What connectors were told of changes of their offsets.
        self.offsets: list[list[PartitionOffset]] = []

    def note(self, call: str, name: str) -> object:
        self.calls.append((call, name))
        return self.on.get((call, name), lambda: None)()

    def count(self, call: str, name: str = "a") -> int:
        return self.calls.count((call, name))

    def list(self, *, connectors_only: bool = True) -> Sequence[Plugin]:
        return [Plugin("fake.Sink", "sink", VERSION), Plugin("fake.Source", "source", VERSION)]

    def type_of(self, config: Config) -> ConnectorType:
        kinds: Mapping[str, ConnectorType] = {"fake.Source": "source", "fake.Sink": "sink"}
        return kinds.get(config.get("connector.class", ""), "unknown")

    def version_of(self, config: Config) -> str | None:
        return VERSION if self.type_of(config) != "unknown" else None

    def resolved(self, config: Config) -> Config:
        return config

    def config_keys(self, name: str, version: str | None = None) -> Sequence[ConfigKeyInfo]:
        raise NotFound(f"Unknown plugin {name}.")

    def validate(self, config: Mapping[str, str | None]) -> ConfigInfos:
        if "connector.class" not in config:
            raise BadRequest("Connector config contains no connector type")
        self.on.get(("validate", config.get("name") or ""), lambda: None)()
        errors = [message for key, message in config.items() if key == "invalid" and message is not None]
        errors += ["Null value can not be supplied as the configuration value." for value in config.values() if value is None]
        value = ConfigValueInfo("invalid", None, (), errors, True)
        return ConfigInfos(config["connector.class"] or "", len(errors), (), [ConfigInfo(None, value)])

    def create(self, config: Config) -> FakeConnector:
        self.note("create", config["name"])
        return FakeConnector(self, config)


class FakeGroups:
    """See `workers.herder.ports.ConsumerGroups`. `on` runs before a call's own work. `ends` are all the partitions there are."""

    def __init__(self) -> None:
        self.committed: dict[str, dict[Partition, int]] = {}
        self.ends: dict[Partition, int] = {}
        self.on: dict[str, Callable[[], object]] = {}

    def offsets(self, group: str) -> Mapping[Partition, int]:
        self.on.get("offsets", lambda: None)()
        return dict(self.committed.get(group, {}))

    def positions(self, group: str, config: Config, time: int | None) -> Sequence[Position]:
        committed = self.offsets(group)
        return [
            Position(*one, committed.get(one), 0, end, time) for one, end in self.ends.items() if one.topic in config["topics"]
        ]

    def alter(self, group: str, offsets: Mapping[Partition, int | None]) -> None:
        self.on.get("alter", lambda: None)()
        now = {**self.committed.get(group, {}), **offsets}
        self.committed[group] = {partition: offset for partition, offset in now.items() if offset is not None}

    def delete(self, group: str) -> None:
        self.on.get("delete", lambda: None)()
        self.committed.pop(group, None)


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

    def start(self, spec: TaskSpec, *, started: Callable[[], None], failed: Callable[[BaseException], None]) -> FakeTask:
        assert spec.id not in self.running, f"{spec.id} was not stopped before it was started again"
        self._failed[spec.id] = failed
        life = self._newest[spec.id] = FakeTask(self, spec.id, started)
        self.note("start", spec.id)
        self.specs[spec.id] = spec
        self.show(life, spec.id, paused=True)
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

    def join(self, member: Member, listener: Callable[[GroupView], None]) -> None:
        with self._lock:
            self._listeners[member] = listener
            self.tell()

    def leave(self, member: Member) -> None:
        with self._lock:
            self._listeners.pop(member, None)
            self.tell()

    def knows(self, member: Member) -> bool:
        return member in self._listeners

    def tell(self) -> None:
        """Everybody hears of everybody."""
        with self._lock:
            for member, listener in list(self._listeners.items()):
                listener(self._view(member))

    def tell_of(self, member: Member, **view: Any) -> None:
        """It hears something else than what is so."""
        self._listeners[member](replace(GroupView(member, joined=True), **view))

    def _view(self, member: Member) -> GroupView:
        if member == next(iter(self._listeners)):
            return GroupView(member, True, True, True, frozenset(self._listeners))
        return GroupView(member, joined=True)


class FakeMembership:
    """See `workers.herder.membership.Group`."""

    def __init__(self, group: FakeGroup, me: Member, grace: float) -> None:
        self.me = me
        self.grace = grace
        self._group = group
        self._listener: Callable[[GroupView], None] = lambda view: None
        self._unstopped = 0
        self._returning = False

    def join(self, listener: Callable[[GroupView], None]) -> None:
        self._listener = listener
        self._group.join(self.me, listener)

    def cut_off(self, *, told: bool = True) -> None:
        """The others see it gone; it hears that it is, if it is told."""
        if told:
            self._unstopped += 1
            self._listener(GroupView(self.me))
        self._group.leave(self.me)

    def come_back(self) -> None:
        """As soon as all that ran has stopped, in another life. Whoever leads meanwhile goes on leading."""
        self._returning = True
        self._join_again()

    def _join_again(self) -> None:
        if self._returning and not self._unstopped:
            self._returning = False
            self.me = Member(self.me.worker_id, f"{self.me.life}'")
            self._group.join(self.me, self._listener)

    def holds(self) -> bool:
        return self._group.knows(self.me) and not self._unstopped

    def stopped(self) -> None:
        self._unstopped -= 1
        self._join_again()

    def leave(self) -> None:
        self._group.leave(self.me)


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
    offset_topic: MemoryTopic = field(default_factory=MemoryTopic)
    #: Those that connectors name for themselves.
    offset_topics: dict[str, MemoryTopic] = field(default_factory=dict)
    groups: FakeGroups = field(default_factory=FakeGroups)
    #: Of other Kafka clusters, by their bootstrap servers.
    foreign_groups: dict[str, FakeGroups] = field(default_factory=dict)
    right: MemoryRight = field(default_factory=MemoryRight)
    group: FakeGroup = field(default_factory=FakeGroup)

    def groups_of(self, config: Config) -> FakeGroups:
        if (bootstrap_servers := config.get("consumer.override.bootstrap.servers")) is None:
            return self.groups
        return self.foreign_groups.setdefault(bootstrap_servers, FakeGroups())

    def offset_store(self, topic: str) -> OffsetStore:
        store = OffsetStore(MemoryLog(self.offset_topics.setdefault(topic, MemoryTopic())))
        store.start()
        return store

    #: For how many seconds one that has left without a word may go on.
    grace: float = 0.0


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
        self.offsets = OffsetStore(MemoryLog(self.cluster.offset_topic))
        self.offsets.start()
        self.topics = ActiveTopics(self.statuses, lambda name: self.configs.entry(name) is not None)
        self.membership = FakeMembership(self.cluster.group, Member(self.worker_id, self.life), self.cluster.grace)
        #: What this process is called, whatever it is in the group.
        self.process = str(self.me)
        self.recorder = WorkerRecorder()
        self.herder = DistributedHerder(
            self.configs,
            self.statuses,
            self.assignments,
            self.writer,
            self.membership,
            self.plugins,
            self.runner,
            offsets=OffsetStores(self.offsets, self.cluster.offset_store),
            consumer_groups=self.cluster.groups_of,
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

    @property
    def me(self) -> Member:
        return self.membership.me

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
