"""How long this worker takes to do what a new assignment says."""

import time
from collections.abc import Callable

from workers.metrics.window import Window


class Rebalances:
    """A rebalance here begins with the first record of a newer epoch and ends when this worker has stopped what that takes from
    it and started what it gives. Nothing else stands still meanwhile. Used on the herder's thread, read by any."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._began: float | None = None
        self._ended: float | None = None
        self._times = Window(clock)
        self.epoch = 0
        self.completed = 0
        self.leader: str | None = None

    def met(self, epoch: int, leader: str | None) -> bool:
        """An assignment. Whether it is a newer one and nothing is under way: then somebody has to call `carried_out`."""
        self.leader = leader
        newer = epoch > self.epoch
        self.epoch = max(epoch, self.epoch)
        if not newer or self._began is not None:
            return False
        self._began = self._clock()
        return True

    def carried_out(self) -> None:
        """The newest assignment, and with it all that came on the way."""
        assert self._began is not None
        self._ended = self._clock()
        self._times.add(round((self._ended - self._began) * 1000, 1))
        self._began = None
        self.completed += 1

    def figures(self) -> dict[str, float | None]:
        average, most = self._times.figures()
        ended = self._ended
        prefix = "kafka_connect_connect_worker_rebalance_metrics"
        return {
            f"{prefix}_epoch": self.epoch,
            f"{prefix}_completed_rebalances_total": self.completed,
            f"{prefix}_rebalancing": int(self._began is not None),
            f"{prefix}_rebalance_avg_time_ms": average,
            f"{prefix}_rebalance_max_time_ms": most,
            f"{prefix}_time_since_last_rebalance_ms": None if ended is None else round((self._clock() - ended) * 1000),
        }
