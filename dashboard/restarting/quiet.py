"""Hours in which nothing is restarted by itself: by the clocks of a place, whatever they do in spring and autumn."""

from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from zoneinfo import ZoneInfo


@dataclass(frozen=True, slots=True)
class Quiet:
    """From `start` until `end`, which may be the next morning. The same time twice is all day: then there is no end."""

    start: time
    end: time
    zone: ZoneInfo

    def until(self, moment: datetime) -> datetime | None:
        """When the quiet is over that `moment` falls into; None: into none."""
        today = moment.astimezone(self.zone).date()
        for day in (today - timedelta(days=1), today):
            start = self._at(day, self.start)
            end = self._at(day if self.start < self.end else day + timedelta(days=1), self.end)
            if start <= moment < end:
                return end
        return None

    def _at(self, day: date, at: time) -> datetime:
        return datetime.combine(day, at, self.zone).astimezone(UTC)
