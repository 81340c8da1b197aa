"""Keys and values of Kafka Connect's internal topics, exactly as Apache Kafka Connect 4.3 writes them.

Values are plain JSON (JsonConverter with `schemas.enable=false`), keys UTF-8 text or, in the offsets topic, JSON.
Whatever cannot be read is reported as None and skipped by the readers: one bad record must not stop a cluster.
"""

from collections.abc import Collection, Mapping
from types import MappingProxyType
from typing import NamedTuple

import orjson

from workers.herder.states import State, TargetState
from workers.herder.values import Config, Fields, InstanceId, RestartRequest, Status, TaskId, TopicStatus


class KeyValue(NamedTuple):
    """`headers` are Drover's own: other readers of the topic do not look at them."""

    key: bytes
    value: bytes | None
    headers: tuple[tuple[str, bytes], ...] = ()


def encode(value: object) -> bytes:
    return orjson.dumps(value)


def decode(value: bytes | None) -> object:
    """The JSON value, or None when there is none or it is not JSON."""
    if value is None:
        return None
    try:
        parsed: object = orjson.loads(value)
    except orjson.JSONDecodeError:
        return None
    return parsed


def decode_map(value: bytes | None) -> dict[str, object] | None:
    parsed = decode(value)
    return parsed if isinstance(parsed, dict) else None


# --- config topic -----------------------------------------------------------------------------------------------------

CONNECTOR, TASK, COMMIT, TARGET_STATE, RESTART = "connector-", "task-", "commit-", "target-state-", "restart-connector-"
#: Kafka Connect's, for its workers among themselves.
NOT_OURS = ("session-key", "tasks-fencing-")
LOGGER = "logger-cluster-"


def split_task_key(rest: str) -> TaskId | None:
    """`a-b-0` → task 0 of connector `a-b`; names may hold dashes, so the number is what follows the last one."""
    name, dash, number = rest.rpartition("-")
    return TaskId(name, int(number)) if dash and number.isdecimal() else None


def connector_record(name: str, config: Config | None) -> KeyValue:
    value = None if config is None else encode({"properties": dict(config)})
    return KeyValue(f"{CONNECTOR}{name}".encode(), value)


def task_record(task: TaskId, config: Config) -> KeyValue:
    return KeyValue(f"{TASK}{task}".encode(), encode({"properties": dict(config)}))


def commit_record(name: str, tasks: int) -> KeyValue:
    return KeyValue(f"{COMMIT}{name}".encode(), encode({"tasks": tasks}))


def target_state_record(name: str, state: TargetState | None) -> KeyValue:
    """STOPPED is written as PAUSED for readers from before KIP-875; `state.v2` says what is meant."""
    if state is None:
        return KeyValue(f"{TARGET_STATE}{name}".encode(), None)
    old = TargetState.PAUSED if state is TargetState.STOPPED else state
    return KeyValue(f"{TARGET_STATE}{name}".encode(), encode({"state": old, "state.v2": state}))


#: Header of a restart record: the instances that its asker was promised a restart of. The connector is null, a task its number.
PROMISED = "drover-promised"
#: Header of a record that a request led to: by it a request that comes again is known. And whether it made the connector.
REQUEST, CREATED = "drover-request", "drover-created"


def restart_record(request: RestartRequest, promised: Collection[InstanceId] = ()) -> KeyValue:
    value = {"include-tasks": request.include_tasks, "only-failed": request.only_failed}
    numbers = [instance.task if isinstance(instance, TaskId) else None for instance in promised]
    headers = ((PROMISED, encode(numbers)),) if promised else ()
    return KeyValue(f"{RESTART}{request.connector}".encode(), encode(value), headers)


def promised_of(connector: str, headers: Mapping[str, bytes]) -> frozenset[InstanceId]:
    numbers = decode(headers.get(PROMISED))
    if not isinstance(numbers, list):
        return frozenset()
    known = [number for number in numbers if number is None or type(number) is int]
    return frozenset(connector if number is None else TaskId(connector, number) for number in known)


def logger_record(namespace: str, level: str) -> KeyValue:
    """KIP-976."""
    return KeyValue(f"{LOGGER}{namespace}".encode(), encode({"level": level}))


def logger_level(key: bytes, value: bytes | None) -> tuple[str, str] | None:
    """The namespace and the level that a record sets for it; None for records of other kinds or shapes."""
    text = key.decode(errors="replace")
    level = (decode_map(value) or {}).get("level")
    return (text.removeprefix(LOGGER), level) if text.startswith(LOGGER) and isinstance(level, str) else None


def properties_of(value: bytes | None) -> dict[str, str] | None:
    """The string map of a connector or task record, or None for a tombstone or a record of another shape."""
    outer = decode_map(value)
    properties = outer.get("properties") if outer else None
    if not isinstance(properties, dict):
        return None
    return {str(key): item if isinstance(item, str) else orjson.dumps(item).decode() for key, item in properties.items()}


def target_state_of(value: Mapping[str, object]) -> TargetState | None:
    """`state.v2` when it is text, else `state`; an unknown state gives None and there is no falling back."""
    raw = value.get("state.v2")
    if not isinstance(raw, str):
        raw = value.get("state")
    return TargetState(raw) if isinstance(raw, str) and raw in TargetState.__members__ else None


