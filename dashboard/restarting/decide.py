"""When a connector that has failed is restarted by itself, and when that is given up: decisions over values and a clock.

Two schedules. Strimzi's proposal 007: at minute 0, 2, 6, 12, 20 and 30, and no more. What Strimzi's operator does since: n² + n
minutes after restart n, an hour at most. The count goes back to 0 when all has been RUNNING for more minutes than the next
restart would have had to wait for; where Strimzi's is lost with each change of the config and each error, this one is not.

A clock may jump. Backwards: what was last done counts as done now, so that nothing is done sooner, and nothing waits for longer
than once its interval. Forwards: a wait may be cut short once, but what a connector is well for is added up look by look, and no
look adds more than `Pace.gap`: no jump makes a restart that did not help look like one that did.
"""

from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import Enum, StrEnum

from connect_client import ConnectorStatus
from connect_client.states import State, failures, own_state
from dashboard.fleet.overlay import PATIENCE
from dashboard.restarting.quiet import Quiet

_PROPOSAL_RESTARTS = 6
_LONGEST_MINUTES = 60


class Schedule(StrEnum):
    """As `dashboard.models.RestartPolicy` has them, but for NEVER, which is no plan at all."""

    PROPOSAL = "proposal"
    STRIMZI = "strimzi"

    def minutes_after(self, restarts: int) -> int:
        """From the last restart, of which there were so many, to the next."""
        if self is Schedule.PROPOSAL:
            return 2 * restarts
        return min(restarts * restarts + restarts, _LONGEST_MINUTES)

    @property
    def restarts(self) -> int | None:
        """How many there are at most, unless somebody says otherwise. None: there is no end."""
        return _PROPOSAL_RESTARTS if self is Schedule.PROPOSAL else None


@dataclass(frozen=True, slots=True)
class Pace:
    """`minute` is shorter in tests. `settle`: what is shown of a connector that was restarted is not believed before its cluster
    was read anew so much later. `note`: how often it is written down that one is well; `gap`: what one look adds at most."""

    minute: timedelta = timedelta(minutes=1)
    settle: timedelta = PATIENCE
    note: timedelta = timedelta(seconds=10)
    gap: timedelta = timedelta(seconds=30)


PACE = Pace()


class Condition(Enum):
    HEALTHY = "healthy"
    FAILED = "failed"
    #: PAUSED or STOPPED: somebody wants it so.
    LEFT_ALONE = "left alone"
    #: RESTARTING or UNASSIGNED, or not known: what it is will be seen.
    MOVING = "moving"


@dataclass(frozen=True, slots=True)
class Plan:
    """`limit`: how many restarts at most; None: without an end."""

    schedule: Schedule = Schedule.PROPOSAL
    limit: int | None = _PROPOSAL_RESTARTS
    quiet: Quiet | None = None

    def spent(self, count: int) -> bool:
        return self.limit is not None and count >= self.limit


@dataclass(frozen=True, slots=True)
class Kept:
    """What is known of former restarts: of `dashboard.models.AutoRestart`."""

    count: int = 0
    last_restart_at: datetime | None = None
    healthy: timedelta = timedelta()
    looked_at: datetime | None = None
    gave_up: bool = False


@dataclass(frozen=True, slots=True)
class Sight:
    """What is seen. `seen_at`: when its cluster was last known to be so; `asked_at`: when somebody here asked for a restart."""

    condition: Condition
    seen_at: datetime | None = None
    asked_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class LeaveAlone:
    """There is nothing to do, and nothing to wait for."""


@dataclass(frozen=True, slots=True)
class Wait:
    """`counted_from`: what the last restart is to count as done at, if the clock has gone back behind it."""

    until: datetime
    counted_from: datetime | None = None


@dataclass(frozen=True, slots=True)
class Restart:
    pass


@dataclass(frozen=True, slots=True)
class GiveUp:
    pass


@dataclass(frozen=True, slots=True)
class Healthy:
    """Seen to be well for so long by now, and not long enough yet."""

    healthy: timedelta


@dataclass(frozen=True, slots=True)
class Sick:
    """It was well for a while, which is over: what comes next is well from the beginning."""


@dataclass(frozen=True, slots=True)
class Reset:
    """The count is 0 again."""


