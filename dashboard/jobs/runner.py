"""The jobs of all who ask, a thread each, in every control process: each takes up what no other works on."""

import logging
import os
import socket
import threading
import time
import uuid
from datetime import UTC, datetime

from django.db import DatabaseError, close_old_connections, connections

from dashboard import clusters
from dashboard.jobs import claims, hints
from dashboard.jobs.run import Run
from dashboard.models import Cluster

logger = logging.getLogger(__name__)

# What else waits its turn: each has connections of its own to the database and to clusters.
MOST_AT_ONCE = 8
_LOOK_EVERY = 1.0
_PREPARE_EVERY = 10.0


class Runner:
    """`step` takes up what waits. A job whose thread ends before its time is taken up again when its lease is over."""

    def __init__(self) -> None:
        self._name = f"{socket.gethostname()}:{os.getpid()}"
        self._stop = threading.Event()
        self._wake = threading.Event()
        self._running: dict[int, threading.Thread] = {}
        self._prepared_at = -_PREPARE_EVERY
        self._threads = [
            threading.Thread(target=self._loop, name="jobs", daemon=True),
            threading.Thread(target=hints.listen, args=(self._stop, self._wake.set), name="jobs-hints", daemon=True),
        ]

    def start(self) -> None:
        for thread in self._threads:
            thread.start()

    def stop(self) -> None:
        """Jobs are left as they are, for this process's next life or for another process."""
        self._stop.set()
        self._wake.set()
        for thread in list(self._running.values()):
            thread.join(timeout=4)

    def step(self) -> None:
        self._running = {job: thread for job, thread in self._running.items() if thread.is_alive()}
        now = datetime.now(UTC)
        for job in claims.claimable(now):
            if len(self._running) >= MOST_AT_ONCE:
                return
            by = f"{self._name}:{uuid.uuid4().hex[:8]}"
            if job not in self._running and claims.claim(job, by, now):
                self._running[job] = threading.Thread(target=self._run, args=(job, by), name=f"job-{job}", daemon=True)
                self._running[job].start()

    def prepare(self) -> None:
        """A client takes its time to make, certificates and all: no click waits for that."""
        if time.monotonic() - self._prepared_at >= _PREPARE_EVERY:
            self._prepared_at = time.monotonic()
            for cluster in Cluster.objects.all():
                clusters.client(cluster)

    def _loop(self) -> None:
        while not self._stop.is_set():
            self._wake.clear()
            close_old_connections()
            try:
                self.step()
                self.prepare()
            except DatabaseError as error:
                logger.error("jobs cannot be read: %s", error)
                connections.close_all()
            self._wake.wait(_LOOK_EVERY)
        connections.close_all()

    def _run(self, job: int, by: str) -> None:
        try:
            Run(job, by).work(self._stop)
        except claims.LostClaim:
            logger.warning("job %s is another process's by now", job)
        except DatabaseError as error:
            logger.error("job %s cannot be written down, and is taken up again in a while: %s", job, error)
        except Exception:
            logger.exception("job %s failed, and is taken up again in a while", job)
        finally:
            connections.close_all()
