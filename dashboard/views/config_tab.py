"""What the Config tab shows, by its address and by who looks."""

from datetime import datetime

from dashboard import config_pages, queries, rights
from dashboard.configs.panel import ConfigPanel, View
from dashboard.http import RoomRequest
from dashboard.models import ConnectorSnapshot
from dashboard.resources import found
from dashboard.rights import Role
from dashboard.views.drafts import number


def panel(request: RoomRequest, snapshot: ConnectorSnapshot, now: datetime) -> ConfigPanel:
    """What the tab's address asks for."""
    sent = request.POST if request.method == "POST" else request.GET
    if request.GET.get("view") == View.HISTORY:
        return config_pages.history(snapshot, number(request.GET.get("older")), number(request.GET.get("newer")))
    on_screen = sent.get("shown", "") if request.htmx else ""
    version = number(request.GET.get("version"))
    return config_pages.opened(snapshot, now, why=_why_not(request, snapshot, now), on_screen=on_screen, version=version)


def _why_not(request: RoomRequest, snapshot: ConnectorSnapshot, now: datetime) -> str:
    if not rights.of(request).may(Role.EDITOR, snapshot.cluster.name, snapshot.name):
        return "You need the role editor to change it"
    if resource := found.owner(snapshot.cluster.name, snapshot.name):
        return f"The resource {resource} says what it is, and would put it back: change it there, or pause its reconciliation"
    reachable = queries.cluster_view(snapshot.cluster, now).reachable
    return (
        "" if reachable else f"Cluster {snapshot.cluster.name} cannot be reached: its configs cannot be changed until it answers"
    )
