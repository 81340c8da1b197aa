"""What the control process does beside following: it samples figures, and lets go of what is too old."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta

from django.conf import settings

from dashboard.control.rounds import Rounds
from dashboard.history.retention import Retention, too_many, too_old
from dashboard.sampling.sampler import Sampler, grow_old

_EVERY = 60.0
# Counting the changes of every connector is dear, and nobody minds some more of them for an hour.
_COUNT_EVERY = timedelta(hours=1)
_MOST_STEPS = 50


class Upkeep:
    """`step` is one round. Whatever fails in it is logged, and tried again a minute later."""

    def __init__(self) -> None:
        self._sampler = Sampler()
        self._counted_at: datetime | None = None
        self._rounds = Rounds("upkeep", lambda: self.step(datetime.now(UTC)), _EVERY, purpose="upkeep")

    def start(self) -> None:
        self._rounds.start()

    def stop(self) -> None:
        self._rounds.stop()

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
            if not some() or self._rounds.stopped.wait(0.05):
                return
