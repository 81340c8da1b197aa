"""The body of an event stream."""

import time
from collections.abc import Iterator

from dashboard.live.hub import Hub, Subscription
from dashboard.live.messages import comment, retry

# A page that is gone is only noticed by writing to it: this is how long it can hold a thread for nothing.
BEAT = 15.0
# Whoever may look is asked again from time to time: the browser comes back at once and has to be signed in still.
LONGEST = 1800.0
_COME_BACK_AFTER = 2000


class Stream:
    """An iterator and not a generator: one that is closed before its first item still gives its place back."""

    def __init__(self, hub: Hub, subscription: Subscription) -> None:
        self._hub = hub
        self._subscription = subscription
        self._ends_at = time.monotonic() + LONGEST
        self._begun = False

    def __iter__(self) -> Iterator[bytes]:
        return self

    def __next__(self) -> bytes:
        if not self._begun:
            self._begun = True
            return retry(_COME_BACK_AFTER)
        if self._subscription.cut_off or time.monotonic() > self._ends_at:
            raise StopIteration
        told = self._subscription.next(BEAT)
        if self._subscription.cut_off:
            raise StopIteration
        return told or comment("beat")

    def close(self) -> None:
        self._hub.leave(self._subscription)
