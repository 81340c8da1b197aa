"""The overview of a connector as values, ready for its template."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from connect_client.states import State
from dashboard.failures.groups import Group
from dashboard.fleet.durations import span
from dashboard.fleet.sentence import count
from dashboard.history.timeline import NOT_KNOWN, Band, Segment, Turn, drawn, last_known, uptime, worst_of
from dashboard.history.windows import Tick, Window, percent, ticks

# Of 20: what is well is a thin line, what is wrong fills the band. So the height says what the colour says.
HEIGHT = 20
_HEIGHTS = {
    State.RUNNING: 4,
    State.STOPPED: 2,
    State.PAUSED: 8,
    State.UNASSIGNED: 10,
    State.RESTARTING: 14,
    State.DEGRADED: 16,
    State.FAILED: HEIGHT,
}
_LINES_SHOWN = 200


@dataclass(frozen=True, slots=True)
class Stretch:
    """A segment as a rectangle. `x` and `width` are percents. `dull`: nothing that anybody has to be able to stop at."""

    state: str
    x: float
    width: float
    y: float
    height: int
    title: str
    dull: bool


@dataclass(frozen=True, slots=True)
class Lane:
    """A band, drawn."""

    label: str
    stretches: tuple[Stretch, ...]
    summary: str
    uptime: str


@dataclass(frozen=True, slots=True)
class Line:
    """A segment in a table."""

    label: str
    segment: Segment
    lasted: str


@dataclass(frozen=True, slots=True)
class Overview:
    window: Window
    start: datetime
    now: datetime
    lanes: tuple[Lane, ...]
    ticks: tuple[Tick, ...]
    lines: tuple[Line, ...]
    more_lines: int
    headline: str
    failed_last: datetime | None
    uptime: str
    failures: tuple[Group, ...]
    unknown: bool

    @property
    def windows(self) -> tuple[tuple[Window, str, bool], ...]:
        return tuple((window, window.words, window is self.window) for window in Window)


def overview(
    window: Window, now: datetime, every: Sequence[Band], turns: Sequence[Turn], failures: tuple[Group, ...]
) -> Overview:
    start = window.start(now)
    shown = drawn(every, window.span)
    lines = [Line(band.label, one, span(one.lasted)) for band in shown for one in band.segments if one.state]
    lines.sort(key=lambda line: line.segment.since, reverse=True)
    failed = sorted({turn.at for turn in turns if turn.state == State.FAILED})
    together = worst_of([band.segments for band in every])
    return Overview(
        window=window,
        start=start,
        now=now,
        lanes=tuple(_lane(band, start, window) for band in shown),
        ticks=ticks(window, now),
        lines=tuple(lines[:_LINES_SHOWN]),
        more_lines=max(0, len(lines) - _LINES_SHOWN),
        headline=_headline(len(failed), together, window),
        failed_last=failed[-1] if failed else None,
        uptime=share(uptime(together)),
        failures=failures,
        unknown=any(one.state == NOT_KNOWN for one in together),
    )


def share(of_one: float | None) -> str:
    """`99.2 %`. Only what is all is 100, and only what is nothing 0."""
    if of_one is None:
        return ""
    if of_one in (0.0, 1.0):
        return f"{of_one:.0%}".replace("%", " %")
    return f"{min(99.9, max(0.1, 100 * of_one)):.1f} %"


def title(segment: Segment, start: datetime) -> str:
    """What, from when to when, exactly, and why."""
    since = f"before {segment.since:%H:%M:%S}" if segment.since <= start else f"{segment.since:%Y-%m-%d %H:%M:%S}"
    words = segment.state.capitalize() if segment.state == NOT_KNOWN else segment.state
    several = f", {count(segment.changes, 'change')}" if segment.changes > 1 else ""
    why = f": {segment.cause}" if segment.cause else ""
    return f"{words} from {since} to {segment.until:%Y-%m-%d %H:%M:%S} UTC, {span(segment.lasted)}{several}{why}"


def _headline(times: int, together: Sequence[Segment], window: Window) -> str:
    if times:
        return f"Failed {'once' if times == 1 else f'{times:,} times'} in {window.words}"
    known = sum((one.lasted for one in together if one.state and one.state != NOT_KNOWN), timedelta())
    if last_known(together) == State.FAILED:
        return f"FAILED for more than {span(known)}"
    if known >= window.span * 0.99:
        return f"Has not failed in {window.words}"
    return f"Has not failed in the {span(known)} that are known" if known else f"Nothing is known of the last {window.words}"


def _lane(band: Band, start: datetime, window: Window) -> Lane:
    stretches = tuple(_stretch(one, start, window) for one in band.segments if one.state)
    told = share(band.uptime)
    parts = [f"failed {count(band.failures, 'time')}" if band.failures else "", f"RUNNING {told} of the time" if told else ""]
    return Lane(band.label, stretches, f"{band.label}: {', '.join(filter(None, parts)) or 'never meant to run'}", told)


def _stretch(segment: Segment, start: datetime, window: Window) -> Stretch:
    x = percent(segment.since, start, window.span)
    height = HEIGHT if segment.state == NOT_KNOWN else _HEIGHTS[State(segment.state)]
    return Stretch(
        state=segment.state,
        x=x,
        width=round(percent(segment.until, start, window.span) - x, 3),
        y=(HEIGHT - height) / 2,
        height=height,
        title=title(segment, start),
        dull=segment.state in (State.RUNNING, State.PAUSED, State.STOPPED),
    )
