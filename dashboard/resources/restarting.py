"""The block `autoRestart` of a document: said to whoever restarts what fails by itself, and told of what came of it."""

from collections.abc import Sequence
from typing import Any

from django.db.models import Q

from dashboard.models import AutoRestart, Cluster, Resource, RestartOverride
from dashboard.resources.conditions import moment
from dashboard.resources.documents import PROPOSAL
from dashboard.resources.spec import Wanted

_BY_RESOURCE = RestartOverride.Source.RESOURCE


def keep(cluster: Cluster, wanted: Wanted) -> None:
    """Without the block it is as the policies say, or whoever has said something of this connector alone."""
    if wanted.auto_restart is None:
        forget(cluster, wanted.name)
        return
    said = {"enabled": wanted.auto_restart.enabled, "max_restarts": wanted.auto_restart.max_restarts, "source": _BY_RESOURCE}
    if not RestartOverride.objects.filter(cluster=cluster, connector=wanted.name, **said).exists():
        RestartOverride.objects.update_or_create(cluster=cluster, connector=wanted.name, defaults=said)


def forget(cluster: Cluster, connector: str) -> None:
    """What its resource has said; what somebody else has, stays."""
    RestartOverride.objects.filter(cluster=cluster, connector=connector, source=_BY_RESOURCE).delete()


def status(resource: Resource, connectors: Sequence[str]) -> dict[str, Any]:
    """As in a status: `autoRestart`, or one for each connector of a KafkaMirrorMaker2, where the proposal has a name of its own
    for it. `gaveUpTimestamp` is Drover's."""
    counted = AutoRestart.objects.filter(Q(count__gt=0) | Q(gave_up_at__isnull=False), cluster__name=resource.cluster_name)
    found = [_told(row) for row in counted.filter(connector__in=connectors).order_by("connector")]
    if not found:
        return {}
    if resource.kind == Resource.Kind.CONNECTOR:
        return {"autoRestart": found[0]}
    return {"autoRestartConnectorsAndTasks" if resource.api_version == PROPOSAL else "autoRestartStatuses": found}


def _told(row: AutoRestart) -> dict[str, Any]:
    at = {"lastRestartTimestamp": row.last_restart_at, "gaveUpTimestamp": row.gave_up_at}
    return {"count": row.count, "connectorName": row.connector, **{name: moment(when) for name, when in at.items() if when}}
