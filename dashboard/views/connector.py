"""One connector: its page, and what is done to it from there or from its row in the fleet."""

from datetime import UTC, datetime

from django.http import Http404, HttpResponse
from django.shortcuts import redirect
from django.views.decorators.http import require_POST, require_safe

from connect_client import ConnectError
from dashboard import actions, queries
from dashboard.fleet.connector_page import Tab
from dashboard.fleet.notices import Notice, refused
from dashboard.fleet.query import parse
from dashboard.fleet.verbs import Verb
from dashboard.http import RoomRequest
from dashboard.models import ConnectorSnapshot
from dashboard.views.answers import page


@require_safe
def connector(request: RoomRequest, cluster: str, name: str) -> HttpResponse:
    snapshot = _find(cluster, name)
    if snapshot is None:
        return page(request, "no_connector.html", {"cluster": cluster, "name": name}, status=404)
    return _connector(request, snapshot)


@require_POST
def do(request: RoomRequest, cluster: str, verb: str, name: str) -> HttpResponse:
    snapshot = _find(cluster, name)
    if snapshot is None or verb not in list(Verb):
        raise Http404
    notice = None
    try:
        actions.do(snapshot, Verb(verb))
    except ConnectError as error:
        notice = refused(name, Verb(verb), error)
    return _answer(request, snapshot, notice)


@require_POST
def restart_task(request: RoomRequest, cluster: str, task: int, name: str) -> HttpResponse:
    snapshot = _find(cluster, name)
    if snapshot is None:
        raise Http404
    notice = None
    try:
        actions.restart_task(snapshot, task)
    except ConnectError as error:
        notice = refused(f"Task {task} of {name}", Verb.RESTART, error)
    return _answer(request, snapshot, notice)


def _answer(request: RoomRequest, snapshot: ConnectorSnapshot, notice: Notice | None) -> HttpResponse:
    """The row, where a button of the row was pressed; else the connector's page."""
    if request.htmx and (request.htmx.target or "").startswith("tbody"):
        now = datetime.now(UTC)
        known = queries.clusters(now)
        tall = snapshot.pk in parse(request.POST).tall
        row = queries.one_row(snapshot, known[snapshot.cluster_id], now, tall=tall)
        return page(request, "row_answer.html", {"row": row, "several_clusters": len(known) > 1, "now": now}, notice)
    if notice or request.htmx:
        return _connector(request, snapshot, notice)
    return redirect("connector", snapshot.cluster.name, snapshot.name)


def _connector(request: RoomRequest, snapshot: ConnectorSnapshot, notice: Notice | None = None) -> HttpResponse:
    now = datetime.now(UTC)
    tab = Tab.CONFIG if request.GET.get("tab") == Tab.CONFIG else Tab.TASKS
    return page(request, "connector.html", {"page": queries.connector(snapshot, tab, now), "now": now}, notice)


def _find(cluster: str, name: str) -> ConnectorSnapshot | None:
    return ConnectorSnapshot.objects.select_related("cluster__snapshot").filter(cluster__name=cluster, name=name).first()
