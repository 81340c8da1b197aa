"""What is read and written of a connector's offsets (KIP-875), and in which words. Pure."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum

import orjson

from workers.herder.errors import BadRequest, HerderError
from workers.herder.states import TargetState
from workers.herder.values import Config, ConnectorEntry, ConnectorType, Fields, Partition, PartitionOffset

TOPIC, PARTITION, OFFSET = "kafka_topic", "kafka_partition", "kafka_offset"
_OWN_TOPIC, _CONSUMER = "offsets.storage.topic", "consumer.override."
#: A sink's offsets to be written; None resets the partition.
SinkOffsets = Mapping[Partition, int | None]

_WHOLE = re.compile(r"[+-]?[0-9]+")
_INT, _LONG = 2**31, 2**63


class Verb(Enum):
    """What is done to the offsets: the word, and the same word as done."""

    ALTER = "alter", "altered"
    RESET = "reset", "reset"


@dataclass(frozen=True, slots=True)
class Change:
    """What is to become of a connector's offsets. `given` is what its plug-in is told; for a sink it stands in `sink`, too."""

    connector: str
    config: Config
    kind: ConnectorType
    verb: Verb
    given: Sequence[PartitionOffset]
    sink: SinkOffsets

    def message(self, handled: bool) -> str:
        """The answer. `handled` is what the plug-in said: that it has an eye on its offsets itself."""
        _, done = self.verb.value
        if handled:
            return f"The offsets for this connector have been {done} successfully"
        return (
            f"The Connect framework-managed offsets for this connector have been {done} successfully. However, if this connector "
            f"manages offsets externally, they will need to be manually {done} in the system that the connector uses."
        )

    def failed(self) -> HerderError:
        """For whatever went wrong with a plug-in or with the values."""
        return HerderError(f"Failed to modify offsets for {self.kind} connector {self.connector}")

    def unsupported(self) -> HerderError:
        """The plug-in does not let them be changed."""
        return HerderError(
            f"Failed to modify offsets for connector {self.connector} because it doesn't support external modification of offsets"
        )

    def timed_out(self) -> HerderError:
        """The plug-in did not come back."""
        return HerderError(f"Timed out while calling the 'alterOffsets' method for {self.kind} connector {self.connector}")

    def group_in_use(self) -> HerderError:
        """Somebody is a member of the sink's consumer group."""
        word, _ = self.verb.value
        return HerderError(
            f"Failed to {word} consumer group offsets for connector {self.connector} either because its tasks haven't stopped "
            f"completely yet or the connector was resumed before the request to {word} its offsets could be successfully "
            "completed. If the connector is in a stopped state, this operation can be safely retried. If it doesn't eventually "
            "succeed, the Connect cluster may need to be restarted to get rid of the zombie sink tasks."
        )

    def group_refused(self) -> HerderError:
        """Kafka did not take it."""
        if self.verb is Verb.RESET:
            return HerderError(f"Failed to reset consumer group offsets for sink connector {self.connector}")
        return HerderError(f"Failed to alter consumer group offsets for connector {self.connector}")


def is_stopped(entry: ConnectorEntry) -> bool:
    """Whether its offsets may be changed, as far as the config topic knows."""
    return entry.target_state is TargetState.STOPPED and entry.task_count == 0


def require_stopped(entry: ConnectorEntry) -> None:
    """Raises BadRequest."""
    if not is_stopped(entry):
        raise BadRequest(
            "Connectors must be in the STOPPED state before their offsets can be modified. This can be done for the specified "
            f"connector by issuing a 'PUT' request to the '/connectors/{entry.name}/stop' endpoint"
        )


def places(config: Config) -> Config:
    """The settings that say where a connector's offsets are kept."""
    return {key: value for key, value in config.items() if key == _OWN_TOPIC or key.startswith(_CONSUMER)}