Decision = LeaveAlone | Wait | Restart | GiveUp | Healthy | Sick | Reset


def condition(status: ConnectorStatus | None) -> Condition:
    if status is None:
        return Condition.MOVING
    own = own_state(status.connector.state)
    if own in (State.PAUSED, State.STOPPED):
        return Condition.LEFT_ALONE
    states = {own, *(own_state(task.state) for task in status.tasks)}
    if states & {State.RESTARTING, State.UNASSIGNED}:
        return Condition.MOVING
    if failures(status):
        return Condition.FAILED
    # A task that is PAUSED while its connector runs is on its way.
    return Condition.HEALTHY if states == {State.RUNNING} else Condition.MOVING


def decide(plan: Plan | None, kept: Kept, sight: Sight, now: datetime, pace: Pace = PACE) -> Decision:
    """`plan` None: nothing is restarted; what is kept is kept."""
    match sight.condition:
        case Condition.FAILED:
            return Sick() if kept.healthy or kept.looked_at else _failed(plan, kept, sight, now, pace)
        case Condition.HEALTHY:
            return _healthy(plan.schedule if plan else Schedule.PROPOSAL, kept, now, pace)
        case _:
            return LeaveAlone()


def _failed(plan: Plan | None, kept: Kept, sight: Sight, now: datetime, pace: Pace) -> Decision:
    if plan is None:
        return LeaveAlone()
    if kept.last_restart_at is not None and kept.last_restart_at > now:
        return Wait(_due(plan, kept.count, now, pace), counted_from=now)
    due = _due(plan, kept.count, kept.last_restart_at, pace) if kept.last_restart_at else now
    if not _settled(kept, sight, now, pace):
        return Wait(max(due, now + pace.settle))
    if plan.spent(kept.count):
        return LeaveAlone() if kept.gave_up else GiveUp()
    due = (plan.quiet.until(max(due, now)) if plan.quiet else None) or due
    return Restart() if due <= now else Wait(due)


def _due(plan: Plan, count: int, last: datetime, pace: Pace) -> datetime:
    return last + plan.schedule.minutes_after(count) * pace.minute


def _settled(kept: Kept, sight: Sight, now: datetime, pace: Pace) -> bool:
    """Whether what is seen is of after the last restart, whoever asked for it."""
    asked = [at for at in (kept.last_restart_at, sight.asked_at) if at is not None and at <= now]
    return not asked or (sight.seen_at is not None and sight.seen_at - max(asked) >= pace.settle)


def _healthy(schedule: Schedule, kept: Kept, now: datetime, pace: Pace) -> Decision:
    if kept == Kept():
        return LeaveAlone()
    if kept.looked_at is None:
        return Healthy(timedelta())
    since = now - kept.looked_at
    if timedelta() <= since < pace.note:
        return LeaveAlone()
    healthy = kept.healthy + min(max(since, timedelta()), pace.gap)
    # Strimzi counts whole minutes, and wants more of them than the interval has.
    enough = (schedule.minutes_after(kept.count) + 1) * pace.minute
    return Reset() if healthy >= enough else Healthy(healthy)


@dataclass(frozen=True, slots=True)
class AskAgain:
    """It was surely not, or seems not to have been, asked for: without another count."""


@dataclass(frozen=True, slots=True)
class Later:
    pass


@dataclass(frozen=True, slots=True)
class Over:
    """There is nothing to be asked for any more; what comes next is decided as ever."""


def unanswered(
    asking_since: datetime,
    next_try_at: datetime | None,
    sight: Sight,
    changed_at: datetime,
    now: datetime,
    pace: Pace = PACE,
) -> AskAgain | Later | Over:
    """Of a restart that was written down and has no answer. With `next_try_at` the cluster said that it did not take it on;
    without, whoever asked has ended, before or after. `changed_at`: when another status of the connector was last seen: what was
    heard shows."""
    if sight.condition is not Condition.FAILED:
        return Later() if sight.condition is Condition.MOVING else Over()
    if next_try_at is not None:
        return AskAgain() if next_try_at <= now or next_try_at - now > pace.minute else Later()
    if changed_at > asking_since or asking_since > now:
        return Over()
    if sight.seen_at is None or sight.seen_at - asking_since < pace.settle:
        return Later()
    return AskAgain()
