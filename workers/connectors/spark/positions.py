"""A streaming query's position as source partitions and offsets of Kafka Connect, both ways. Pure.

Most of Spark's sources say all there is to say in one JSON text: it is one source partition's offset,
`{"format": "delta", "source": "/table"}` → `{"offset": "<JSON>"}`, with `start` for what a source noted when it began. A source
of files says only how many batches it had, and keeps the files themselves in its checkpoint: each file is a source partition of
its own, `{"format": "json", "source": "/in", "file": "file:///in/a.json"}` → `{"timestamp": <of its last change>}`. So is each of
Kafka's, `{"format": "kafka", "source": "t", "topic": "t", "partition": 0}` → `{"offset": <the next one>}`.
"""

import json
from collections.abc import Sequence
from typing import cast

from workers.connectors import kafka_offsets
from workers.connectors.base import ConnectError, StreamPosition
from workers.herder.values import Config, Fields, Partition, PartitionOffset

# Options that say what is read, the first that is given.
_NAMING = ("path", "subscribe", "subscribePattern", "assign", "table", "topic", "url", "host")
# The first file of a source's log; most sources have no other.
_START = "0"
_VERSION = "v1"
_KAFKA = "kafka"
_FILES_OFFSET = '{"logOffset":0}'


def identity(config: Config) -> dict[str, str]:
    """Two sources of one format are told apart by what they read."""
    options = (f"spark.option.{name}" for name in _NAMING)
    return {"format": config["spark.format"], "source": next((config[key] for key in options if key in config), "")}


def position(of: Fields, stored: Sequence[PartitionOffset], now: int) -> StreamPosition | None:
    """Where the source with that identity goes on; `now` in milliseconds. Raises ConnectError for an offset that is none."""
    mine = [
        (item.partition, item.offset)
        for item in stored
        if item.partition and item.offset and of.items() <= item.partition.items()
    ]
    for partition, offset in mine:
        check(partition, offset)
    kafka = {
        Partition(str(at["topic"]), cast(int, at["partition"])): cast(int, offset["offset"])
        for at, offset in mine
        if "topic" in at
    }
    if kafka:
        return StreamPosition(kafka_offsets.as_spark(kafka))
    for partition, offset in mine:
        if "file" not in partition:
            return StreamPosition(str(offset["offset"]), {_START: str(offset["start"])} if "start" in offset else {})
    files = [(partition["file"], cast(int, offset["timestamp"])) for partition, offset in mine if "file" in partition]
    if not files:
        return None
    # Spark forgets files that are much older than the newest, and takes them for new ones if they are not: whatever somebody has
    # given as a file's time, it is to be remembered, and makes no other file old.
    newest = max(min(time, now) for _, time in files)
    entries = ({"path": path, "timestamp": newest, "batchId": 0} for path, _ in files)
    lines = [json.dumps(entry, separators=(",", ":")) for entry in entries]
    return StreamPosition(_FILES_OFFSET, {_START: "\n".join([_VERSION, *lines])})


def offsets(of: Fields, reached: StreamPosition, start: str | None) -> list[tuple[Fields, Fields]]:
    """`start` is what the source noted when it began."""
    if of["format"] == _KAFKA:
        found = kafka_offsets.from_spark(reached.offset).items()
        return [({**of, "topic": at.topic, "partition": at.number}, {"offset": offset}) for at, offset in found]
    batch = _log_offset(reached.offset)
    if batch is None:
        more = {} if start is None else {"start": start}
        return [(of, {"offset": reached.offset, **more})]
    entries = [json.loads(line) for text in reached.log.values() for line in text.splitlines()[1:] if line]
    # A compacted file has the former batches as well.
    return [({**of, "file": entry["path"]}, {"timestamp": entry["timestamp"]}) for entry in entries if entry["batchId"] <= batch]


def start_of(of: Fields, at: StreamPosition | None) -> str | None:
    """What a source noted when it began, if it is in this position."""
    if at is None or of["format"] == _KAFKA or _log_offset(at.offset) is not None:
        return None
    return at.log.get(_START)


def _log_offset(offset: str) -> int | None:
    """The batch that a source of files is at; None: it is another source."""
    found = json.loads(offset)
    return int(found["logOffset"]) if isinstance(found, dict) and list(found) == ["logOffset"] else None


def check(partition: Fields | None, offset: Fields) -> None:
    """Raises ConnectError for what cannot be an offset of this connector."""
    if partition is None:
        raise ConnectError("Partition objects cannot be null")
    kafka = partition.get("format") == _KAFKA
    more = {"topic", "partition"} if kafka else {"file"} if "file" in partition else set[str]()
    number = partition.get("partition") if kafka else 0
    texts = [value for key, value in partition.items() if key != "partition"]
    if set(partition) != {"format", "source", *more} or not all(isinstance(one, str) for one in texts) or not _is_natural(number):
        raise ConnectError(
            "Partition objects should contain the keys 'format' and 'source' and, of files, 'file', all with texts as values; of "
            "kafka also 'topic' and 'partition', a number"
        )
    if kafka:
        if set(offset) != {"offset"} or not _is_natural(offset["offset"]):
            raise ConnectError("The offset of a partition of Kafka should be its 'offset', the next one to be read, a number")
        return
    if "file" in partition:
        if not _is_natural(offset.get("timestamp")) or len(offset) > 1:
            raise ConnectError("The offset of a file should be its 'timestamp', a number of milliseconds")
        return
    if not set(offset) <= {"offset", "start"} or not all(isinstance(value, str) for value in offset.values()):
        raise ConnectError("Offset objects should contain the key 'offset' and perhaps 'start', with texts as values")
    try:
        json.loads(str(offset.get("offset")))
    except ValueError as error:
        raise ConnectError(f"The value for the 'offset' key is to be Spark's offset, a JSON text: {error}") from error


def _is_natural(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0
