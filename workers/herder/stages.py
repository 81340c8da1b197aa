"""What the herder is at, for those who wait for it: a request that timed out is told it, in Kafka Connect's words."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime


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


def _iso(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


class Stages:
    """Written by the herder's thread, read by any."""

    def __init__(self) -> None:
        self.current: Stage | None = None

    @contextmanager
    def during(self, description: str) -> Iterator[None]:
        began = time.time()
        self.current = Stage(description, began)
        try:
            yield
        finally:
            self.current = Stage(description, began, time.time())
