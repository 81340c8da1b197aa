"""The values that herder, stores, runtime and REST API hand to one another. Immutable, so that any thread may keep one."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

from workers.herder.states import State, TargetState

Config = Mapping[str, str]
#: A source's partition or offset: a JSON object of primitives, e.g. ``{"filename": "/a"}`` → ``{"position": 12}``.
Fields = Mapping[str, object]
ConnectorType = Literal["source", "sink", "unknown"]
PluginType = Literal["source", "sink", "transformation", "predicate", "converter", "header_converter"]


@dataclass(frozen=True, slots=True, order=True)
class TaskId:
    connector: str
    task: int

    def __str__(self) -> str:
        return f"{self.connector}-{self.task}"


class Partition(NamedTuple):
    """A partition of a Kafka topic."""

    topic: str
    number: int


@dataclass(frozen=True, slots=True)
class PartitionOffset:
    """Where a connector stands in one of its partitions (KIP-875). A sink's are `{"kafka_topic", "kafka_partition"}` and
    `{"kafka_offset"}`. In what is to be written, an offset of None resets the partition."""

    partition: Fields | None
    offset: Fields | None


@dataclass(frozen=True, slots=True)
class Position:
    """A partition that a sink reads: what its group has committed, None for nothing; the first offset that the log still has and
    the one behind its last; and the first one from a moment on that was asked for, None if nothing is that young."""

    topic: str
    partition: int
    offset: int | None
    beginning: int
    end: int
    at: int | None = None


@dataclass(frozen=True, slots=True)
class FailedPlugin:
    """An entry point that could not be loaded: its name, what it points to, and why."""

    name: str
    value: str
    reason: str


#: A connector instance is known by its name, a task by its id.
InstanceId = str | TaskId


def connector_of(instance: InstanceId) -> str:
    return instance.connector if isinstance(instance, TaskId) else instance


@dataclass(frozen=True, slots=True)
class Status:
    """One instance's last seen state. `generation` is the epoch of the assignment under which `worker_id` wrote it,
    negative if it was not Drover who wrote.

    `acted_on` is the offset in the config topic up to which its writer had acted; in the RESTARTING that a leader promises, the
    one up to which somebody must have acted whose word may follow it. None if it was not Drover who wrote.
    """

    state: State
    worker_id: str
    generation: int = 0
    trace: str | None = None
    version: str | None = None
    acted_on: int | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class TopicStatus:
    """A topic that a connector was seen to use (KIP-558), by which of its tasks and when (milliseconds since 1970)."""

    topic: str
    task: TaskId
    discovered: int


@dataclass(frozen=True, slots=True)
class RestartRequest:
    """KIP-745's command record. Field order and defaults as in Kafka Connect."""

    connector: str
    only_failed: bool = False
    include_tasks: bool = False

    def __str__(self) -> str:
        only_failed, include_tasks = str(self.only_failed).lower(), str(self.include_tasks).lower()
        return f"restart request for {{connectorName='{self.connector}', onlyFailed={only_failed}, includeTasks={include_tasks}}}"


@dataclass(frozen=True, slots=True)
class ConnectorEntry:
    """All that the config topic says of one connector.

    `revision` and `tasks_revision` are the offsets of the records that last set the config and committed the tasks:
    a new revision is what makes an instance start anew, even when the config is the same as before.
    """

    name: str
    config: Config | None = None
    revision: int = -1
    target_state: TargetState = TargetState.STARTED
    tasks: Mapping[int, Config] = field(default_factory=dict)
    task_count: int = 0
    tasks_revision: int = -1
    #: The connector config in force when the tasks were committed.
    applied_config: Config | None = None
    #: A commit was met whose task configs are not all here (compaction, a crash): nothing of the set may be used.
    inconsistent: bool = False

    def task_configs(self) -> list[Config]:
        """The committed configs of tasks 0..n-1; empty while inconsistent."""
        if self.inconsistent:
            return []
        return [self.tasks[index] for index in range(self.task_count)]

    def task_ids(self) -> list[TaskId]:
        return [TaskId(self.name, index) for index in range(len(self.task_configs()))]


@dataclass(frozen=True, slots=True)
class ConnectorInfo:
    """What `GET /connectors/{c}` says."""

    name: str
    config: Config
    tasks: Sequence[TaskId]
    type: ConnectorType


@dataclass(frozen=True, slots=True)
class ConnectorStatus:
    """What `GET /connectors/{c}/status` says: the connector's own status and its tasks', by task number."""

    name: str
    connector: Status
    tasks: Mapping[int, Status]
    type: ConnectorType


@dataclass(frozen=True, slots=True)
class Plugin:
    """One line of `GET /connector-plugins`."""

    name: str
    type: PluginType
    version: str


@dataclass(frozen=True, slots=True)
class ConfigKeyInfo:
    """The definition of a configuration key (KIP-769). Field names and their order are those of the REST API."""

    name: str
    type: str
    required: bool
    default_value: str | None
    importance: str
    documentation: str
    group: str | None
    order_in_group: int
    width: str
    display_name: str
    dependents: Sequence[str]


@dataclass(frozen=True, slots=True)
class ConfigValueInfo:
    """What validation says of a key's value."""

    name: str
    value: str | None
    recommended_values: Sequence[str | None]
    errors: Sequence[str]
    visible: bool


@dataclass(frozen=True, slots=True)
class ConfigInfo:
    """`definition` is None for what no plug-in defines."""

    definition: ConfigKeyInfo | None
    value: ConfigValueInfo


@dataclass(frozen=True, slots=True)
class ConfigInfos:
    """What validation says of a whole config. `name` is the connector's class as it was given."""

    name: str
    error_count: int
    groups: Sequence[str]
    configs: Sequence[ConfigInfo]

    @property
    def errors(self) -> list[str]:
        return [message for config in self.configs for message in config.value.errors]
