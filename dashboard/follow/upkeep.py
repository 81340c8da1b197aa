"""What the control process does beside following: it samples figures, and lets go of what is too old."""

import logging
import threading
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

from celery import bootsteps
from django.conf import settings
from django.db import DatabaseError, close_old_connections, connections

from dashboard.history.retention import Retention, too_many, too_old
from dashboard.sampling.sampler import Sampler, grow_old

logger = logging.getLogger(__name__)

_EVERY = 60.0
# Counting the changes of every connector is dear, and nobody minds some more of them for an hour.
_COUNT_EVERY = timedelta(hours=1)
_MOST_STEPS = 50


class Upkeep:
    """`step` is one round. Whatever fails in it is logged, and tried again a minute later."""

    def __init__(self) -> None:
        self._sampler = Sampler()
        self._counted_at: datetime | None = None
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, name="upkeep", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        self._stop.set()

    def step(self, now: datetime) -> None:
        kept = Retention(settings.HISTORY_DAYS, settings.HISTORY_PER_CONNECTOR)
        self._sampler.step(now)
        self._all_of(lambda: grow_old(now))
        self._all_of(lambda: too_old(kept, now))
        if self._counted_at is None or now - self._counted_at >= _COUNT_EVERY:
            self._all_of(lambda: too_many(kept))
            self._counted_at = now

    def _all_of(self, some: Callable[[], bool]) -> None:
        """A follower that waits for the database gets its turn between two steps."""
        for _ in range(_MOST_STEPS):
            if not some() or self._stop.wait(0.05):
                return

    def _run(self) -> None:
        while True:
            close_old_connections()
            try:
                self.step(datetime.now(UTC))
            except DatabaseError as error:
                logger.error("figures cannot be written down: %s", error)
                connections.close_all()
            except Exception:
                logger.exception("a round of upkeep failed")
            if self._stop.wait(_EVERY):
                return


class UpkeepStep(bootsteps.StartStopStep):
    """Started and stopped with the Celery worker of the control process, whether Redis is there or not."""

    requires = ("celery.worker.components:Pool",)

    def create(self, _parent: Any) -> Any:
        return Upkeep()
