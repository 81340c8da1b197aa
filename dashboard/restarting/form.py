"""The form of a policy as values, ready for its template."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from django.http import QueryDict

from dashboard.models import Cluster, RestartPolicy
from dashboard.restarting import changes

#: What a new one begins with.
NEW: Mapping[str, Any] = {
    "enabled": True,
    "connectors": "*",
    "classes": "*",
    "schedule": "proposal",
    "zone": "UTC",
}
_MAY_BE_EMPTY = ("cluster", "max_restarts", "quiet_from", "quiet_until")


@dataclass(frozen=True, slots=True)
class PolicyForm:
    """`policy` None: a new one. `errors`: a sentence for each field."""

    policy: RestartPolicy | None
    values: Mapping[str, Any]
    errors: Mapping[str, str] = field(default_factory=dict)

    @property
    def title(self) -> str:
        return self.policy.name if self.policy else "Add a policy"

    @property
    def clusters(self) -> tuple[str, ...]:
        return tuple(Cluster.objects.values_list("name", flat=True))

    @property
    def schedules(self) -> tuple[tuple[str, str, bool], ...]:
        """Value, words, whether it is chosen."""
        return tuple((value, str(words), value == self.values.get("schedule")) for value, words in RestartPolicy.Schedule.choices)


def kept(policy: RestartPolicy) -> dict[str, Any]:
    return changes.told(policy)


def typed(sent: QueryDict) -> dict[str, Any]:
    """As `dashboard.restarting.fields` takes it."""
    names = ("name", "connectors", "classes", "text", "schedule", "zone", *_MAY_BE_EMPTY)
    values: dict[str, Any] = {name: str(sent[name]).strip() for name in names if name in sent}
    return values | {name: values.get(name) or None for name in _MAY_BE_EMPTY} | {"enabled": "enabled" in sent}
