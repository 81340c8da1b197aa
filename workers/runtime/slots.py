"""The slots of Spark's that real-time queries may hold. Such a query keeps one for each partition that it reads, for as long as
it runs: beyond a limit they would leave none to anybody else."""

import threading

from workers.connectors.base import ConnectError


class Slots:
    """Thread-safe."""

    def __init__(self, total: int) -> None:
        self._total = total
        self._held: dict[object, int] = {}
        self._lock = threading.Lock()

    def hold(self, holder: object, wanted: int) -> None:
        """So many from now on, instead of those that it had. Raises ConnectError, and then it has what it had."""
        with self._lock:
            free = self._total - sum(count for who, count in self._held.items() if who is not holder)
            if wanted > free:
                raise ConnectError(
                    f"trigger=realtime needs a slot for each partition that is read: {wanted} here, and {free} of this worker's "
                    f"{self._total} are free. Give it more (DROVER_REALTIME_SLOTS), or use another trigger"
                )
            self._held[holder] = wanted

    def release(self, holder: object) -> None:
        with self._lock:
            self._held.pop(holder, None)
