"""What is done to policies, and said of one connector. Each function notes the activity."""

from collections.abc import Iterable, Sequence
from datetime import time
from typing import Any

from django.db import transaction

from dashboard.activity import Who, note
from dashboard.live.messages import refresh
from dashboard.live.publisher import publisher
from dashboard.models import Cluster, ConnectorSnapshot, RestartOverride, RestartPolicy
from dashboard.people.users import Conflict


class OfItsResource(Conflict):
    """What is wanted of the connector is said by its resource, which would say it again."""

    def __init__(self, connector: str) -> None:
        super().__init__(f"The resource of {connector} says whether it is restarted by itself: change it there")


def create(who: Who, fields: dict[str, Any]) -> RestartPolicy:
    """`fields`: of `dashboard.restarting.fields`, once they are valid. What is added counts before all others."""
    with transaction.atomic():
        policy = RestartPolicy.objects.create(**fields)
        _put_in_order([policy.pk, *(one.pk for one in RestartPolicy.objects.all() if one.pk != policy.pk)])
        policy.refresh_from_db()
        _noted(who, "create-restart-policy", policy, after=told(policy))
    return policy


def update(who: Who, policy: RestartPolicy, fields: dict[str, Any]) -> RestartPolicy:
    before = told(policy)
    for name, value in fields.items():
        setattr(policy, name, value)
    with transaction.atomic():
        policy.save(update_fields=tuple(fields))
        _noted(who, "change-restart-policy", policy, before=before, after=told(policy))
    return policy


def delete(who: Who, policy: RestartPolicy) -> None:
    before = told(policy)
    with transaction.atomic():
        policy.delete()
        _noted(who, "delete-restart-policy", policy, before=before)


def move(who: Who, policy: RestartPolicy, by: int) -> None:
    """Up (-1) or down (1)."""
    listed = [one.pk for one in RestartPolicy.objects.all()]
    at = listed.index(policy.pk)
    listed.insert(max(0, at + by), listed.pop(at))
    put_in_order(who, listed)


def put_in_order(who: Who, wanted: Sequence[int]) -> None:
    """Raises Conflict, where that are not all that there are."""
    with transaction.atomic():
        names = {one.pk: one.name for one in RestartPolicy.objects.all()}
        if sorted(wanted) != sorted(names):
            raise Conflict("These are not all policies that there are by now: nothing was changed")
        _put_in_order(wanted)
        before, after = list(names.values()), [names[pk] for pk in wanted]
        if before != after:
            note(who, "order-restart-policies", before={"order": before}, after={"order": after})


def told(policy: RestartPolicy) -> dict[str, Any]:
    """As `/api/v1/` tells it."""
    return {
        "id": policy.pk,
        "name": policy.name,
        "enabled": policy.enabled,
        "cluster": policy.cluster.name if policy.cluster else None,
        "connectors": policy.pattern,
        "classes": policy.class_pattern,
        "text": policy.text,
        "schedule": str(policy.schedule),
        "max_restarts": policy.max_restarts,
        "quiet_from": _clock(policy.quiet_from),
        "quiet_until": _clock(policy.quiet_until),
        "zone": policy.zone,
    }


def override(who: Who, snapshot: ConnectorSnapshot, *, enabled: bool | None, max_restarts: int | None) -> None:
    """What is wanted of one connector; both None: as the policies say. Raises OfItsResource."""
    own: dict[str, Any] = {"cluster": snapshot.cluster, "connector": snapshot.name}
    with transaction.atomic():
        said = RestartOverride.objects.filter(**own).first()
        if said is not None and said.source == RestartOverride.Source.RESOURCE:
            raise OfItsResource(snapshot.name)
        before = {"enabled": said.enabled, "max_restarts": said.max_restarts} if said else None
        if enabled is None and max_restarts is None:
            RestartOverride.objects.filter(**own).delete()
            after = None
        else:
            after = {"enabled": enabled, "max_restarts": max_restarts}
            RestartOverride.objects.update_or_create(**own, defaults=after)
        cluster = snapshot.cluster.name
        note(who, "change-automatic-restart", cluster=cluster, connector=snapshot.name, before=before, after=after)
    publisher().publish(refresh(snapshot.cluster.name))


def _put_in_order(wanted: Iterable[int]) -> None:
    for position, pk in enumerate(wanted):
        RestartPolicy.objects.filter(pk=pk).exclude(position=position).update(position=position)


def _noted(who: Who, verb: str, policy: RestartPolicy, **what: Any) -> None:
    cluster: Cluster | None = policy.cluster
    note(who, verb, cluster=cluster.name if cluster else "", **what)


def _clock(at: time | None) -> str | None:
    return at.strftime("%H:%M") if at else None
