"""One life of an instance, from its start to its stop: what connectors and tasks have in common."""

import logging
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from contextlib import contextmanager
from typing import Any

from workers.herder.reconcile import Wanted
from workers.herder.states import SETTLED, State, TargetState
from workers.herder.status_writer import StatusWriter
from workers.herder.values import InstanceId

logger = logging.getLogger(__name__)


class Run(ABC):
    """`begin`, `retarget` and `end` are called in the instance's lane, one after another, until one of them does not come back
    in time: what comes next in the lane then runs beside it. What holds all the same:

    * Over is over: once `silence` was called, by the herder's thread in the middle of whatever the lane does, the run says
      nothing any more and begins nothing.
    * A connector's own code is called within `_own_code`, as is what makes a task, and never while another is in there still. (A
      running task's pause and stop come back in time by themselves.)
    * Whoever comes back from there looks at what has come meanwhile: nobody else will.
    """

    def __init__(self, instance: InstanceId, wanted: Wanted, status: StatusWriter) -> None:
        self.instance = instance
        #: Set by the herder's thread before the lane hears of it; it may change while the lane is at work.
        self.wanted = wanted
        self.status = status
        #: Its start, and whether that has begun.
        self.start: Future[Any] = Future()
        self.begun = False
        self._busy = False

    @property
    def over(self) -> bool:
        return self.status.silenced

    def is_to_run(self) -> bool:
        return not self.over and self.wanted.target is TargetState.STARTED

    def silence(self) -> None:
        """It is over for all readers. `end` is to follow."""
        self.status.silence()

    # --- in the lane ----------------------------------------------------------------------------------------------------

    def begin(self) -> None:
        self.begun = True
        self._try(self._begin)

    def retarget(self) -> None:
        """Does what is `wanted` by now."""
        self._try(self._retarget)

    def end(self) -> None:
        self.silence()
        try:
            if self._busy:
                # In its own code still, for longer than anybody waits: it is stopped when it comes back.
                logger.error("%s does not come back; going on without it", self.instance)
            else:
                self._stop()
        except Exception:
            logger.exception("%s did not stop cleanly", self.instance)

    def _try(self, work: Callable[[], None]) -> None:
        if self.over:
            return
        try:
            work()
        except BaseException as error:
            self._fail(error)
            raise

    @contextmanager
    def _own_code(self) -> Iterator[None]:
        """Around calls of connector and task code, which may never come back."""
        self._busy = True
        try:
            yield
        finally:
            self._busy = False
            self._come_back()

    def _come_back(self) -> None:
        """From its own code. Whoever was given up on in there is stopped: its `end` found it busy."""
        if self.over:
            self.end()

    def _has_failed(self) -> bool:
        return self.status.state is State.FAILED

    def _report_settled(self) -> None:
        self.status.report(SETTLED[self.wanted.target])

    # --- what connectors and tasks do differently -----------------------------------------------------------------------

    @abstractmethod
    def _begin(self) -> None: ...

    @abstractmethod
    def _retarget(self) -> None: ...

    @abstractmethod
    def _stop(self) -> None:
        """Stops what was started, if anything was, and has not been stopped yet."""

    def _fail(self, error: BaseException) -> None:
        self.status.fail(error)
