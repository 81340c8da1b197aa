"""One connector: its page, and what is done to it from there or from its row in the fleet."""

from datetime import UTC, datetime
from typing import Any
from urllib.parse import urlencode

from django.http import Http404, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.views.decorators.http import require_POST, require_safe

from connect_client import ConnectError
from dashboard import actions, asking, queries, rights
from dashboard.configs.panel import ConfigPanel
from dashboard.fleet.connector_page import Tab
from dashboard.fleet.notices import Notice, refused
from dashboard.fleet.query import parse
from dashboard.fleet.verbs import Verb
from dashboard.history import queries as history
from dashboard.history.windows import parse as parse_window
from dashboard.http import RoomRequest, who
from dashboard.models import ConnectorSnapshot
from dashboard.offsets.panel import OffsetsPanel
from dashboard.restarting.shown import of_connector as restarts_of
from dashboard.rights import Role
from dashboard.sampling import queries as sampling
from dashboard.views import config_tab
from dashboard.views.answers import page
from dashboard.views.found import found


@require_safe
def connector(request: RoomRequest, cluster: str, name: str) -> HttpResponse:
    try:
        snapshot = found(request, cluster, name)
    except Http404:
        return page(request, "no_connector.html", {"cluster": cluster, "name": name}, status=404)
    return answer(request, snapshot)


@require_POST
def do(request: RoomRequest, cluster: str, verb: str, name: str) -> HttpResponse:
    snapshot = found(request, cluster, name, Role.OPERATOR)
    if verb not in list(Verb):
        raise Http404
    notice = None
    try:
        actions.do(snapshot, Verb(verb), who(request))
    except ConnectError as error:
        notice = refused(name, Verb(verb), error)
    return _answer(request, snapshot, notice)


@require_POST
def restart_task(request: RoomRequest, cluster: str, task: int, name: str) -> HttpResponse:
    snapshot = found(request, cluster, name, Role.OPERATOR)
    notice = None
    try:
        actions.restart_task(snapshot, task, who(request))
    except ConnectError as error:
        notice = refused(f"Task {task} of {name}", Verb.RESTART, error)
    return _answer(request, snapshot, notice)


def _answer(request: RoomRequest, snapshot: ConnectorSnapshot, notice: Notice | None) -> HttpResponse:
    """The row, where a button of the row was pressed; else the connector's page."""
    if request.htmx and (request.htmx.target or "").startswith("tbody"):
        now = datetime.now(UTC)
        known = queries.clusters(now, rights.of(request))
        tall = snapshot.pk in parse(request.POST).tall
        automatic = restarts_of(snapshot, now).in_a_row
        row = queries.one_row(snapshot, known[snapshot.cluster_id], now, tall=tall, automatic=automatic)
        return page(request, "row_answer.html", {"row": row, "several_clusters": len(known) > 1, "now": now}, notice)
    if notice or request.htmx:
        return answer(request, snapshot, notice)
    return redirect(address(snapshot, tab_of(request)))


def address(snapshot: ConnectorSnapshot, tab: Tab = Tab.OVERVIEW, **more: object) -> str:
    query = urlencode({**({} if tab is Tab.OVERVIEW else {"tab": tab}), **more})
    return reverse("connector", args=(snapshot.cluster.name, snapshot.name)) + (f"?{query}" if query else "")


def answer(
    request: RoomRequest,
    snapshot: ConnectorSnapshot,
    notice: Notice | None = None,
    *,
    offsets: OffsetsPanel | None = None,
    config: ConfigPanel | None = None,
    more: dict[str, Any] | None = None,
    status: int = 200,
) -> HttpResponse:
    """The connector's page, with the tab of its address or with `offsets` or `config`."""
    now = datetime.now(UTC)
    tab = Tab.OFFSETS if offsets else Tab.CONFIG if config else tab_of(request)
    if tab is Tab.OFFSETS and offsets is None:
        offsets = _offsets(request, snapshot, now)
    if tab is Tab.CONFIG and config is None:
        config = config_tab.panel(request, snapshot, now)
    shown = {"page": queries.connector(snapshot, tab, now), "offsets": offsets, "config": config, "now": now}
    context: dict[str, Any] = {**(more or {}), **shown}
    if tab is Tab.ACTIVITY:
        context["events"] = history.events(snapshot, _moment(request.GET.get("before", "")))
    if tab in (Tab.OVERVIEW, Tab.TASKS):
        context["restarts"] = restarts_of(snapshot, now)
    if tab is Tab.OVERVIEW:
        window = parse_window(request.GET.get("window", ""))
        context["overview"] = history.of_connector(snapshot, window, now)
        context["figures"] = sampling.of_connector(snapshot, window, now)
    return page(request, "connector.html", context, notice, status)


def _moment(word: str) -> datetime | None:
    try:
        moment = datetime.fromisoformat(word)
    except ValueError:
        return None
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


def tab_of(request: RoomRequest) -> Tab:
    try:
        return Tab(request.GET.get("tab", ""))
    except ValueError:
        return Tab.OVERVIEW


def _offsets(request: RoomRequest, snapshot: ConnectorSnapshot, now: datetime) -> OffsetsPanel:
    sent = request.POST if request.method == "POST" else request.GET
    result = queries.offset_change(snapshot, request.GET.get("change", ""))
    return asking.opened(snapshot, now, shown=sent.get("shown", "") if request.htmx else "", result=result)
