"""The loggers of one process: Python's, and those of what it hosts."""

import logging
import threading
import time
from collections.abc import Callable, Sequence
from typing import Protocol

from workers.herder.loop import Loop
from workers.loggers.levels import LoggerLevel, canonical, changed, level_named
from workers.loggers.python import PythonLoggers

logger = logging.getLogger(__name__)


class Backend(Protocol):
    """Loggers of one kind, by name; the root logger is `root`. What it knows nothing of it leaves as it is."""

    def levels(self) -> dict[str, str]:
        """The level that is in force for each."""
        ...

    def create(self, name: str) -> None:
        """Makes the logger if it is not there."""
        ...

    def set(self, namespace: str, level: str) -> None: ...


def _now() -> int:
    return round(time.time() * 1000)


class Loggers:
    """Thread-safe. Of a logger that several have, the level is shown that it has with whoever had it first."""

    def __init__(self, backends: Sequence[Backend] = (), clock: Callable[[], int] = _now) -> None:
        self._backends: Sequence[Backend] = [PythonLoggers(), *backends]
        self._clock = clock
        self._modified: dict[str, int] = {}
        #: Of those that were made in all of them: which backend had it.
        self._owners: dict[str, int] = {}
        self._lock = threading.Lock()
        # Not the lock that is held while a backend takes its time.
        self._starting = threading.Lock()
        self._follower: Loop | None = None

    def levels(self) -> dict[str, LoggerLevel]:
        with self._lock:
            return {name: LoggerLevel(level, self._modified.get(name)) for name, level in self._levels().items()}

    def _levels(self) -> dict[str, str]:
        each = self._each()
        found = {name: level for levels in reversed(each) for name, level in levels.items()}
        return {**found, **{name: each[owner][name] for name, owner in self._owners.items() if name in each[owner]}}

    def _each(self) -> list[dict[str, str]]:
        return [backend.levels() for backend in self._backends]

    def set(self, namespace: str, level: str) -> list[str]:
        """The names of the loggers that have another level than before, sorted. `level` is one's own name."""
        namespace = canonical(namespace)
        logger.info("Setting level of namespace %r and children to %s", namespace, level)
        with self._lock:
            self._create(namespace)
            before = self._levels()
            for backend in self._backends:
                backend.set(namespace, level)
            found = changed(namespace, level, before, self._levels())
            self._modified |= dict.fromkeys(found, self._clock())
        return found

    def _create(self, name: str) -> None:
        """In every backend: a name does not say which of them logs under it."""
        owner = next((number for number, levels in enumerate(self._each()) if name in levels), 0)
        self._owners.setdefault(name, owner)
        for backend in self._backends:
            backend.create(name)

    # --- following the config topic ---------------------------------------------------------------------------------------

    def follow(self, namespace: str, level: str) -> None:
        """As `set`, for what a record says, which nobody has checked. Returns at once: a backend may take its time."""
        if (known := level_named(level)) is None:
            logger.warning("Level %.50r of namespace %.200r is none and is ignored", level, namespace)
            return
        with self._starting:
            if self._follower is None:
                self._follower = Loop("log-levels")
                self._follower.start()
        self._follower.post(lambda: self.set(namespace, known))

    def followed(self, timeout: float) -> None:
        """Returns when all that was to be followed has been, or after `timeout` seconds."""
        if self._follower is not None:
            try:
                self._follower.call(lambda: None).result(timeout)
            except TimeoutError:
                logger.warning("The levels of loggers are still being set")
