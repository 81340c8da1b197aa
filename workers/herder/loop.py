"""The herder's one thread: takes one thing at a time to do (design rule 5)."""

import logging
import queue
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future
from typing import Any

from workers.herder.errors import Conflict, HerderError
from workers.herder.futures import chain

logger = logging.getLogger(__name__)

Thunk = Callable[[], Any]
TOO_LATE = "The request's time was over before its turn came"


class Loop:
    """`post` is for events, `call` for requests with somebody waiting. Both return at once, from any thread."""

    def __init__(self, name: str = "herder") -> None:
        self._queue: queue.SimpleQueue[Thunk | None] = queue.SimpleQueue()
        self._stopping = False
        # Nothing may get into the queue behind its end, where nobody would ever answer it.
        self._lock = threading.Lock()
        self._unfinished = 0
        self._thread = threading.Thread(target=self._run, name=name, daemon=True)

    def start(self) -> None:
        self._thread.start()

    def post(self, thunk: Thunk) -> None:
        self._put(thunk)

    def later(self, seconds: float, thunk: Thunk) -> None:
        """Posts it after a while."""
        timer = threading.Timer(seconds, self.post, (thunk,))
        timer.daemon = True
        timer.start()

    def idle(self) -> bool:
        with self._lock:
            return self._unfinished == 0

    def _put(self, thunk: Thunk) -> bool:
        with self._lock:
            if not self._stopping:
                self._unfinished += 1
                self._queue.put(thunk)
            return not self._stopping

    def call(self, thunk: Thunk) -> Future[Any]:
        """A thunk that returns a future is answered when that one is: it goes on elsewhere and the thread is free."""
        future: Future[Any] = Future()

        def run() -> None:
            try:
                result = thunk()
            except Exception as error:
                future.set_exception(error)
            else:
                chain(result, future) if isinstance(result, Future) else future.set_result(result)

        if not self._put(run):
            future.set_exception(HerderError("Worker is shutting down"))
        return future

    def _run(self) -> None:
        while (thunk := self._queue.get()) is not None:
            try:
                thunk()
            except Exception:
                logger.exception("The herder could not finish a step")
            with self._lock:
                self._unfinished -= 1

    def stop(self) -> None:
        """Finishes what is queued already; calls from now on are refused."""
        with self._lock:
            self._stopping = True
            self._queue.put(None)
        if self._thread.ident is not None:
            self._thread.join()


def in_time(thunk: Thunk, deadline: float) -> Any:
    """For a request with somebody waiting until `deadline` (monotonic): the thread may have been busy with others for too long.
    Raises Conflict."""
    if time.monotonic() > deadline:
        raise Conflict(TOO_LATE)
    return thunk()