# --- status topic -----------------------------------------------------------------------------------------------------

STATUS_CONNECTOR, STATUS_TASK, STATUS_TOPIC = "status-connector-", "status-task-", "status-topic-"
_OF_CONNECTOR = ":connector-"
#: Headers of a status record: the epoch that `Status.generation` is, and `Status.acted_on`.
EPOCH, ACTED_ON = "drover-epoch", "drover-acted-on"
#: What stands for the epoch in the value. Kafka Connect counts the generations of its group there, and does not tell of a failure
#: where a status of another worker and a later generation is: when it takes over, ours is to be none of these.
_NO_GENERATION = 0
#: The epoch of what Drover did not write: anything that it does write is newer.
FOREIGN = -1


def status_record(instance: InstanceId, status: Status | None) -> KeyValue:
    prefix = STATUS_TASK if isinstance(instance, TaskId) else STATUS_CONNECTOR
    if status is None:
        return KeyValue(f"{prefix}{instance}".encode(), None)
    numbers = {EPOCH: status.generation, ACTED_ON: status.acted_on}
    headers = tuple((name, str(number).encode()) for name, number in numbers.items() if number is not None)
    value = {
        "state": status.state,
        "trace": status.trace,
        "worker_id": status.worker_id,
        "generation": _NO_GENERATION,
        "version": status.version,
    }
    return KeyValue(f"{prefix}{instance}".encode(), encode(value), headers)


def status_instance(key: bytes) -> InstanceId | None:
    """Whose status a key of the status topic holds; None for keys of other kinds."""
    text = key.decode(errors="replace")
    if text.startswith(STATUS_CONNECTOR):
        return text.removeprefix(STATUS_CONNECTOR)
    if text.startswith(STATUS_TASK):
        return split_task_key(text.removeprefix(STATUS_TASK))
    return None


def status_of(value: bytes | None, headers: Mapping[str, bytes] = MappingProxyType({})) -> Status | None:
    fields = decode_map(value)
    if fields is None:
        return None
    state, worker_id = fields.get("state"), fields.get("worker_id")
    if not isinstance(state, str) or state not in State.__members__:
        return None
    if not isinstance(worker_id, str) or not isinstance(fields.get("generation"), int):
        return None
    trace, version, epoch = fields.get("trace"), fields.get("version"), number_of(headers, EPOCH)
    return Status(
        state=State(state),
        worker_id=worker_id,
        generation=FOREIGN if epoch is None else epoch,
        trace=trace if isinstance(trace, str) else None,
        version=version if isinstance(version, str) else None,
        acted_on=number_of(headers, ACTED_ON),
    )


def _topic_key(connector: str, topic: str) -> bytes:
    return f"{STATUS_TOPIC}{topic}{_OF_CONNECTOR}{connector}".encode()


def topic_record(status: TopicStatus) -> KeyValue:
    """KIP-558."""
    value = {
        "name": status.topic,
        "connector": status.task.connector,
        "task": status.task.task,
        "discoverTimestamp": status.discovered,
    }
    return KeyValue(_topic_key(status.task.connector, status.topic), encode({"topic": value}))


def topic_tombstone(connector: str, topic: str) -> KeyValue:
    return KeyValue(_topic_key(connector, topic), None)


def topic_key(key: bytes) -> tuple[str, str] | None:
    """Connector and topic that a key of the status topic links; None for keys of other kinds. A topic's name has no colon,
    a connector's may have any number of them."""
    text = key.decode(errors="replace")
    if not text.startswith(STATUS_TOPIC):
        return None
    topic, separator, connector = text.removeprefix(STATUS_TOPIC).partition(_OF_CONNECTOR)
    return (connector, topic) if topic and separator and connector and ":" not in topic else None


def topic_of(value: bytes | None) -> TopicStatus | None:
    outer = decode_map(value)
    match outer.get("topic") if outer else None:
        case {"name": str(name), "connector": str(connector), "task": int(task), "discoverTimestamp": int(discovered)}:
            return TopicStatus(name, TaskId(connector, task), discovered)
    return None


# --- offsets topic ----------------------------------------------------------------------------------------------------

#: Headers of an offset record: EPOCH, of the assignment under which the task ran that committed it; and the epoch as of which it
#: was altered by hand: what a task of that epoch or an earlier one says afterwards does not count.
ALTERED = "drover-altered"
#: Header of an offset record that only says again what counted when it was written.
RESTATED = "drover-restated"


def offset_record(connector: str, partition: Fields | None, offset: Fields | None, epoch: int | None = None) -> KeyValue:
    """`epoch` is that of the task that commits it."""
    headers = () if epoch is None else ((EPOCH, str(epoch).encode()),)
    return KeyValue(encode([connector, partition]), None if offset is None else encode(offset), headers)


def number_of(headers: Mapping[str, bytes], name: str) -> int | None:
    raw = headers.get(name, b"")
    return int(raw) if raw.isdigit() else None


def offset_key(key: bytes) -> tuple[str, dict[str, object] | None] | None:
    """`["name", {partition}]` → both parts; None for any other shape."""
    match decode(key):
        case [str(name), dict(partition)]:
            return name, partition
        case [str(name), None]:
            return name, None
    return None
