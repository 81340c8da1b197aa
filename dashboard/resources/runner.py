"""All resources that are due, in threads, in every control process: each takes up what no other is at."""

import logging
import os
import socket
import threading
import time
import uuid
from collections import Counter
from datetime import UTC, datetime

from django.db import DatabaseError, close_old_connections, connections

from dashboard.jobs.hints import listen
from dashboard.resources import claims
from dashboard.resources.apply import CHANNEL
from dashboard.resources.claims import Due, LostClaim
from dashboard.resources.run import Pass

logger = logging.getLogger(__name__)

# Of one cluster; a dead one has these and no more, whatever waits for it. Each cluster has one, however many there are.
MOST_PER_CLUSTER = 4
MOST_AT_ONCE = 32
_LOOK_EVERY = 1.0
_LOOK_FOR_CHANGES_EVERY = 2.0


class Runner:
    """`step` takes up what is due, and renews the leases of what is under way. One whose thread ends before its time is taken up
    again when its lease is over."""

    def __init__(self) -> None:
        self._by = f"{socket.gethostname()}:{os.getpid()}:{uuid.uuid4().hex[:8]}"
        self._stop = threading.Event()
        self._wake = threading.Event()
        self._running: dict[Due, threading.Thread] = {}
        self._looked_at = -_LOOK_FOR_CHANGES_EVERY
        self._threads = [
            threading.Thread(target=self._loop, name="resources", daemon=True),
            threading.Thread(target=listen, args=(self._stop, self._wake.set, CHANNEL), name="resources-hints", daemon=True),
        ]

    def start(self) -> None:
        for thread in self._threads:
            thread.start()

    def stop(self) -> None:
        """Resources are left as they are, for this process's next life or for another process."""
        self._stop.set()
        self._wake.set()
        for thread in list(self._running.values()):
            thread.join(timeout=2)
        try:
            claims.let_go(self._by, datetime.now(UTC))
        except DatabaseError as error:
            logger.warning("resources are taken up again when their leases are over: %s", error)

    def step(self) -> None:
        self._running = {due: thread for due, thread in self._running.items() if thread.is_alive()}
        now = datetime.now(UTC)
        claims.renew([due.resource for due in self._running], self._by, now)
        at = Counter(due.cluster for due in self._running)
        for due in claims.claimable(now):
            place = MOST_PER_CLUSTER if len(self._running) < MOST_AT_ONCE else 1
            if at[due.cluster] < place and due not in self._running and claims.claim(due.resource, self._by, now):
                at[due.cluster] += 1
                self._running[due] = threading.Thread(target=self._run, args=(due,), name=f"resource-{due.resource}", daemon=True)
                self._running[due].start()

    def _loop(self) -> None:
        while not self._stop.is_set():
            self._wake.clear()
            close_old_connections()
            try:
                self._look_for_changes()
                self.step()
            except DatabaseError as error:
                logger.error("resources cannot be read: %s", error)
                connections.close_all()
            self._wake.wait(_LOOK_EVERY)
        connections.close_all()

    def _look_for_changes(self) -> None:
        if time.monotonic() - self._looked_at >= _LOOK_FOR_CHANGES_EVERY:
            self._looked_at = time.monotonic()
            claims.wake_changed(datetime.now(UTC))

    def _run(self, due: Due) -> None:
        try:
            Pass(due.resource, self._by).work()
        except LostClaim:
            logger.debug("resource %s is another process's by now, or gone", due.resource)
        except DatabaseError as error:
            logger.error("resource %s cannot be written down, and is taken up again in a while: %s", due.resource, error)
        except Exception:
            logger.exception("resource %s failed, and is taken up again in a while", due.resource)
        finally:
            connections.close_all()
            self._wake.set()
