"""Average and maximum of what happened lately, as Kafka's metrics keep them."""

import time
from collections.abc import Callable

#: Kafka's `metrics.sample.window.ms`: a figure tells of this one and the one before.
SECONDS = 30.0


class Window:
    """Written by one thread at a time, read by any, without a lock: a reader may miss what comes at that very moment."""

    __slots__ = ("_began", "_clock", "_count", "_earlier", "_most", "_sum")

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._began = clock()
        self._count, self._sum, self._most = 0, 0.0, 0.0
        #: Count, sum and maximum of the window before.
        self._earlier = (0, 0.0, 0.0)

    def add(self, value: float) -> None:
        self._turn()
        self._count += 1
        self._sum += value
        self._most = max(self._most, value)

    def _turn(self) -> None:
        windows = int((self._clock() - self._began) / SECONDS)
        if windows:
            self._earlier = (self._count, self._sum, self._most) if windows == 1 else (0, 0.0, 0.0)
            self._count, self._sum, self._most = 0, 0.0, 0.0
            self._began += windows * SECONDS

    def figures(self) -> tuple[float, float] | tuple[None, None]:
        """Average and maximum; None when nothing happened for a while."""
        windows = int((self._clock() - self._began) / SECONDS)
        samples = [((self._count, self._sum, self._most), windows <= 1), (self._earlier, windows == 0)]
        counted = [sample for sample, recent in samples if recent and sample[0]]
        if not counted:
            return None, None
        return sum(s[1] for s in counted) / sum(s[0] for s in counted), max(s[2] for s in counted)
