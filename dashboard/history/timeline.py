"""What states a connector and its tasks were in, as bands of segments. Decisions over values.

It is read backwards: the state now and what each change says there was before it tell it all, however far back rows are kept.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from itertools import pairwise

from connect_client.states import State, own_state

# More tasks than this are drawn as one band.
MOST_BANDS = 24
# A run of segments too narrow to be told apart is drawn as one, in the worst state of it.
_NARROWEST = 1 / 240
_NOT_THERE, NOT_KNOWN = "", "not known"
_NOT_ASKED_OF = (_NOT_THERE, NOT_KNOWN, State.PAUSED, State.STOPPED)


@dataclass(frozen=True, slots=True)
class Turn:
    """A change as it was seen: of the connector instance (`task` None) or a task."""

    at: datetime
    task: int | None
    was: str
    state: str
    cause: str = ""


@dataclass(frozen=True, slots=True)
class Unknown:
    """A time of which nothing is known; `since` None is ever."""

    since: datetime | None
    until: datetime
    error: str = ""


@dataclass(frozen=True, slots=True)
class Segment:
    """`state`: a state, empty for not there, or `not known`. `changes`: how many are drawn as this one."""

    state: str
    since: datetime
    until: datetime
    cause: str = ""
    changes: int = 1

    @property
    def lasted(self) -> timedelta:
        return self.until - self.since


@dataclass(frozen=True, slots=True)
class Band:
    """`task` None is the connector instance. `others`: how many tasks it stands for; at each moment it has their worst state."""

    task: int | None
    segments: tuple[Segment, ...]
    failures: int
    others: int = 0

    @property
    def label(self) -> str:
        if self.others:
            return f"{self.others} others"
        return "connector" if self.task is None else f"task {self.task}"

    @property
    def uptime(self) -> float | None:
        return uptime(self.segments)


def bands(
    turns: Sequence[Turn], present: Mapping[int | None, str], unknown: Sequence[Unknown], start: datetime, end: datetime
) -> tuple[Band, ...]:
    """One of the connector instance and one of each task, by id. `turns` in the order of time, all since `start`; `present`: the
    states at `end`."""
    of_each: defaultdict[int | None, list[Turn]] = defaultdict(list)
    for turn in turns:
        of_each[turn.task].append(turn)
    tasks = sorted({task for task in (*of_each, *present) if task is not None})
    return tuple(_band(task, of_each[task], present.get(task, _NOT_THERE), unknown, start, end) for task in (None, *tasks))


def drawn(every: Sequence[Band], span: timedelta) -> tuple[Band, ...]:
    """With too many tasks the worst come first, and the rest are one band."""
    instance, *tasks = every
    rest: tuple[Band, ...] = ()
    if len(tasks) > MOST_BANDS:
        tasks.sort(key=_badness)
        tasks, others = tasks[:MOST_BANDS], tasks[MOST_BANDS:]
        worst = worst_of([band.segments for band in others])
        rest = (Band(None, worst, sum(band.failures for band in others), len(others)),)
    return tuple(replace(band, segments=condensed(band.segments, span)) for band in (instance, *tasks, *rest))


def worst_of(every: Iterable[Sequence[Segment]]) -> tuple[Segment, ...]:
    """At each moment the worst state of any of them; RUNNING only where all are."""
    steps: defaultdict[datetime, Counter[str]] = defaultdict(Counter)
    for segments in every:
        for segment in segments:
            steps[segment.since][segment.state] += 1
            steps[segment.until][segment.state] -= 1
    result: list[Segment] = []
    there: Counter[str] = Counter()
    moments = sorted(steps)
    for since, until in pairwise(moments):
        there.update(steps[since])
        states = [state for state, count in there.items() if count > 0]
        _append(result, Segment(min(states, key=_rank, default=_NOT_THERE), since, until))
    return tuple(result)


def uptime(segments: Iterable[Segment]) -> float | None:
    """The share of the time in RUNNING, of that in which it was meant to run and which is known; None if there was none."""
    lasted: defaultdict[str, timedelta] = defaultdict(timedelta)
    for segment in segments:
        lasted[segment.state] += segment.lasted
    meant = sum((time for state, time in lasted.items() if state not in _NOT_ASKED_OF), timedelta())
    return lasted[State.RUNNING] / meant if meant else None


def last_known(segments: Sequence[Segment]) -> str:
    return next((one.state for one in reversed(segments) if one.state != NOT_KNOWN), _NOT_THERE)


def condensed(segments: Sequence[Segment], span: timedelta) -> tuple[Segment, ...]:
    result: list[Segment] = []
    run: list[Segment] = []
    for segment in segments:
        if segment.lasted < span * _NARROWEST:
            run.append(segment)
            continue
        result += _as_one(run)
        run = []
        result.append(segment)
    return tuple(result + _as_one(run))


def _as_one(run: Sequence[Segment]) -> list[Segment]:
    if len(run) < 3:
        return list(run)
    worst = min(run, key=lambda segment: _rank(segment.state))
    return [Segment(worst.state, run[0].since, run[-1].until, worst.cause, len(run))]


def _band(
    task: int | None, turns: Sequence[Turn], present: str, unknown: Sequence[Unknown], start: datetime, end: datetime
) -> Band:
    state, cause, since = turns[0].was if turns else present, "", start
    segments: list[Segment] = []
    for turn in turns:
        _append(segments, Segment(_known(state), since, turn.at, cause))
        state, cause, since = turn.state, turn.cause, turn.at
    _append(segments, Segment(_known(state), since, end, cause))
    for gap in unknown:
        segments = _without(segments, max(gap.since or start, start), min(gap.until, end), gap.error)
    return Band(task, tuple(segments), sum(turn.state == State.FAILED for turn in turns))


def _without(segments: Sequence[Segment], since: datetime, until: datetime, error: str) -> list[Segment]:
    if since >= until:
        return list(segments)
    before = [replace(one, until=min(one.until, since)) for one in segments if one.since < since]
    after = [replace(one, since=max(one.since, until)) for one in segments if one.until > until]
    return [*before, Segment(NOT_KNOWN, since, until, error), *after]


def _append(segments: list[Segment], segment: Segment) -> None:
    """What goes on as it was is one segment."""
    if segment.since >= segment.until:
        return
    last = segments[-1] if segments else None
    if last and (last.state, last.cause, last.until) == (segment.state, segment.cause, segment.since):
        segments[-1] = replace(last, until=segment.until)
    else:
        segments.append(segment)


def _known(word: str) -> str:
    return own_state(word) if word else _NOT_THERE


def _rank(state: str) -> int:
    """What is not known hides nothing that is, but RUNNING: all is well only where all of it is known."""
    if state == _NOT_THERE:
        return 2 * len(State) + 2
    if state == NOT_KNOWN:
        return 2 * State.RUNNING.rank - 1
    return 2 * State(state).rank


def _badness(band: Band) -> tuple[int, timedelta, int]:
    failed = sum((one.lasted for one in band.segments if one.state == State.FAILED), timedelta())
    return (_rank(last_known(band.segments)), -failed, band.task or 0)
