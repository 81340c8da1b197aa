"""What this worker says of an instance in the status topic, run by run."""

import logging
import threading
from dataclasses import dataclass, replace

from workers.herder.ports import Plugins
from workers.herder.states import State
from workers.herder.traces import trace
from workers.herder.values import Config, InstanceId, Status, TaskId
from workers.storage.status_store import StatusStore

logger = logging.getLogger(__name__)


@dataclass(slots=True)
class Author:
    """The worker, as each of its statuses names it."""

    worker_id: str
    #: How far in the config topic the herder has acted.
    acted_on: int | None = None


class StatusWriter:
    """Writes the statuses of one run, in the order in which they come true.

    Once it is silenced, another run or another worker speaks for the instance, and what this one still reports is dropped. Two
    words are left, for the worker to say of a run that it ends: RESTARTING and UNASSIGNED.
    """

    def __init__(
        self,
        instance: InstanceId,
        connector_config: Config,
        generation: int,
        author: Author,
        statuses: StatusStore,
        plugins: Plugins,
    ) -> None:
        #: What came true last. RESTARTING is never among it: that is what will be.
        self.state = State.UNASSIGNED
        #: The epoch up to which the instance was known to be this worker's; goes into every status.
        self.generation = generation
        self.silenced = False
        self._instance = instance
        self._connector_config = connector_config
        self._author = author
        self._statuses = statuses
        self._plugins = plugins
        # A status is decided on and written as one: none that was decided on before a `silence` is written after it.
        self._lock = threading.Lock()

    def silence(self) -> None:
        with self._lock:
            self.silenced = True

    def report(self, state: State) -> None:
        with self._lock:
            # A task may fail on another thread before its start or pause is reported here: the failure is the newer truth.
            if self.silenced or (self.state is State.FAILED and isinstance(self._instance, TaskId)):
                return
            self.state = state
            self._write(state)

    def fail(self, error: BaseException) -> bool:
        """Whether it is the run's first failure, the one that is told."""
        with self._lock:
            if self.silenced or self.state is State.FAILED:
                return False
            self.state = State.FAILED
            logger.error("%s failed", self._instance, exc_info=error)
            self._write(State.FAILED, trace(error))
            return True

    def forget_failure(self) -> None:
        """A new try begins: if it fails, for a reason of its own."""
        with self._lock:
            self.state = State.UNASSIGNED

    def restarting(self) -> None:
        """Another run is to follow. The leader may have said so already."""
        if not self._is_restarting():
            self._write(State.RESTARTING)

    def unassigned(self) -> None:
        """Nobody runs the instance for now."""
        # Between a restart that was promised and the instance running again nothing else is shown, wherever it runs.
        if not self._is_restarting():
            with self._lock:
                self.state = State.UNASSIGNED
                self._write(State.UNASSIGNED)

    def repeat(self) -> None:
        """Writes again what shows, if it is of this run and nothing newer is on its way."""
        seen = self._statuses.get(self._instance)
        if seen is None or seen.worker_id != self._author.worker_id:
            return
        with self._lock:
            if self.state is seen.state and not self.silenced:
                self._statuses.put(self._instance, replace(seen, generation=self.generation))

    def _is_restarting(self) -> bool:
        seen = self._statuses.get(self._instance)
        return seen is not None and seen.state is State.RESTARTING

    def _write(self, state: State, text: str | None = None) -> None:
        version = self._plugins.version_of(self._connector_config)
        status = Status(state, self._author.worker_id, self.generation, text, version, self._author.acted_on)
        self._statuses.put(self._instance, status)
