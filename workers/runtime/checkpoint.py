"""A streaming query's checkpoint folder, which is thrown away: made of a stored position before each start, read while it runs.

The format is Spark's own: `metadata` names the query; `offsets/<batch>` says up to where a batch goes, written before it begins
(of a real-time batch: at its end); `commits/<batch>` that it is over; `sources/0/` is the source's own. A folder with batch 0
begun and over makes a query go on behind it, with batch 1.
"""

import json
import shutil
import uuid
from pathlib import Path

from workers.connectors.base import StreamPosition

_VERSION = "v1"
_BATCH = json.dumps({"batchWatermarkMs": 0, "batchTimestampMs": 0, "conf": {}}, separators=(",", ":"))
_COMMIT = json.dumps({"nextBatchWatermarkMs": 0}, separators=(",", ":"))


class Checkpoint:
    """Of a query with one source. One thread at a time."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._seen: set[str] = set()

    @property
    def uri(self) -> str:
        return self._folder.as_uri()

    def seed(self, position: StreamPosition | None) -> None:
        """A folder from which a query goes on at `position`; None: from the start."""
        self.discard()
        for name in ("offsets", "commits", "sources/0"):
            (self._folder / name).mkdir(parents=True)
        (self._folder / "metadata").write_text(json.dumps({"id": str(uuid.uuid4())}))
        if position is not None:
            (self._folder / "offsets" / "0").write_text(f"{_VERSION}\n{_BATCH}\n{position.offset}")
            (self._folder / "commits" / "0").write_text(f"{_VERSION}\n{_COMMIT}")
            for name, text in position.log.items():
                (self._log / name).write_text(text)
            self._seen = set(position.log)

    def reached(self, batch: int) -> StreamPosition:
        """Up to where a batch goes that has begun; `log` has what is new in it since the last time."""
        offset = (self._folder / "offsets" / str(batch)).read_text().split("\n", 2)[2].strip()
        new = self._names(self._log) - self._seen
        self._seen |= new
        return StreamPosition(offset, {name: (self._log / name).read_text() for name in new})

    def finished(self) -> int | None:
        """The newest batch that is over."""
        return max((int(name) for name in self._names(self._folder / "commits") if name.isdigit()), default=None)

    def discard(self) -> None:
        shutil.rmtree(self._folder, ignore_errors=True)
        self._seen = set()

    @property
    def _log(self) -> Path:
        return self._folder / "sources" / "0"

    @staticmethod
    def _names(folder: Path) -> set[str]:
        """Without what is being written, and its checksums."""
        return {path.name for path in folder.iterdir() if not path.name.startswith(".")} if folder.is_dir() else set()
