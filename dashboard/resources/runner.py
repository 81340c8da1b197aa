"""All resources that are due."""

import threading
import time
from collections import Counter
from collections.abc import Collection
from datetime import UTC, datetime

from dashboard.control.crew import Crew
from dashboard.control.leases import Rows
from dashboard.resources import claims
from dashboard.resources.claims import Due
from dashboard.resources.run import Pass

# Of one cluster; a dead one has these and no more, whatever waits for it. Each cluster has one, however many there are.
MOST_PER_CLUSTER = 4
MOST_AT_ONCE = 32
_LOOK_FOR_CHANGES_EVERY = 2.0


class Resources(Crew[Due]):
    one = "resource"
    channel = claims.CHANNEL

    def __init__(self) -> None:
        super().__init__()
        self._looked_at = -_LOOK_FOR_CHANGES_EVERY

    def claimable(self, now: datetime) -> list[Due]:
        return claims.claimable(now)

    def claim(self, item: Due, now: datetime) -> bool:
        return claims.claim(item.resource, self.by, now)

    def rows(self, items: Collection[Due] | None = None) -> Rows:
        return claims.rows(None if items is None else [item.resource for item in items])

    def has_place(self, item: Due) -> bool:
        at = Counter(due.cluster for due in self.running)
        return at[item.cluster] < (MOST_PER_CLUSTER if len(self.running) < MOST_AT_ONCE else 1)

    def work(self, item: Due, stop: threading.Event) -> None:
        Pass(item.resource, self.by).work()

    def prepare(self) -> None:
        if time.monotonic() - self._looked_at >= _LOOK_FOR_CHANGES_EVERY:
            self._looked_at = time.monotonic()
            claims.wake_changed(datetime.now(UTC))
