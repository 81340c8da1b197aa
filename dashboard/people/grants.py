"""Giving roles and taking them away."""

from django.contrib.auth.models import User

from dashboard.activity import Who, note
from dashboard.live.messages import RIGHTS_CHANGED
from dashboard.live.publisher import publisher
from dashboard.models import Cluster, ConnectorSnapshot, Grant
from dashboard.people.users import Conflict, Refused, keeping_an_admin
from dashboard.rights.roles import Given, Role


def give(who: Who, user: User, role: Role, cluster: Cluster | None, pattern: str) -> Grant:
    """Raises Refused for what the user has already, and for a pattern that nothing can match."""
    pattern = pattern.strip()
    if not pattern:
        raise Refused("Say which names: * for all")
    grant, made = Grant.objects.get_or_create(user=user, role=role, cluster=cluster, pattern=pattern)
    if not made:
        raise Conflict(f"{user.username} has this role already")
    note(who, "give-role", after=told(grant))
    publisher().publish(RIGHTS_CHANGED)
    return grant


def take(who: Who, grant: Grant) -> None:
    """Raises Refused."""
    before = told(grant)
    with keeping_an_admin():
        grant.delete()
    note(who, "take-role", before=before)
    publisher().publish(RIGHTS_CHANGED)


def told(grant: Grant) -> dict[str, object]:
    cluster = grant.cluster.name if grant.cluster else None
    return {
        "user": grant.user.get_username(),
        "role": Role(grant.role).name.lower(),
        "cluster": cluster,
        "connectors": grant.pattern,
    }


def matches(cluster: str | None, pattern: str) -> list[str]:
    """The connectors that there are now and that a grant would cover, as `cluster/name`, in order."""
    given = Given(Role.VIEWER, cluster, pattern.strip())
    known = ConnectorSnapshot.objects.order_by("cluster__name", "name").values_list("cluster__name", "name")
    return [f"{where}/{name}" for where, name in known if given.covers(where, name)]
