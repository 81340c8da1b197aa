"""The jobs of all who ask."""

import threading
import time
from collections.abc import Collection
from datetime import datetime

from dashboard import clusters
from dashboard.control.crew import Crew
from dashboard.control.leases import Rows
from dashboard.jobs import claims
from dashboard.jobs.run import Run
from dashboard.models import Cluster

_PREPARE_EVERY = 10.0


class Jobs(Crew[int]):
    one = "job"
    channel = claims.CHANNEL

    def __init__(self) -> None:
        super().__init__()
        self._prepared_at = -_PREPARE_EVERY

    def claimable(self, now: datetime) -> list[int]:
        return claims.claimable(now)

    def claim(self, item: int, now: datetime) -> bool:
        return claims.claim(item, self.by, now)

    def rows(self, items: Collection[int] | None = None) -> Rows:
        return claims.rows(items)

    def work(self, item: int, stop: threading.Event) -> None:
        Run(item, self.by).work(stop)

    def prepare(self) -> None:
        """A client takes its time to make, certificates and all: no click waits for that."""
        if time.monotonic() - self._prepared_at >= _PREPARE_EVERY:
            self._prepared_at = time.monotonic()
            for cluster in Cluster.objects.all():
                clusters.client(cluster)
