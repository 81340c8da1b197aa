"""What the herder is at, for those who wait for it: a request that timed out is told it, in Kafka Connect's words."""

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime

from workers.herder.errors import HerderError

# Kafka Connect's words for what several name.
AWAITING_STARTUP = "awaiting startup"
INITIALIZING = "initializing and reading to the end of internal topics"
JOINING = "ensuring membership in the cluster"
STARTING_CONNECTOR = "starting the connector"


@dataclass(frozen=True, slots=True)
class Stage:
    """`began` and `completed` are seconds since the epoch; `completed` is None while it goes on."""

    description: str
    began: float
    completed: float | None = None

    def __str__(self) -> str:
        if self.completed is None:
            return f"The worker is currently {self.description}, which began at {_iso(self.began)}."
        return (
            f"The last operation the worker completed was {self.description}, which began at {_iso(self.began)} "
            f"and completed at {_iso(self.completed)}."
        )


def timed_out(stage: Stage | None) -> HerderError:
    return HerderError(f"Request timed out. {stage}" if stage else "Request timed out")


def _iso(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


class Stages:
    """What one herder is at. A stage within another is the one that is told, until it is over. Thread-safe."""

    def __init__(self) -> None:
        self._running: list[Stage] = []
        self._last: Stage | None = None
        self._lock = threading.Lock()

    @property
    def current(self) -> Stage | None:
        """What goes on, or else what was last completed; None where there was nothing yet."""
        with self._lock:
            return self._running[-1] if self._running else self._last

    def begin(self, description: str) -> None:
        with self._lock:
            self._running.append(Stage(description, time.time()))

    def end(self, description: str) -> None:
        """Of what has not begun, nothing."""
        with self._lock:
            found = next((stage for stage in reversed(self._running) if stage.description == description), None)
            if found is not None:
                self._running.remove(found)
                self._last = replace(found, completed=time.time())

    @contextmanager
    def during(self, description: str) -> Iterator[None]:
        self.begin(description)
        try:
            yield
        finally:
            self.end(description)
