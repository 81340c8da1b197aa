"""What is shown between the answer to a restart and the first status that comes of it.

A restart is answered with RESTARTING in place of what will be restarted, but the statuses themselves follow a moment later, and a
cluster that has to be polled may be through with it between two polls. So the answer is laid over what was seen before it, for a
few seconds at most and never over anything seen since: a display can be late, it cannot be stuck. They are as many as a job waits
for something to move (`dashboard.jobs.watch`): a cluster that was asked for many restarts is at them one after another.
"""

from dataclasses import dataclass
from datetime import datetime, timedelta

PATIENCE = timedelta(seconds=6)


@dataclass(frozen=True, slots=True)
class Seen:
    """When the status of a connector last changed, and when a restart of it was last asked for from here."""

    changed_at: datetime
    restart_asked_at: datetime | None


def restart_pending(seen: Seen, now: datetime) -> bool:
    asked = seen.restart_asked_at
    return asked is not None and seen.changed_at < asked and now - asked < PATIENCE
