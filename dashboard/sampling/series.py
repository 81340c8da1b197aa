"""Points of a chart. Decisions over values."""

from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime

# Seconds after the hour, in per second, out per second, lag.
Point = Sequence[float | None]
FINE, COARSE = 60, 600


def thinned(points: Sequence[Point], step: int) -> list[list[float | None]]:
    """One point for each `step` seconds that have any: rates are averaged, of lags it is the highest."""
    slots: dict[int, list[Point]] = {}
    for point in points:
        slots.setdefault(int(point[0] or 0) // step, []).append(point)
    return [
        [slot * step, _mean(point[1] for point in here), _mean(point[2] for point in here), _highest(point[3] for point in here)]
        for slot, here in sorted(slots.items())
    ]


def laid_out(
    hours: Iterable[tuple[datetime, Sequence[Point]]], start: datetime, end: datetime, step: int
) -> list[list[float | None]]:
    """`[ms since 1970, in, out, lag]` of what lies in the window. Where nothing was sampled for a while is a point of nulls,
    so that no line is drawn over it."""
    result: list[list[float | None]] = []
    last: float | None = None
    for at, *values in _absolute(hours, step):
        if start.timestamp() <= at <= end.timestamp():
            if last is not None and at - last > 2.5 * step:
                result.append([1000 * (last + step), None, None, None])
            result.append([1000 * at, *values])
            last = at
    return result


def _absolute(hours: Iterable[tuple[datetime, Sequence[Point]]], step: int) -> Iterator[tuple[float, *tuple[float | None, ...]]]:
    for hour, points in hours:
        for point in thinned(points, step) if step > FINE else points:
            yield (hour.timestamp() + (point[0] or 0), *point[1:])


def _mean(values: Iterable[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return round(sum(known) / len(known), 3) if known else None


def _highest(values: Iterable[float | None]) -> float | None:
    return max((value for value in values if value is not None), default=None)
