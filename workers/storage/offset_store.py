"""The offset store: where each source stands, by connector and source partition (design rule 6)."""

import threading

import orjson

from workers.herder.values import Fields
from workers.storage import records
from workers.storage.log import Log, LogRecord, Positions


def _canonical(partition: Fields | None) -> bytes:
    """One text per partition, whatever the order in which its fields were written."""
    return orjson.dumps(partition, option=orjson.OPT_SORT_KEYS)


class OffsetStore:
    def __init__(self, log: Log):
        self.log = log
        self._offsets: dict[str, dict[bytes, tuple[Fields | None, Fields]]] = {}
        self._lock = threading.Lock()

    def start(self) -> None:
        self.log.start(self._on_record)

    def _on_record(self, record: LogRecord) -> None:
        parsed = records.offset_key(record.key)
        if parsed is None:
            return
        connector, partition = parsed
        offset = records.decode_map(record.value)
        with self._lock:
            offsets = self._offsets.setdefault(connector, {})
            if offset is None:
                offsets.pop(_canonical(partition), None)
            else:
                offsets[_canonical(partition)] = (partition, offset)

    def offsets(self, connector: str) -> list[tuple[Fields | None, Fields]]:
        """Each source partition of the connector with its offset."""
        with self._lock:
            return list(self._offsets.get(connector, {}).values())

    def offset(self, connector: str, partition: Fields) -> Fields | None:
        with self._lock:
            found = self._offsets.get(connector, {}).get(_canonical(partition))
        return found[1] if found else None

    def commit(self, connector: str, partition: Fields, offset: Fields | None) -> Positions:
        """Durable and read back on return. None resets the partition. Raises LogError."""
        return self.log.write([records.offset_record(connector, partition, offset)])

    def refresh(self) -> None:
        """Reads to the end, so that what another worker committed is known here. Raises LogError."""
        self.log.read_to_end()

    def stop(self) -> None:
        self.log.stop()
