"""Rows that wait to be worked on, a thread each, in every control process."""

import logging
import threading
import time
from abc import ABC, abstractmethod
from collections.abc import Collection, Hashable, Iterable
from datetime import UTC, datetime
from typing import Any, ClassVar, Generic, TypeVar

from django.db import DatabaseError, connections

from dashboard.control import hints, leases
from dashboard.control.rounds import Rounds

logger = logging.getLogger(__name__)

# What else waits its turn: each thread has connections of its own to the database and to clusters.
MOST_AT_ONCE = 8
_LOOK_EVERY = 1.0
_PATIENCE = 4.0

Item = TypeVar("Item", bound=Hashable)


class Crew(ABC, Generic[Item]):
    """Takes up what no other process is at. `step` begins what waits, and renews the leases of what is under way. An item whose
    thread ends before its time is taken up again when its lease is over.

    `one`: what an item is, as in logs and names of threads. `channel`: where it is told that something waits; without, and where
    Redis is away, it looks once a second.
    """

    one: ClassVar[str]
    channel: ClassVar[str | None] = None

    def __init__(self) -> None:
        self.by = leases.new_name()
        self.running: dict[Item, threading.Thread] = {}
        self._rounds = Rounds(f"{self.one}s", self._round, _LOOK_EVERY, purpose=f"looking for {self.one}s")

    # --- what they do differently ---------------------------------------------------------------------------------------

    @abstractmethod
    def claimable(self, now: datetime) -> Iterable[Item]:
        """In the order in which they are to be taken up."""

    @abstractmethod
    def claim(self, item: Item, now: datetime) -> bool: ...

    @abstractmethod
    def rows(self, items: Collection[Item] | None = None) -> leases.Rows:
        """Those of the items, or of all."""

    @abstractmethod
    def work(self, item: Item, stop: threading.Event) -> None:
        """Until it is done, or until told to stop: it is left as it is then. Raises LostClaim and DatabaseError."""

    def has_place(self, item: Item) -> bool:
        return len(self.running) < MOST_AT_ONCE

    def prepare(self) -> None:
        """Before each look. Raises DatabaseError."""

    # --- what they have in common ---------------------------------------------------------------------------------------

    def start(self) -> None:
        self._rounds.start()
        if self.channel is not None:
            arguments: Any = (self._rounds.stopped, self._rounds.wake, self.channel)
            threading.Thread(target=hints.listen, args=arguments, name=f"{self.one}s-hints", daemon=True).start()

    def stop(self) -> None:
        """What is under way is the next process's."""
        self._rounds.stop()
        patience = time.monotonic() + _PATIENCE
        for thread in list(self.running.values()):
            thread.join(max(0, patience - time.monotonic()))
        try:
            leases.release(self.rows(), self.by)
        except DatabaseError as error:
            logger.warning("%ss are taken up again when their leases are over: %s", self.one, error)

    def step(self) -> None:
        self.running = {item: thread for item, thread in self.running.items() if thread.is_alive()}
        now = datetime.now(UTC)
        if self.running:
            leases.renew(self.rows(list(self.running)), self.by, now)
        for item in self.claimable(now):
            if self.has_place(item) and item not in self.running and self.claim(item, now):
                self.running[item] = threading.Thread(target=self._run, args=(item,), name=f"{self.one}-{item}", daemon=True)
                self.running[item].start()

    def _round(self) -> None:
        self.prepare()
        self.step()

    def _run(self, item: Item) -> None:
        try:
            self.work(item, self._rounds.stopped)
        except leases.LostClaim:
            logger.info("%s %s is another process's by now, or gone", self.one, item)
        except DatabaseError as error:
            logger.error("%s %s cannot be written down, and is taken up again in a while: %s", self.one, item, error)
        except Exception:
            logger.exception("%s %s failed, and is taken up again in a while", self.one, item)
        finally:
            connections.close_all()
            self._rounds.wake()