def group_of(name: str, config: Config) -> str:
    """The consumer group that a sink keeps its offsets in. `config` is to have its variables resolved."""
    return config.get(f"{_CONSUMER}group.id") or f"connect-{name}"


def topic_of(config: Config) -> str | None:
    """The topic of its own that a source keeps its offsets in, beside the group's. `config` is to have its variables resolved."""
    return config.get(_OWN_TOPIC, "").strip() or None


# --- changes ----------------------------------------------------------------------------------------------------------


def alteration(name: str, config: Config, kind: ConnectorType, wanted: Iterable[PartitionOffset]) -> Change:
    """Raises BadRequest, or HerderError where Kafka Connect answers with 500: for a bad shape nothing is asked or changed."""
    given = _newest(wanted)
    if kind != "sink":
        for item in given:
            _check_fields(item.partition)
            _check_fields(item.offset)
        return Change(name, config, kind, Verb.ALTER, given, {})
    sink = as_sink_offsets(given)
    change = Change(name, config, kind, Verb.ALTER, from_sink_offsets(sink), sink)
    if any(offset is not None and offset < 0 for offset in sink.values()):
        raise change.failed()
    return change


def reset(name: str, config: Config, kind: ConnectorType, known: Iterable[PartitionOffset]) -> Change:
    """Of everything that is `known`."""
    gone = [PartitionOffset(item.partition, None) for item in known]
    return Change(name, config, kind, Verb.RESET, gone, {})


def _newest(wanted: Iterable[PartitionOffset]) -> list[PartitionOffset]:
    """Of several for one partition the last."""
    return list({orjson.dumps(item.partition, option=orjson.OPT_SORT_KEYS): item for item in wanted}.values())


def _check_fields(fields: Fields | None) -> None:
    for field, value in (fields or {}).items():
        if isinstance(value, list | dict):
            kind = "ARRAY" if isinstance(value, list) else "MAP"
            raise HerderError(f"Offsets may only contain primitive types as values, but field {field} contains {kind}")


# --- a sink's, between JSON and Kafka ---------------------------------------------------------------------------------


def from_sink_offsets(offsets: SinkOffsets) -> list[PartitionOffset]:
    """As REST shows them, the order of the fields included."""
    return [
        PartitionOffset({PARTITION: partition.number, TOPIC: partition.topic}, None if offset is None else {OFFSET: offset})
        for partition, offset in offsets.items()
    ]


def as_sink_offsets(given: Iterable[PartitionOffset]) -> SinkOffsets:
    """From JSON, numbers also as text. Raises BadRequest."""
    return dict(map(_sink_offset, given))


def _sink_offset(item: PartitionOffset) -> tuple[Partition, int | None]:
    at, offset = item.partition, item.offset
    if at is None:
        raise BadRequest("The partition for a sink connector offset cannot be null or missing")
    if TOPIC not in at or PARTITION not in at:
        raise BadRequest(f"The partition for a sink connector offset must contain the keys '{TOPIC}' and '{PARTITION}'")
    if at[TOPIC] is None:
        raise BadRequest("Kafka topic names must be valid strings and may not be null")
    if at[PARTITION] is None:
        raise BadRequest("Kafka partitions must be valid numbers and may not be null")
    partition = Partition(_text(at[TOPIC]), _number(at[PARTITION], _INT, "partition"))
    if offset is None:
        return partition, None
    if OFFSET not in offset:
        raise BadRequest(f"The offset for a sink connector should either be null or contain the key '{OFFSET}'")
    return partition, _number(offset[OFFSET], _LONG, "offset")


def _number(value: object, bound: int, what: str) -> int:
    text = _text(value)
    if _WHOLE.fullmatch(text) and -bound <= (number := int(text)) < bound:
        return number
    raise BadRequest(
        f"Failed to parse the following Kafka {what} value in the provided offsets: '{text}'. "
        f"{what.capitalize()} values for sink connectors need to be integers."
    )


def _text(value: object) -> str:
    return value if isinstance(value, str) else orjson.dumps(value).decode()
