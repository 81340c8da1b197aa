"""A connector's partitions and offsets: how they are told apart, sorted and shown."""

import re
from collections.abc import Iterable, Mapping
from typing import TypeAlias

import orjson

from connect_client import PartitionOffset, Position
from connect_client.shapes import Json

TOPIC, PARTITION, OFFSET = "kafka_topic", "kafka_partition", "kafka_offset"
#: How far Kafka's partitions reach, by `key`. Empty where nobody tells: for sources, and in a cluster that is no Drover.
Reach: TypeAlias = Mapping[str, Position]
NOT_TOLD: Reach = {}


def key(fields: Json | None) -> str:
    """The same text for the same JSON, in whatever order its fields came."""
    return orjson.dumps(fields, option=orjson.OPT_SORT_KEYS).decode()


def compact(fields: Json | None) -> str:
    return "" if fields is None else orjson.dumps(fields).decode()


def in_kafka(partition: Json | None) -> bool:
    """A sink's. Every source has fields of its own."""
    return partition is not None and set(partition) == {TOPIC, PARTITION}


def name(partition: Json | None) -> str:
    """In a sentence: `orders 3`, `{"filename":"/a"}`."""
    return f"{partition[TOPIC]} {partition[PARTITION]}" if partition and in_kafka(partition) else compact(partition)


def offset_text(at: PartitionOffset) -> str:
    """As it is typed: a number for Kafka's partitions, a source's own JSON, nothing for nothing."""
    if at.offset is not None and in_kafka(at.partition) and set(at.offset) == {OFFSET}:
        return str(at.offset[OFFSET])
    return compact(at.offset)


def reach(positions: Iterable[Position]) -> Reach:
    return {key({TOPIC: position.topic, PARTITION: position.partition}): position for position in positions}


def standing(offsets: Iterable[PartitionOffset], reach: Reach) -> tuple[PartitionOffset, ...]:
    """All partitions in order: also those in which nothing has been committed, as far as they are known."""
    by_key = {key({TOPIC: at.topic, PARTITION: at.partition}): _uncommitted(at) for at in reach.values()}
    by_key |= {key(at.partition): at for at in offsets}
    return tuple(sorted(by_key.values(), key=lambda at: _order(at.partition)))


def _uncommitted(position: Position) -> PartitionOffset:
    return PartitionOffset({PARTITION: position.partition, TOPIC: position.topic}, None)


def _order(partition: Json | None) -> tuple[list[str | int], list[str | int], str]:
    """Numbers within a text count as numbers: `part-2` comes before `part-10`."""
    text = name(partition)
    if partition is not None and in_kafka(partition):
        return _natural(str(partition[TOPIC])), _natural(str(partition[PARTITION])), text
    return _natural(text), [], text


def _natural(text: str) -> list[str | int]:
    return [int(part) if part.isdecimal() else part.lower() for part in re.split(r"(\d+)", text)]
