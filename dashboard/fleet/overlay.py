"""What is shown between the answer to a restart and the first status that comes of it.

A restart is answered with RESTARTING in place of what will be restarted, but the statuses themselves follow a moment later, and a
cluster that has to be polled may be through with it between two polls. So the answer is laid over what was seen before the
question, for a few seconds of what the cluster says after the answer, and never over anything seen since: a display can be late,
it cannot be stuck. They are as many as a job waits for something to move (`dashboard.jobs.watch`): a cluster restarts many of
them one by one, and answers when it comes to them.
"""

from dataclasses import dataclass
from datetime import datetime, timedelta

PATIENCE = timedelta(seconds=6)
# With a cluster that is not read any more.
LONGEST = timedelta(seconds=30)


@dataclass(frozen=True, slots=True)
class Seen:
    """Of a connector: when its status last changed, when a restart was last asked for from here and that was answered, and its
    cluster last read."""

    changed_at: datetime
    asked_at: datetime | None
    answered_at: datetime | None
    read_at: datetime | None


def restart_pending(seen: Seen, now: datetime) -> bool:
    asked, answered = seen.asked_at, seen.answered_at
    if asked is None or answered is None or asked <= seen.changed_at:
        return False
    # Time alone shows nothing: a busy cluster's next answer may come later.
    quiet = seen.read_at is not None and seen.read_at - answered >= PATIENCE
    return not quiet and now - answered < LONGEST
