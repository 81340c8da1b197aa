"""Jobs as values, ready for their templates and for the API."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from connect_client.states import State
from dashboard.fleet.rows import BAR_WIDTH
from dashboard.fleet.sentence import count
from dashboard.jobs.verbs import JobVerb
from dashboard.models import Job, JobItem

PAGE_SIZE = 100

_S = JobItem.State
_DOING = {
    JobVerb.RESTART: "restarting",
    JobVerb.PAUSE: "pausing",
    JobVerb.RESUME: "resuming",
    JobVerb.STOP: "stopping",
    JobVerb.DELETE: "deleting",
}
_DONE = {
    JobVerb.RESTART: "running again",
    JobVerb.PAUSE: "paused",
    JobVerb.RESUME: "running",
    JobVerb.STOP: "stopped",
    JobVerb.DELETE: "deleted",
}
# The connector's state whose colour and shape say it best.
_SHAPES = {
    _S.WAITING: State.UNASSIGNED,
    _S.ASKED: State.RESTARTING,
    _S.UNDER_WAY: State.RESTARTING,
    _S.DONE: State.RUNNING,
    _S.FAILED_AGAIN: State.FAILED,
    _S.REFUSED: State.FAILED,
    _S.UNKNOWN: State.DEGRADED,
    _S.CANCELLED: State.STOPPED,
}
_DONE_SHAPES = {JobVerb.PAUSE: State.PAUSED, JobVerb.STOP: State.STOPPED, JobVerb.DELETE: State.STOPPED}
# In the order of the bar, from left to right.
_ORDER = (_S.FAILED_AGAIN, _S.REFUSED, _S.UNKNOWN, _S.DONE, _S.CANCELLED, _S.UNDER_WAY, _S.ASKED, _S.WAITING)
FAILED = (_S.FAILED_AGAIN, _S.REFUSED, _S.UNKNOWN)
UNENDED = (_S.WAITING, _S.ASKED, _S.UNDER_WAY)


class Show(StrEnum):
    """Which of a job's items."""

    ALL = "all"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class Part:
    """A stretch of the bar, in its own units (`BAR_WIDTH` in all)."""

    shape: State
    words: str
    start: float
    width: float


@dataclass(frozen=True, slots=True)
class Tally:
    """How the items of a job stand, of those that may be seen."""

    verb: JobVerb
    counts: Mapping[str, int]

    @property
    def total(self) -> int:
        return sum(self.counts.values())

    @property
    def ended(self) -> int:
        return self.total - sum(self.counts.get(state, 0) for state in UNENDED)

    @property
    def failed(self) -> int:
        return sum(self.counts.get(state, 0) for state in FAILED)

    @property
    def words(self) -> tuple[str, ...]:
        """`2 failed again`, `58 running again`, …: what is wrong first."""
        return tuple(f"{self.counts[state]:,} {word(self.verb, state)}" for state in _ORDER if self.counts.get(state))

    @property
    def parts(self) -> tuple[Part, ...]:
        found: list[Part] = []
        start = 0.0
        for state in _ORDER:
            if number := self.counts.get(state, 0):
                width = round(BAR_WIDTH * number / self.total, 2)
                found.append(Part(shape(self.verb, state), f"{number:,} {word(self.verb, state)}", start, width))
                start = round(start + width, 2)
        return tuple(found)


@dataclass(frozen=True, slots=True)
class ItemView:
    """`at`: since when it is under way; `back_after`: seconds until everything was where it should be."""

    cluster: str
    connector: str
    state: str
    shape: State
    words: str
    cause: str
    at: datetime | None
    asked_at: datetime | None
    back_after: float | None


@dataclass(frozen=True, slots=True)
class JobView:
    job: Job
    tally: Tally

    @property
    def ended(self) -> bool:
        return self.job.ended_at is not None

    @property
    def worst(self) -> State:
        if self.tally.failed:
            return State.FAILED
        return State.RUNNING if self.ended else State.RESTARTING

    @property
    def headline(self) -> str:
        """`41 of 60 to go`, `done`."""
        if not self.ended:
            left = self.tally.total - self.tally.ended
            words = "Nothing more is begun" if self.job.state == Job.State.CANCELLING else "Under way"
            return f"{words}, {left:,} of {count(self.tally.total, 'connector')} to go"
        return "Cancelled" if self.job.state == Job.State.CANCELLED else "Done"


@dataclass(frozen=True, slots=True)
class JobPage:
    """`cannot_cancel`: why whoever looks cannot; empty if he can."""

    view: JobView
    items: tuple[ItemView, ...]
    show: Show
    page: int
    pages: int
    cannot_cancel: str = ""

    @property
    def previous(self) -> int:
        return self.page - 1

    @property
    def next(self) -> int:
        return self.page + 1 if self.page < self.pages else 0


@dataclass(frozen=True, slots=True)
class JobsPage:
    running: tuple[JobView, ...]
    past: tuple[JobView, ...]
    page: int
    more: bool


def tally(verb: JobVerb, states: Sequence[str]) -> Tally:
    return Tally(verb, Counter(states))


def word(verb: JobVerb, state: str) -> str:
    if state == _S.DONE:
        return _DONE[verb]
    return _DOING[verb] if state in (_S.ASKED, _S.UNDER_WAY) else str(state)


def shape(verb: JobVerb, state: str) -> State:
    if state == _S.DONE:
        return _DONE_SHAPES.get(verb, State.RUNNING)
    return _SHAPES[_S(state)]


def item_view(verb: JobVerb, item: JobItem) -> ItemView:
    at = item.asked_at if item.state in (_S.ASKED, _S.UNDER_WAY) else None
    return ItemView(
        cluster=item.cluster_name,
        connector=item.connector,
        state=item.state,
        shape=shape(verb, item.state),
        words=_words(verb, item),
        cause=item.cause,
        at=at,
        asked_at=item.asked_at,
        back_after=item.result.get("back_after"),
    )


def _words(verb: JobVerb, item: JobItem) -> str:
    back = item.result.get("back_after")
    if item.state == _S.WAITING and item.attempts:
        return f"asked {item.attempts}×, waiting to ask again"
    if item.state == _S.DONE and item.cause:
        return "nothing to do"
    if item.state in (_S.DONE, _S.UNDER_WAY) and back is not None:
        return f"{_DONE[verb]} after {back:g} s"
    return word(verb, item.state)
