"""Sends this worker's figures, every few seconds."""

import logging
import threading

import orjson

from workers.metrics.board import INTERVAL, Board
from workers.metrics.worker_recorder import WorkerRecorder

logger = logging.getLogger(__name__)


class Publisher:
    """On a thread of its own, so that nothing waits for Redis."""

    def __init__(self, recorder: WorkerRecorder, board: Board, worker: str, interval: float = INTERVAL) -> None:
        self._recorder = recorder
        self._board = board
        self._worker = worker
        self._interval = interval
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._run, name="metrics", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        self._stopping.set()
        if self._thread.ident is not None:
            self._thread.join(5.0)

    def _run(self) -> None:
        self._send()
        while not self._stopping.wait(self._interval):
            self._send()
        self._board.remove(self._worker)

    def _send(self) -> None:
        try:
            self._board.put(self._worker, orjson.dumps(self._recorder.figures()))
        except Exception:
            # The next figures may be better ones; a thread that ended here would make the worker look dead.
            logger.exception("This worker's figures could not be sent")
