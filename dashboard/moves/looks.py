"""What each step looks at. Asks clusters, changes nothing."""

from collections.abc import Callable
from datetime import datetime

from connect_client import ConnectorStatus
from dashboard.models import Move
from dashboard.moves import carried, decide, log
from dashboard.moves.decide import Decision, Offsets, Reached
from dashboard.moves.log import Entry
from dashboard.moves.pace import Pace
from dashboard.moves.plan import Mode, Step


class Looks:
    """Remembers, from look to look, since when something is as it is. `found`, `status`: of the last look that asked for them."""

    def __init__(self, pace: Pace) -> None:
        self._pace = pace
        self._read_at: datetime | None = None
        self._steady: datetime | None = None
        self.found: Offsets | None = None
        self.status: ConnectorStatus | None = None

    def forget(self) -> None:
        """Another step, or nobody knows what happened meanwhile."""
        self._read_at = self._steady = self.found = self.status = None

    def look(self, move: Move, entry: Entry, now: datetime) -> Decision:
        """Raises ConnectError, NotTold, Forgotten, CannotUnseal."""
        return _LOOKS[entry.step](self, move, entry, now)

    def _check(self, move: Move, _entry: Entry, _now: datetime) -> Decision:
        old, new = carried.old(move), carried.new(move)
        self.status = old.told()
        taken = new.config() is not None
        return decide.check(old.where, carried.source_config(move), old.config(), self.status, new.where, taken=taken)

    def _stop(self, move: Move, _entry: Entry, _now: datetime) -> Decision:
        old = carried.old(move)
        return decide.stop(old.where, old.status())

    def _read(self, move: Move, _entry: Entry, now: datetime) -> Decision:
        return self._same(carried.old(move).offsets(), carried.options(move).mode, move.former_workers, now)

    def _create(self, move: Move, entry: Entry, _now: datetime) -> Decision:
        new, config, unsafe = carried.new(move), carried.config(move), carried.options(move).unsafe_create
        return decide.create(new.where, config, new.config(), new.told(), asked=entry.asks > 0, unsafe=unsafe)

    def _write(self, move: Move, _entry: Entry, _now: datetime) -> Decision:
        self.found = carried.new(move).offsets()
        return decide.write(self.found, carried.offsets(move.offsets) or ())

    def _start(self, move: Move, _entry: Entry, _now: datetime) -> Decision:
        old, new = carried.old(move), carried.new(move)
        if carried.options(move).mode is Mode.COPY:
            return decide.start(None, None, new.where, new.status())
        return decide.start(old.where, old.status(), new.where, new.status())

    def _watch(self, move: Move, _entry: Entry, now: datetime) -> Decision:
        new = carried.new(move)
        status = new.status()
        running = status is not None and decide.all_running(status)
        self._steady = (self._steady or now) if running else None
        return decide.watch(new.where, status, (now - (self._steady or now)).total_seconds(), self._pace.steady)

    def _delete(self, move: Move, entry: Entry, _now: datetime) -> Decision:
        old = carried.old(move)
        return decide.delete(old.where, old.status(), asked=entry.asks > 0)

    def _stop_new(self, move: Move, _entry: Entry, _now: datetime) -> Decision:
        new = carried.new(move)
        return decide.gone(new.where, new.status())

    def _read_new(self, move: Move, _entry: Entry, now: datetime) -> Decision:
        new = carried.new(move)
        if new.config() is None:
            self.found = None
            return Reached("It is not there any more, and nobody knows how far it has come.")
        status = new.status()
        workers = len({task.worker_id for task in status.tasks}) if status else 0
        # On how many its tasks ran is not known any more.
        return self._same(new.offsets(), Mode.MOVE, max(workers, move.former_workers), now)

    def _remove(self, move: Move, _entry: Entry, _now: datetime) -> Decision:
        new, made = carried.new(move), log.is_done(log.entries(move.log), Step.CREATE)
        return decide.remove(new.where, carried.config(move), new.config(), made=made)

    def _write_back(self, move: Move, _entry: Entry, _now: datetime) -> Decision:
        old = carried.old(move)
        self.found = old.offsets()
        return decide.write_back(old.where, self.found, carried.offsets(move.offsets_back))

    def _restore(self, move: Move, _entry: Entry, _now: datetime) -> Decision:
        old = carried.old(move)
        return decide.restore(old.where, old.status(), move.former_state)

    def _same(self, now_at: Offsets, mode: Mode, workers: int, now: datetime) -> Decision:
        before, self.found = self.found, now_at
        if before is None or decide.differing(before, now_at) or self._read_at is None:
            self._read_at = now
        quiet = self._pace.quiet_several if workers > 1 else self._pace.quiet_one
        return decide.read(now_at, (now - self._read_at).total_seconds(), quiet, mode)


_LOOKS: dict[Step, Callable[[Looks, Move, Entry, datetime], Decision]] = {
    Step.CHECK: Looks._check,
    Step.STOP: Looks._stop,
    Step.READ: Looks._read,
    Step.CREATE: Looks._create,
    Step.WRITE: Looks._write,
    Step.START: Looks._start,
    Step.WATCH: Looks._watch,
    Step.DELETE: Looks._delete,
    Step.STOP_NEW: Looks._stop_new,
    Step.READ_NEW: Looks._read_new,
    Step.REMOVE: Looks._remove,
    Step.WRITE_BACK: Looks._write_back,
    Step.RESTORE: Looks._restore,
}
