"""A log in a file, for a worker without internal topics: JSON lines, `{"key": …, "value": …}`, the newest of a key counts."""

import fcntl
import logging
import os
import threading
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import BinaryIO

import orjson

from workers.storage.log import LogError, LogRecord, Positions
from workers.storage.records import KeyValue

logger = logging.getLogger(__name__)

_HEAD = b'{"key":'
# How many lines that no longer count a file may hold beside those that do.
_SLACK = 10_000


class FileLog:
    """See `Log`. Keys and values are text, as those of every store are. What is written is handed over on the writer's thread.

    One process at a time: compaction puts a new file in place of the old one, and another writer would go on with the old.
    """

    # It is held open.
    fault: str | None = None

    def __init__(self, path: Path | str, *, slack: int = _SLACK) -> None:
        self._path = Path(path)
        self._slack = slack
        self._lock = threading.RLock()
        self._file: BinaryIO | None = None
        self._size = 0
        self._lines = 0
        self._live: dict[bytes, KeyValue] = {}
        self._on_record: Callable[[LogRecord], None] | None = None
        self._end = 0

    # --- reading ------------------------------------------------------------------------------------------------------

    def start(self, on_record: Callable[[LogRecord], None]) -> None:
        """Reads the file and compacts it. Raises LogError, and leaves the file as it is."""
        with self._lock:
            try:
                with self._path.open("a+b", buffering=0) as file:
                    self._lock_out_others(file)
                    file.seek(0)
                    self._live = {}
                    for record in self._read(file.read()):
                        self._remember(record)
                    self._compact()
            except OSError as error:
                raise LogError(self._words(error)) from error
            self._on_record = on_record
            self._hand_over(list(self._live.values()))

    def _words(self, error: OSError) -> str:
        if isinstance(error, FileNotFoundError):
            return f"The file {self._path} cannot be made: there is no folder {self._path.parent}"
        return f"The file {self._path} cannot be used: {error.strerror or error}"

    def _lock_out_others(self, file: BinaryIO) -> None:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            # Whoever had it may have put another file in its place since it was opened here.
            taken = not os.path.samestat(os.fstat(file.fileno()), self._path.stat())
        except BlockingIOError:
            taken = True
        if taken:
            raise LogError(f"The file {self._path} is in use by another worker")

    def _read(self, content: bytes) -> Iterator[KeyValue]:
        *lines, last = content.split(b"\n")
        for number, line in enumerate(lines, 1):
            record = _record(line)
            if record is None:
                # Nothing is guessed and nothing thrown away: it may be a file of another program.
                raise LogError(f"The file {self._path} cannot be read: line {number} is not a record of this worker's")
            yield record
        if not last:
            return
        record = _record(last)
        if record is not None:
            yield record
        elif last.startswith(_HEAD) or _HEAD.startswith(last):
            logger.warning("The last line of %s is incomplete and is left out: its write was never confirmed", self._path)
        else:
            raise LogError(f"The file {self._path} cannot be read: it is not a file of this worker's")

    def _remember(self, record: KeyValue) -> None:
        self._live.pop(record.key, None)
        if record.value is not None:
            self._live[record.key] = record

    def _hand_over(self, records: Sequence[KeyValue]) -> None:
        for key, value, headers in records:
            if self._on_record is not None:
                self._on_record(LogRecord(0, self._end, key, value, dict(headers)))
            self._end += 1

    def read_to_end(self) -> Positions:
        return self.reached

    @property
    def reached(self) -> Positions:
        with self._lock:
            return {0: self._end}

    def wait_for(self, positions: Positions, timeout: float) -> bool:
        return all(offset <= self.reached[0] for offset in positions.values())

    # --- writing ------------------------------------------------------------------------------------------------------

    def write(self, records: Sequence[KeyValue]) -> Positions:
        with self._lock:
            self._append(b"".join(map(_line, records)))
            for record in records:
                self._remember(record)
            self._hand_over(records)
            self._lines += len(records)
            if self._lines > self._slack + 2 * len(self._live):
                self._compact_if_possible()
            return self.reached

    def submit(self, records: Sequence[KeyValue]) -> None:
        self.write(records)

    def flush(self) -> Positions:
        return self.reached

    def _append(self, lines: bytes) -> None:
        if self._file is None:
            raise LogError(f"The file {self._path} is not open")
        try:
            _write_all(self._file, lines)
        except OSError as error:
            self._take_back(self._file)
            raise LogError(f"Writing to the file {self._path} failed: {error.strerror or error}") from error
        self._size += len(lines)

    def _take_back(self, file: BinaryIO) -> None:
        """Half a line must not stay in front of the next one; where it cannot be taken back, there is no next one."""
        try:
            file.truncate(self._size)
        except OSError:
            logger.exception("The file %s is not written any more", self._path)
            file.close()
            self._file = None

    def _compact_if_possible(self) -> None:
        try:
            self._compact()
        except OSError as error:
            logger.warning("The file %s could not be compacted: %s", self._path, error)

    def _compact(self) -> None:
        """A new file beside the old one, then in its place: whenever this is cut off, one of the two is whole."""
        content = b"".join(map(_line, self._live.values()))
        new = self._path.with_name(f"{self._path.name}.new")
        file = new.open("ab", buffering=0)
        try:
            file.truncate(0)
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            _write_all(file, content)
            new.replace(self._path)
        except BaseException:
            file.close()
            raise
        _sync_folder(self._path.parent)
        if self._file is not None:
            self._file.close()
        self._file, self._size, self._lines = file, len(content), len(self._live)

    def stop(self) -> None:
        with self._lock:
            self._on_record = None
            if self._file is not None:
                self._file.close()
                self._file = None


def _line(record: KeyValue) -> bytes:
    line: dict[str, object] = {"key": record.key.decode(), "value": None if record.value is None else record.value.decode()}
    if record.headers:
        line["headers"] = {name: value.decode() for name, value in record.headers}
    return orjson.dumps(line) + b"\n"


def _record(line: bytes) -> KeyValue | None:
    """None for what is not a line of such a file."""
    try:
        parsed = orjson.loads(line)
    except orjson.JSONDecodeError:
        return None
    match parsed:
        case {"key": str(key), "value": str() | None as value, **rest}:
            headers = rest.get("headers")
            named = headers.items() if isinstance(headers, dict) else ()
            encoded = tuple((name, str(text).encode()) for name, text in named)
            return KeyValue(key.encode(), None if value is None else value.encode(), encoded)
    return None


def _write_all(file: BinaryIO, content: bytes) -> None:
    """Durable on return."""
    left = memoryview(content)
    while left:
        left = left[file.write(left) :]
    os.fsync(file.fileno())


def _sync_folder(folder: Path) -> None:
    """So that the file's new name is durable, too."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
