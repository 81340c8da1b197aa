"""How far back a page looks."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum


class Window(StrEnum):
    HOUR = "1h"
    DAY = "24h"
    WEEK = "7d"

    @property
    def span(self) -> timedelta:
        return _SPANS[self]

    @property
    def words(self) -> str:
        return f"{self[:-1]} {self[-1]}"

    def start(self, now: datetime) -> datetime:
        return now - self.span


_SPANS = {Window.HOUR: timedelta(hours=1), Window.DAY: timedelta(hours=24), Window.WEEK: timedelta(days=7)}
_TICKS = {Window.HOUR: timedelta(minutes=10), Window.DAY: timedelta(hours=4), Window.WEEK: timedelta(days=1)}
_LABELS = {Window.HOUR: "%H:%M", Window.DAY: "%H:%M", Window.WEEK: "%a %d"}


def parse(word: str) -> Window:
    """Of anything that makes no sense, the usual is meant: an address is edited by hand, too."""
    try:
        return Window(word)
    except ValueError:
        return Window.DAY


@dataclass(frozen=True, slots=True)
class Tick:
    """`at`: percent of the window."""

    at: float
    label: str


def ticks(window: Window, now: datetime) -> tuple[Tick, ...]:
    """At round times, UTC."""
    start, step = window.start(now), _TICKS[window]
    first = start + (step - (start - datetime(2000, 1, 1, tzinfo=start.tzinfo)) % step)
    count = int((now - first) / step) + 1
    moments = [first + number * step for number in range(count)]
    return tuple(Tick(percent(moment, start, window.span), moment.strftime(_LABELS[window])) for moment in moments)


def percent(moment: datetime, start: datetime, span: timedelta) -> float:
    return round(100 * min(1.0, max(0.0, (moment - start) / span)), 3)
