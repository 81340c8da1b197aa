"""Carrying a move out. A step looks at what is there, decides, writes down what it is about to ask for, asks, and looks again."""

import threading
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from django.db import transaction

from connect_client import ConnectError, ConnectNotFound, ConnectRefused
from dashboard import versions
from dashboard.activity import note
from dashboard.control.leases import LostClaim
from dashboard.models import Move
from dashboard.moves import carried, claims, log
from dashboard.moves.carried import Forgotten
from dashboard.moves.decide import Ask, Decision, Failed, Reached, Wait, standing
from dashboard.moves.deeds import deed
from dashboard.moves.log import Entry, Outcome
from dashboard.moves.looks import Looks
from dashboard.moves.pace import PACE, Pace
from dashboard.moves.place import NotTold
from dashboard.moves.plan import Step, steps, steps_back
from dashboard.moves.telling import tell
from dashboard.sealed import CannotUnseal

_S = Move.State
_CONFLICT, _WENT_WRONG = 409, 500
# What was just asked for may be there at once.
_SOON = 0.05


@dataclass(frozen=True, slots=True)
class Turn:
    """A step of a move, as it stands at this moment."""

    entry: Entry
    now: datetime


class Run:
    """Of a move that `by` has claimed. Belongs to one thread. `step` tells how many seconds to rest until the next or, None, that
    it is over. Raises LostClaim and DatabaseError: then another Run goes on from what is written."""

    def __init__(self, move: int, by: str, pace: Pace = PACE, clock: Callable[[], datetime] = lambda: datetime.now(UTC)) -> None:
        self._by = by
        self._pace = pace
        self._clock = clock
        self._id = move
        self._looks = Looks(pace)
        #: Since when the clusters have answered to this step.
        self._answering: datetime | None = None

    def work(self, stop: threading.Event) -> None:
        rest: float | None = 0.0
        while rest is not None and not stop.wait(rest):
            rest = self.step()

    def step(self) -> float | None:
        self._move = Move.objects.select_related("source", "target").get(pk=self._id)
        if self._move.state not in claims.UNENDED:
            return None
        step, now = self._current(), self._clock()
        if step is None:
            self._end(_S.UNDONE if self._undoing else _S.DONE, now)
            return None
        if self._move.cancelling:
            self._cancelled(step, now)
            return None
        return self._turn(Turn(self._begun(step, now), now))

    def _current(self) -> Step | None:
        entries, options = log.entries(self._move.log), carried.options(self._move)
        plan = steps_back(options, log.asked_for(entries)) if self._undoing else steps(options)
        return log.current(entries, self._move.phase, plan)

    @property
    def _undoing(self) -> bool:
        return self._move.state == _S.UNDOING

    def _turn(self, turn: Turn) -> float | None:
        try:
            decision = self._look(turn)
            return self._follow(decision, turn)
        except (Forgotten, CannotUnseal) as error:
            self._failed(str(error), turn)
            return None

    def _look(self, turn: Turn) -> Decision:
        """Raises Forgotten, CannotUnseal."""
        try:
            decision = self._looks.look(self._move, turn.entry, turn.now)
        except NotTold as error:
            decision = Wait(str(error))
        except ConnectError as error:
            return self._unanswered(error)
        self._answering = self._answering or turn.now
        return decision

    # What comes of it

    def _follow(self, decision: Decision, turn: Turn) -> float | None:
        match decision:
            case Reached(detail):
                self._done(detail, turn)
                return 0.0
            case Failed(cause):
                self._failed(cause, turn)
                return None
            case Wait(why):
                return self._wait(why, turn)
            case Ask(why, stop):
                asked_at = turn.entry.asked_at
                recently = asked_at is not None and (turn.now - asked_at).total_seconds() < self._pace.again
                return self._wait(why, turn) if recently else self._ask(why, turn, stop=stop)

    def _wait(self, why: str, turn: Turn) -> float | None:
        """A cluster that is away is waited for until somebody cancels; one that answers, and does not get on, is not."""
        self._say(why)
        if self._answering is None:
            return self._pace.away
        if (turn.now - self._answering).total_seconds() > self._pace.patience:
            self._failed(f"It did not get on for {self._pace.patience:g} s. {why}", turn)
            return None
        return self._pace.poll

    def _ask(self, why: str, turn: Turn, *, stop: bool) -> float | None:
        asked = Turn(turn.entry.asked(turn.now), turn.now)
        self._write(log=self._log_with(asked.entry), waiting_for=why)
        meant = deed(self._move, turn.entry.step, self._looks.found, stop=stop)
        refused: ConnectError | None = None
        try:
            meant.ask()
        except ConnectNotFound:
            # What it is about is not there by now: the next look tells.
            return self._pace.poll
        except ConnectError as error:
            refused = error
        decision = self._unanswered(refused) if refused else None
        if isinstance(decision, Wait):
            return self._follow(decision, asked)
        told = decision.cause if isinstance(decision, Failed) else ""
        who, where = carried.who(self._move), meant.where
        note(who, meant.verb, cluster=where.cluster, connector=where.name, after={"move": self._id}, refused=told)
        return self._follow(decision, asked) if decision else _SOON

    def _unanswered(self, error: ConnectError) -> Wait | Failed:
        """409 is a rebalance, or a connector that is there already, which the next look tells; what went wrong on the other side
        may go right (tasks that still leave a group: 500). Whatever else is refused stays so. Raises CannotUnseal."""
        told = carried.without_secrets(self._move, str(error))
        if not isinstance(error, ConnectRefused):
            self._looks.forget()
            self._answering = None
            return Wait(told)
        said = f"Answered {error.status}: {told}"
        return Wait(said) if error.status == _CONFLICT or error.status >= _WENT_WRONG else Failed(said)

    # Writing down

    def _begun(self, step: Step, now: datetime) -> Entry:
        if (found := self._open(step)) is not None:
            return found
        entry = Entry(step, self._move.phase, now)
        state = _S.RUNNING if self._move.state == _S.WAITING else self._move.state
        self._write(log=self._log_with(entry), state=state, waiting_for="")
        return entry

    def _open(self, step: Step) -> Entry | None:
        entries = log.entries(self._move.log)
        return next((one for one in entries if (one.step, one.phase) == (step, self._move.phase) and not one.ended), None)

    def _done(self, detail: str, turn: Turn) -> None:
        entry = turn.entry.end(Outcome.DONE, detail, turn.now)
        with transaction.atomic():
            self._write(log=self._log_with(entry), waiting_for="", **self._results(entry.step))
            if entry.step is Step.CREATE and self._move.target is not None:
                config, remark = carried.config(self._move), f"from {self._move.connector} in {self._move.source_name}"
                made = tuple({**config, "name": self._move.new_name}.items())
                versions.saved(self._move.target, self._move.new_name, made, self._move.by, remark, turn.now)
        self._looks.forget()
        self._answering = None

    def _results(self, step: Step) -> dict[str, Any]:
        """What later steps need of this one."""
        found, status = self._looks.found, self._looks.status
        match step:
            case Step.CHECK if status is not None:
                workers = len({task.worker_id for task in status.tasks})
                return {"former_state": status.connector.state, "former_workers": workers}
            case Step.READ if found is not None:
                return {"offsets": [at.to_json() for at in standing(found)]}
            case Step.READ_NEW if found is not None:
                return {"offsets_back": [at.to_json() for at in standing(found)]}
        return {}

    def _failed(self, cause: str, turn: Turn) -> None:
        entry = turn.entry.end(Outcome.FAILED, cause, turn.now)
        self._write(log=self._log_with(entry), state=_S.FAILED, cause=cause, waiting_for="", ended_at=turn.now)

    def _cancelled(self, step: Step, now: datetime) -> None:
        """Between two looks: what was asked for by then has been, and is in the log."""
        entry = self._open(step)
        ended = {"log": self._log_with(entry.end(Outcome.CANCELLED, "", now))} if entry else {}
        state, cause = (_S.FAILED, "Putting back was cancelled.") if self._undoing else (_S.CANCELLED, "")
        self._write(state=state, cause=cause, waiting_for="", cancelling=False, ended_at=now, **ended)

    def _end(self, state: str, now: datetime) -> None:
        self._write(state=state, waiting_for="", cancelling=False, ended_at=now)

    def _say(self, why: str) -> None:
        if self._move.waiting_for != why:
            self._write(waiting_for=why)

    def _log_with(self, entry: Entry) -> list[dict[str, Any]]:
        return [one.to_json() for one in log.with_entry(log.entries(self._move.log), entry)]

    def _write(self, **fields: Any) -> None:
        """Raises LostClaim."""
        if not claims.rows([self._id]).filter(claimed_by=self._by).update(**fields):
            raise LostClaim
        for name, value in fields.items():
            setattr(self._move, name, value)
        transaction.on_commit(lambda: tell(self._move))
