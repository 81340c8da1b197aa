"""Log levels of one cluster. For administrators."""

from dataclasses import replace
from datetime import UTC, datetime

from django.http import Http404, HttpResponse
from django.views.decorators.http import require_http_methods

from connect_client import ConnectError, ConnectUnreachable
from dashboard import queries
from dashboard.fleet.clusters import ClusterView
from dashboard.fleet.notices import Notice
from dashboard.fleet.sentence import count
from dashboard.http import RoomRequest, who
from dashboard.loggers import actions
from dashboard.loggers.actions import Done, Unusable
from dashboard.loggers.page import NOTHING_TYPED, LoggersPage, Typed, away, lines, too_old, trouble, whole_cluster
from dashboard.models import Cluster
from dashboard.rights import Role
from dashboard.views.answers import page
from dashboard.views.found import need_everywhere

_UNUSABLE, _BAD_GATEWAY = 422, 502


@require_http_methods(["GET", "HEAD", "POST"])
def loggers(request: RoomRequest, cluster: str) -> HttpResponse:
    need_everywhere(request, Role.ADMIN)
    found = Cluster.objects.select_related("snapshot").filter(name=cluster).first()
    if found is None:
        raise Http404(f"There is no cluster {cluster}")
    view = queries.cluster_view(found, datetime.now(UTC))
    if request.method == "POST":
        return _set(request, found, view)
    if request.htmx and request.GET.get("shown") and view.reachable:
        # It stays as it is, with what is typed into it.
        return HttpResponse(status=204)
    return _page(request, found, view, replace(NOTHING_TYPED, logger=request.GET.get("logger", "")))


def _set(request: RoomRequest, cluster: Cluster, view: ClusterView) -> HttpResponse:
    typed = Typed(*(request.POST.get(name, "") for name in ("logger", "level", "scope")))
    try:
        done = actions.set_level(cluster, typed.logger, typed.level, who(request), whole_cluster=whole_cluster(view, typed.scope))
    except Unusable as unusable:
        return _page(request, cluster, view, replace(typed, error=str(unusable)), status=_UNUSABLE)
    except ConnectError as error:
        return _page(request, cluster, view, typed, _refused(typed, error), status=_BAD_GATEWAY)
    return _page(request, cluster, view, replace(typed, logger=""), _said(view, typed, done))


def _said(cluster: ClusterView, typed: Typed, done: Done) -> Notice:
    what = f"{typed.logger.strip()} at {typed.level}"
    if done.loggers is None:
        return Notice(f"All workers of {cluster.name} log {what} in a moment.", ("What is shown may be of before: look again.",))
    changed = f"{count(len(done.loggers), 'logger')} changed."
    if whole_cluster(cluster, typed.scope):
        return Notice(
            f"Only the worker that answered logs {what}.", (changed, "It does not know how to tell the others."), bad=True
        )
    return Notice(f"Logs {what}.", (changed,))


def _refused(typed: Typed, error: ConnectError) -> Notice:
    what = f"{typed.logger.strip()} was set to {typed.level}"
    if isinstance(error, ConnectUnreachable):
        return Notice(f"It is not known whether {what}: {error}", bad=True)
    return Notice(
        f"The cluster did not do it, or not everywhere: {error}", ("Look at the levels before you try again.",), bad=True
    )


def _page(
    request: RoomRequest, cluster: Cluster, view: ClusterView, typed: Typed, notice: Notice | None = None, status: int = 200
) -> HttpResponse:
    now = datetime.now(UTC)
    shown = LoggersPage(view, typed, trouble=away(view) or too_old(view))
    if shown.trouble is None:
        try:
            shown = replace(shown, lines=lines(actions.read(cluster)), asked_at=now)
        except ConnectError as error:
            shown = replace(shown, trouble=trouble(view, error))
    return page(request, "loggers.html", {"loggers": shown, "now": now, "section": "workers"}, notice, status)
