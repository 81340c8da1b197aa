"""The figures of the one worker that is in the same process."""

from collections.abc import Sequence

import orjson

from workers.metrics.worker_recorder import WorkerRecorder


class OwnBoard:
    def __init__(self, recorder: WorkerRecorder, worker: str) -> None:
        self._recorder = recorder
        self._worker = worker

    def read(self, workers: Sequence[str]) -> list[bytes | None]:
        """As `board.Board` gives them, and of this moment."""
        return [orjson.dumps(self._recorder.figures()) if worker == self._worker else None for worker in workers]
