"""What the editor of a config sends, and where the secrets come from that it leaves masked."""

from django.http import Http404

from dashboard import editing, rights, versions
from dashboard.editing import Config, Draft
from dashboard.http import RoomRequest
from dashboard.models import Cluster, ConnectorSnapshot
from dashboard.rights import Role
from dashboard.sealed import CannotUnseal
from dashboard.views.found import need


def draft_of(request: RoomRequest, cluster: Cluster, snapshot: ConnectorSnapshot | None = None) -> Draft:
    """What the editor sends. Secrets that it leaves masked come from the version that was taken up, or from the connector that is
    copied: from none that the reader may not edit."""
    text = request.POST.get("config", "")
    if snapshot is not None:
        return Draft(cluster, text, _stored(cluster, snapshot.name, number(request.POST.get("version"))), snapshot.name)
    copied, name = request.POST.get("copy_cluster", ""), request.POST.get("copy_name", "")
    if not copied:
        return Draft(cluster, text)
    return Draft(cluster, text, copied_config(request, copied, name, number(request.POST.get("copy_version"))))


def copied_config(request: RoomRequest, cluster: str, name: str, version: int) -> tuple[Config, ...]:
    """Of a connector, or of what it was: it may be gone. Its secrets are for those who may edit it. Raises Http404."""
    where = Cluster.objects.filter(name=cluster).first()
    if where is None or not rights.of(request).may(Role.VIEWER, cluster, name):
        raise Http404
    if version:
        configs = _stored(where, name, version)
    else:
        snapshot = ConnectorSnapshot.objects.filter(cluster=where, name=name).first()
        last = versions.last(where, name)
        told = editing.told(snapshot) if snapshot else None
        configs = (told,) if told is not None else _stored(where, name, last.number if last else 0)
    if not configs:
        raise Http404
    return configs if rights.of(request).may(Role.EDITOR, cluster, name) else tuple(editing.shown(where, one) for one in configs)


def cluster_of(request: RoomRequest, name: str) -> Cluster:
    """One in which the reader may edit something. Raises Http404, PermissionDenied."""
    has = rights.of(request)
    cluster = Cluster.objects.select_related("snapshot").filter(name=name).first()
    if cluster is None or not has.sees(name):
        raise Http404
    need(has.anywhere(Role.EDITOR), Role.EDITOR)
    return cluster


def _stored(cluster: Cluster, name: str, number: int) -> tuple[Config, ...]:
    version = versions.one(cluster, name, number) if number else None
    try:
        return (dict(versions.config(version)),) if version else ()
    except CannotUnseal:
        return ()


def number(text: str | None) -> int:
    return int(text) if text and text.isdecimal() and len(text) < 10 else 0
