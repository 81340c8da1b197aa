"""Which plug-ins there are, and what each can be told."""

from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime

from django.http import Http404, HttpResponse
from django.views.decorators.http import require_POST, require_safe

from connect_client import ConnectError, Plugin
from dashboard import plugin_pages, rights
from dashboard import plugins as known
from dashboard.clusters import client
from dashboard.fleet.notices import Notice
from dashboard.http import RoomRequest
from dashboard.models import Cluster, PluginSnapshot
from dashboard.views.answers import page


@require_safe
def plugins(request: RoomRequest) -> HttpResponse:
    return _plugins(request)


@require_safe
def plugin(request: RoomRequest, cluster: str, plugin: str) -> HttpResponse:
    """Asks the cluster what its config is, if nobody has asked yet."""
    return _plugin(request, cluster, plugin)


@require_POST
def refresh(request: RoomRequest) -> HttpResponse:
    """Lists them anew, of all clusters at once."""
    has = rights.of(request)
    clusters = [cluster for cluster in Cluster.objects.all() if has.sees(cluster.name)]
    with ThreadPoolExecutor(max_workers=8, thread_name_prefix="plugins") as pool:
        answers = list(pool.map(_listed, clusters))
    silent = []
    for cluster, answer in zip(clusters, answers, strict=True):
        if isinstance(answer, ConnectError):
            silent.append(f"{cluster.name}: {answer}")
        else:
            known.record(cluster, answer, datetime.now(UTC))
    return _plugins(request, Notice("Not every cluster told its plug-ins.", tuple(silent), bad=True) if silent else None)


@require_POST
def ask(request: RoomRequest, cluster: str, plugin: str) -> HttpResponse:
    """What its config is, asked for again."""
    found = _found(request, cluster, plugin)
    try:
        known.define(found, client(found.cluster))
    except ConnectError as error:
        return _plugin(request, cluster, plugin, Notice(f"{cluster} did not tell it: {error}", bad=True))
    return _plugin(request, cluster, plugin)


def _listed(cluster: Cluster) -> list[Plugin] | ConnectError:
    """In a thread that has no business with the database."""
    try:
        return client(cluster).plugins(connectors_only=False)
    except ConnectError as error:
        return error


def _plugins(request: RoomRequest, notice: Notice | None = None) -> HttpResponse:
    now = datetime.now(UTC)
    text = (request.POST if request.method == "POST" else request.GET).get("find", "")
    shown = plugin_pages.all_plugins(rights.of(request), now, text)
    return page(request, "plugins.html", {"page": shown, "now": now, "section": "plugins"}, notice)


def _plugin(request: RoomRequest, cluster: str, plugin: str, notice: Notice | None = None) -> HttpResponse:
    found, now = _found(request, cluster, plugin), datetime.now(UTC)
    if found.definitions is None and notice is None:
        try:
            known.define(found, client(found.cluster))
        except ConnectError as error:
            notice = Notice(f"{cluster} did not tell what its config is: {error}", bad=True)
    shown = plugin_pages.one_plugin(rights.of(request), found, now)
    return page(request, "plugin.html", {"page": shown, "now": now, "section": "plugins"}, notice)


def _found(request: RoomRequest, cluster: str, plugin: str) -> PluginSnapshot:
    """Of several versions the last."""
    rows = PluginSnapshot.objects.select_related("cluster__snapshot").filter(cluster__name=cluster, class_name=plugin)
    found = rows.order_by("version").last()
    if found is None or not rights.of(request).sees(cluster):
        raise Http404
    return found
