"""Fetch and authorise in one place, so that no view forgets to."""

from django.core.exceptions import PermissionDenied
from django.http import Http404

from dashboard import rights
from dashboard.http import RoomRequest
from dashboard.models import ConnectorSnapshot
from dashboard.rights import Role


def found(request: RoomRequest, cluster: str, name: str, role: Role = Role.VIEWER) -> ConnectorSnapshot:
    """The connector, its cluster loaded. Raises Http404 for one that is not there or not to be seen, PermissionDenied for one
    that is not to be changed."""
    has = rights.of(request)
    snapshot = ConnectorSnapshot.objects.select_related("cluster__snapshot").filter(cluster__name=cluster, name=name).first()
    if snapshot is None or not has.may(Role.VIEWER, cluster, name):
        raise Http404(f"Cluster {cluster} has no connector {name}")
    need(has.may(role, cluster, name), role)
    return snapshot


def need_anywhere(request: RoomRequest, role: Role) -> None:
    """Raises PermissionDenied."""
    need(rights.of(request).anywhere(role), role)


def need_everywhere(request: RoomRequest, role: Role) -> None:
    """Raises PermissionDenied. For what is no connector's: clusters, users."""
    need(rights.of(request).everywhere(role), role)


def need(allowed: bool, role: Role) -> None:
    """Raises PermissionDenied."""
    if not allowed:
        raise PermissionDenied(f"You need the role {role.name.lower()} for this")
