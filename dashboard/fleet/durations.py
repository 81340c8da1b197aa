"""Time as people say it. `static/js/times.js` keeps it up to date in the browser, by the same rule."""

from datetime import datetime, timedelta

_UNITS = ((86400, "d"), (3600, "h"), (60, "min"), (1, "s"))


def span(duration: timedelta) -> str:
    """`45 s`, `3 min`, `2 h`, `5 d`: one unit, rounded down."""
    seconds = max(0, int(duration.total_seconds()))
    size, unit = next(((size, unit) for size, unit in _UNITS if seconds >= size), (1, "s"))
    return f"{seconds // size} {unit}"


def ago(moment: datetime, now: datetime) -> str:
    return f"{span(now - moment)} ago"
