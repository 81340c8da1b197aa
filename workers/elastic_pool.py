"""A bounded pool of threads in which whoever hangs keeps only himself from going on (fault F19)."""

import logging
import threading
import time
from collections import deque
from collections.abc import Callable

logger = logging.getLogger(__name__)

Work = Callable[[], object]


class ElasticPool:
    """`threads` pieces of work run at once. One that runs for longer than `patience` seconds no longer counts as one of them:
    another thread takes its place, and its own ends with it. Threads are daemons, so that none keeps a process from ending."""

    def __init__(self, threads: int, name: str, patience: float) -> None:
        self._limit = threads
        self._name = name
        self._patience = patience
        self._queue: deque[Work] = deque()
        #: thread → since when it is at its piece of work
        self._busy: dict[threading.Thread, float] = {}
        self._stranded: set[threading.Thread] = set()
        self._idle = 0
        self._counting = 0
        self._lock = threading.Lock()
        self._work = threading.Condition(self._lock)
        self._watched = threading.Condition(self._lock)
        self._stopping = False
        self._watcher: threading.Thread | None = None

    def submit(self, work: Work) -> None:
        """`work` must not raise: nobody would hear of it but the log."""
        with self._lock:
            if self._stopping:
                return
            self._queue.append(work)
            # Whoever was woken for the one before may not have taken it yet.
            if len(self._queue) <= self._idle:
                self._work.notify()
            elif self._counting < self._limit:
                self._add_thread()
            else:
                self._watch()

    def stop(self) -> None:
        """What is queued is dropped; what runs is left to itself."""
        with self._lock:
            self._stopping = True
            self._queue.clear()
            self._work.notify_all()
            self._watched.notify_all()

    def _add_thread(self) -> None:
        self._counting += 1
        threading.Thread(target=self._run, name=self._name, daemon=True).start()

    def _run(self) -> None:
        me = threading.current_thread()
        while (work := self._next(me)) is not None:
            try:
                work()
            except BaseException:
                logger.exception("Work in the pool %s failed unexpectedly", self._name)

    def _next(self, me: threading.Thread) -> Work | None:
        with self._lock:
            self._busy.pop(me, None)
            if me in self._stranded:
                self._stranded.discard(me)
                return None
            while not self._queue and not self._stopping:
                self._idle += 1
                self._work.wait()
                self._idle -= 1
            if not self._queue:
                self._counting -= 1
                return None
            self._busy[me] = time.monotonic()
            return self._queue.popleft()

    # --- giving up on those who hang ------------------------------------------------------------------------------------

    def _watch(self) -> None:
        if self._watcher is None:
            self._watcher = threading.Thread(target=self._keep_watch, name=f"{self._name}-watch", daemon=True)
            self._watcher.start()
        else:
            self._watched.notify()

    def _keep_watch(self) -> None:
        with self._lock:
            while not self._stopping:
                self._watched.wait(self._replace_stranded())

    def _replace_stranded(self) -> float | None:
        """Seconds until the next one may have to be given up; None while nothing waits for a thread."""
        if len(self._queue) <= self._idle:
            return None
        now = time.monotonic()
        counting = {thread: since for thread, since in self._busy.items() if thread not in self._stranded}
        overdue = [thread for thread, since in counting.items() if since + self._patience <= now]
        for thread in overdue:
            logger.warning("A thread of the pool %s does not come back; another one takes its place", self._name)
            self._stranded.add(thread)
            self._counting -= 1
        for _ in range(min(self._limit - self._counting, len(self._queue))):
            self._add_thread()
        left = [since for thread, since in counting.items() if thread not in self._stranded]
        return max(0.01, min(left) + self._patience - now) if left and self._counting >= self._limit else 0.05
