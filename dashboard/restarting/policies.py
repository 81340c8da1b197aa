"""What is wanted of a connector: the first policy that means it, and what was said of it alone."""

from collections.abc import Iterable
from dataclasses import dataclass
from fnmatch import fnmatchcase

from dashboard.fleet.rows import short_class
from dashboard.restarting.decide import Plan, Schedule
from dashboard.restarting.quiet import Quiet


@dataclass(frozen=True, slots=True)
class Subject:
    """A connector as policies look at it. `text`: what failed with what, in small letters."""

    cluster: str
    name: str
    class_name: str = ""
    text: str = ""


@dataclass(frozen=True, slots=True)
class Policy:
    """`schedule` None: never. `limit` None: as many as the schedule has. `text`, in small letters, may be empty."""

    name: str = ""
    schedule: Schedule | None = Schedule.PROPOSAL
    limit: int | None = None
    quiet: Quiet | None = None
    cluster: str | None = None
    pattern: str = "*"
    class_pattern: str = "*"
    text: str = ""

    def means(self, subject: Subject) -> bool:
        whole = subject.class_name
        return (
            self.cluster in (None, subject.cluster)
            and _fits(self.pattern, subject.name)
            and any(_fits(self.class_pattern, name) for name in (whole, whole.rpartition(".")[2], short_class(whole)))
            and self.text in subject.text
        )


@dataclass(frozen=True, slots=True)
class Override:
    """Of one connector. None: as the policy says. `enabled` true: also where none means it, or it says never."""

    enabled: bool | None = None
    limit: int | None = None


AS_POLICIES_SAY = Override()


def policy_of(policies: Iterable[Policy], subject: Subject) -> Policy | None:
    """The first that means it."""
    return next((policy for policy in policies if policy.means(subject)), None)


def plan_of(policy: Policy | None, override: Override = AS_POLICIES_SAY) -> Plan | None:
    """None: it is not restarted."""
    schedule = policy.schedule if policy else None
    if schedule is None and override.enabled:
        schedule = Schedule.PROPOSAL
    if schedule is None or override.enabled is False:
        return None
    limits = (override.limit, policy.limit if policy else None, schedule.restarts)
    return Plan(schedule, next((limit for limit in limits if limit is not None), None), policy.quiet if policy else None)


def _fits(pattern: str, name: str) -> bool:
    """`*` is any text and `?` one character; everything else means itself."""
    return fnmatchcase(name, pattern.replace("[", "[[]"))
