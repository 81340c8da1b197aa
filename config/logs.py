"""Keeping logs readable."""

import logging
import re
import time
from collections.abc import Callable

from config.concealment import LOGS

_VARYING = re.compile(r"\d+")


class Concealing(logging.Formatter):
    """Values that are secret are named instead of written, tracebacks included."""

    def format(self, record: logging.LogRecord) -> str:
        return LOGS.conceal(super().format(record))


class Repeats(logging.Filter):
    """Lets librdkafka say the same thing once in half a minute: each client repeats itself while a broker is away."""

    def __init__(self, seconds: float = 30.0, clock: Callable[[], float] = time.monotonic) -> None:
        super().__init__()
        self._seconds = seconds
        self._clock = clock
        self._said: dict[str, float] = {}

    def filter(self, record: logging.LogRecord) -> bool:
        if record.name != "kafka":
            return True
        text, now = _VARYING.sub("#", record.getMessage()), self._clock()
        if now - self._said.get(text, -self._seconds) < self._seconds:
            return False
        self._said = {said: when for said, when in self._said.items() if now - when < self._seconds} | {text: now}
        return True
