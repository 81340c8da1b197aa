"""The offset store: where each source stands, by connector and source partition (design rule 6).

A task's record bears the epoch of the assignment that it runs by, an alteration by hand the epoch as of which it was made. What a
task of that epoch or an earlier one commits afterwards, because it did not stop in time or was cut off, does not count: it may
arrive whenever it likes. Records without an epoch, Kafka Connect's, count as they come.
"""

import threading
from collections.abc import Callable, Iterable
from typing import NamedTuple

import orjson

from workers.herder.values import Fields, PartitionOffset
from workers.storage import records
from workers.storage.log import Log, LogRecord, Positions, tell_unreadable
from workers.storage.records import KeyValue

#: A tombstone, and what JSON calls one.
_RESETS = (None, b"null")


def canonical(partition: Fields | None) -> bytes:
    """One text per partition, whatever the order in which its fields were written."""
    return orjson.dumps(partition, option=orjson.OPT_SORT_KEYS)


class _Known(NamedTuple):
    """The record that counts for a partition."""

    at: PartitionOffset
    line: KeyValue


def _line(record: LogRecord) -> KeyValue:
    """As it was when it was not stated again yet. Its key may be written in another way."""
    headers = sorted((name, value) for name, value in record.headers.items() if name in (records.EPOCH, records.ALTERED))
    return KeyValue(b"", record.value, tuple(headers))


class OffsetStore:
    def __init__(self, log: Log) -> None:
        self.log = log
        self._known: dict[str, dict[bytes, _Known]] = {}
        #: How each partition's key is written in the topic: whoever writes it another way makes a second record that lasts.
        self._keys: dict[tuple[str, bytes], dict[bytes, None]] = {}
        self._altered: dict[str, int] = {}
        #: Whose newest record does not count.
        self._disowned: dict[tuple[str, bytes], Fields | None] = {}
        self._newest_epoch = -1
        self._lock = threading.Lock()
        self._on_disowned: Callable[[], None] = lambda: None

    def start(self) -> None:
        self.log.start(self._on_record)

    def watch(self, on_disowned: Callable[[], None]) -> None:
        """`on_disowned` hears, on the log's thread, when there is something for `restatements`."""
        with self._lock:
            self._on_disowned = on_disowned

    # --- reading ------------------------------------------------------------------------------------------------------

    def _on_record(self, record: LogRecord) -> None:
        parsed, offset = records.offset_key(record.key), records.decode_map(record.value)
        if parsed is None or (offset is None and record.value not in _RESETS):
            # Not a reset: a source would begin anew.
            tell_unreadable("offsets", record)
            return
        connector, partition = parsed
        epoch, altered = (records.number_of(record.headers, name) for name in (records.EPOCH, records.ALTERED))
        with self._lock:
            self._newest_epoch = max(number for number in (self._newest_epoch, epoch, altered) if number is not None)
            if altered is not None:
                self._altered[connector] = max(self._altered.get(connector, -1), altered)
            self._keys.setdefault((connector, canonical(partition)), {})[record.key] = None
            counts = self._is_news(connector, partition, record) and (epoch is None or epoch > self._altered.get(connector, -1))
            if counts:
                self._apply(connector, PartitionOffset(partition, offset), record)
            else:
                self._disowned[connector, canonical(partition)] = partition
            on_disowned = self._on_disowned
        if not counts:
            on_disowned()

    def _is_news(self, connector: str, partition: Fields | None, record: LogRecord) -> bool:
        """Not what was stated again while its task committed something newer."""
        known = self._known.get(connector, {}).get(canonical(partition))
        return records.RESTATED not in record.headers or known is None or known.line == _line(record)

    def _apply(self, connector: str, at: PartitionOffset, record: LogRecord) -> None:
        known, key = self._known.setdefault(connector, {}), canonical(at.partition)
        self._disowned.pop((connector, key), None)
        if at.offset is None:
            known.pop(key, None)
        else:
            known[key] = _Known(at, _line(record))

    @property
    def newest_epoch(self) -> int:
        """Of all that was ever written here."""
        with self._lock:
            return self._newest_epoch

    def offsets(self, connector: str) -> list[PartitionOffset]:
        """Each source partition of the connector that has an offset."""
        with self._lock:
            return [known.at for known in self._known.get(connector, {}).values()]

    def offset(self, connector: str, partition: Fields) -> Fields | None:
        with self._lock:
            found = self._known.get(connector, {}).get(canonical(partition))
        return found.at.offset if found else None

    def refresh(self) -> None:
        """Reads to the end, so that what another worker committed is known here. Raises LogError."""
        self.log.read_to_end()

    # --- writing ------------------------------------------------------------------------------------------------------

    def commit(self, connector: str, partition: Fields, offset: Fields, epoch: int | None = None) -> Positions:
        """A task's, of `epoch`. Durable and read back on return. Raises LogError."""
        return self.commit_all(connector, [(partition, offset)], epoch)

    def commit_all(self, connector: str, offsets: Iterable[tuple[Fields, Fields]], epoch: int | None = None) -> Positions:
        """Several at once, as one of them."""
        return self.log.write(
            [
                line
                for partition, offset in offsets
                for line in self._lines(connector, records.offset_record(connector, partition, offset, epoch), partition)
            ]
        )

    def alteration(self, connector: str, offsets: Iterable[PartitionOffset], epoch: int) -> list[KeyValue]:
        """The records that make these offsets hold against every task of `epoch` and before. They are the leader's to write."""
        mark = ((records.ALTERED, str(epoch).encode()),)
        return [
            line._replace(headers=mark)
            for item in offsets
            for line in self._lines(connector, records.offset_record(connector, item.partition, item.offset), item.partition)
        ]

    def restatements(self) -> list[KeyValue]:
        """What counts, once more, of all partitions whose newest record does not: the last record of a key is all that compaction
        leaves. They are the leader's to write."""
        with self._lock:
            disowned = list(self._disowned.items())
        return [line for (connector, _), partition in disowned for line in self._restatement(connector, partition)]

    def _restatement(self, connector: str, partition: Fields | None) -> list[KeyValue]:
        with self._lock:
            known = self._known.get(connector, {}).get(canonical(partition))
            epoch = self._altered.get(connector, -1)
        if known is None:
            lines = self.alteration(connector, [PartitionOffset(partition, None)], epoch)
        else:
            lines = self._lines(connector, known.line, partition)
        return [line._replace(headers=(*line.headers, (records.RESTATED, b""))) for line in lines]

    def _lines(self, connector: str, line: KeyValue, partition: Fields | None) -> list[KeyValue]:
        """The record under every key that the topic has for the partition."""
        with self._lock:
            keys = list(self._keys.get((connector, canonical(partition)), {}))
        return [line._replace(key=key) for key in keys] or [line]

    def stop(self) -> None:
        self.log.stop()
