"""A connector's config: its tab, and what is done to it from there."""

from dataclasses import replace
from datetime import UTC, datetime

from django.core.exceptions import BadRequest
from django.http import HttpResponse, JsonResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods, require_POST

from connect_client import ConnectConflict, ConnectError, ConnectUnreachable
from dashboard import config_pages, editing
from dashboard.configs.panel import Editor, saving
from dashboard.editing import Review, Unusable
from dashboard.fleet.connector_page import Tab
from dashboard.fleet.notices import Notice
from dashboard.http import RoomRequest, who
from dashboard.models import ConnectorSnapshot
from dashboard.rights import Role
from dashboard.views import connector
from dashboard.views.answers import page
from dashboard.views.drafts import cluster_of, draft_of, number
from dashboard.views.found import found

_UNUSABLE, _MOVED = 422, 409
_KEPT = "Nothing was changed, and what you typed is still here."


@require_http_methods(["GET", "HEAD", "POST"])
def config(request: RoomRequest, cluster: str, name: str) -> HttpResponse:
    """Reviews what was typed, or saves what was reviewed."""
    if request.method != "POST":
        return redirect(connector.address(found(request, cluster, name), Tab.CONFIG))
    snapshot = found(request, cluster, name, Role.EDITOR)
    draft, opened = draft_of(request, snapshot.cluster, snapshot), request.POST.get("opened", "")
    try:
        if request.POST.get("step") != "save":
            return _reviewed(request, snapshot, editing.review(draft, opened))
        done = editing.save(draft, opened, request.POST.get("reviewed", ""), who(request), request.POST.get("note", ""))
    except Unusable as error:
        return _refused(request, snapshot, Notice(str(error), (_KEPT,), bad=True), _UNUSABLE)
    except ConnectError as error:
        return _refused(request, snapshot, not_saved(name, error))
    if isinstance(done, Review):
        return _reviewed(request, snapshot, done, _MOVED)
    notice = Notice(f"The config of {name} was saved, as version {done.number}.")
    if not request.htmx:
        return redirect(connector.address(snapshot, Tab.CONFIG))
    answer = connector.answer(request, snapshot, notice, config=config_pages.opened(snapshot, datetime.now(UTC), why=""))
    return _into_view(answer)


@require_POST
def check(request: RoomRequest, cluster: str) -> HttpResponse:
    """What the cluster says of what is typed by now, as JSON (`dashboard.editing.Report`)."""
    snapshot = found(request, cluster, request.POST["name"], Role.EDITOR) if request.POST.get("name") else None
    where = snapshot.cluster if snapshot else cluster_of(request, cluster)
    draft = draft_of(request, where, snapshot)
    if snapshot:
        draft = replace(draft, stored=(*draft.stored, editing.told(snapshot) or {}))
    return JsonResponse(editing.check(draft).to_json())


@require_POST
def delete(request: RoomRequest, cluster: str, name: str) -> HttpResponse:
    """Its name has to be typed."""
    snapshot = found(request, cluster, name, Role.EDITOR)
    if request.POST.get("confirm", "").strip() != name:
        notice = Notice(f"{name} was not deleted: type its name, exactly, to have that.", bad=True)
        return connector.answer(request, snapshot, notice, status=_UNUSABLE)
    try:
        editing.delete(snapshot, who(request))
    except ConnectError as error:
        return connector.answer(request, snapshot, not_deleted(name, error))
    return page(request, "deleted.html", {"cluster": cluster, "name": name})


# --- answers ----------------------------------------------------------------------------------------------------------


def not_saved(name: str, error: ConnectError) -> Notice:
    if isinstance(error, ConnectUnreachable):
        return Notice(f"It is not known whether {name} was saved: {error}", ("Look at it before you try again.",), bad=True)
    if isinstance(error, ConnectConflict):
        return Notice(f"{name} was not saved: {error}", ("Nothing was changed; try again in a few seconds.",), bad=True)
    return Notice(f"{name} was not saved: {error}", (_KEPT,), bad=True)


def not_deleted(name: str, error: ConnectError) -> Notice:
    if isinstance(error, ConnectUnreachable):
        return Notice(f"It is not known whether {name} was deleted: {error}", ("Look for it before you try again.",), bad=True)
    return Notice(f"{name} was not deleted: {error}", ("Nothing was changed.",), bad=True)


def _reviewed(request: RoomRequest, snapshot: ConnectorSnapshot, review: Review, status: int = 200) -> HttpResponse:
    return _beside(request, snapshot, {"review": review, "button": saving(review.changes)}, status)


def _refused(request: RoomRequest, snapshot: ConnectorSnapshot, notice: Notice, status: int = 200) -> HttpResponse:
    return _beside(request, snapshot, {"refusal": notice}, status)


def _beside(request: RoomRequest, snapshot: ConnectorSnapshot, told: dict[str, object], status: int) -> HttpResponse:
    """Into its place below the editor, which stays as it is; or, without scripts, the page again with what was typed."""
    now = datetime.now(UTC)
    if request.htmx:
        return render(request, "dashboard/config_review.html", {**told, "name": snapshot.name, "now": now}, status=status)
    shown = config_pages.opened(snapshot, now, why="")
    if shown.editor is None:
        raise BadRequest
    text, note = request.POST.get("config", ""), request.POST.get("note", "")
    again = Editor(text, shown.editor.original, request.POST.get("opened", ""), number(request.POST.get("version")), note)
    return connector.answer(
        request, snapshot, config=replace(shown, editor=again), status=status, more={**told, "name": snapshot.name}
    )


def _into_view(response: HttpResponse) -> HttpResponse:
    response.headers["HX-Retarget"] = "#view"
    response.headers["HX-Reswap"] = "innerHTML"
    return response
