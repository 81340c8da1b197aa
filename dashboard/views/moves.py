"""Moving or copying a connector to another cluster: choose, check, begin; then how it goes, and putting it back."""

from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any

from django.http import Http404, HttpResponse
from django.shortcuts import redirect
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from connect_client.secrets import without_secrets
from dashboard import plugins, queries, rights
from dashboard.configs import pairs
from dashboard.configs.pairs import Unreadable
from dashboard.fleet.notices import Notice
from dashboard.http import RoomRequest, who
from dashboard.models import Cluster, ConnectorSnapshot, Move
from dashboard.moves import begin, found, page, prepare
from dashboard.moves.begin import CannotBegin
from dashboard.moves.plan import Mode, Options
from dashboard.moves.prepare import Prepared, Wish
from dashboard.rights import Role
from dashboard.views.answers import page as answer
from dashboard.views.found import found as connector_found
from dashboard.views.found import need

_UNUSABLE = 422
_KEPT = "move"


@dataclass(frozen=True, slots=True)
class Choice:
    """A cluster to go to. `why_not`: empty where it can be chosen."""

    name: str
    version: str
    why_not: str


@dataclass(frozen=True, slots=True)
class Form:
    """What somebody has chosen and typed."""

    to: str
    new_name: str
    text: str
    options: Options
    error: str = ""


@require_safe
def moves(request: RoomRequest) -> HttpResponse:
    found_moves = [page.summary(move) for move in found.newest(rights.of(request))]
    return answer(request, "moves.html", {"moves": found_moves, "now": datetime.now(UTC), "most": found.SHOWN})


@require_safe
def one(request: RoomRequest, move: int) -> HttpResponse:
    return _shown(request, _move(request, move))


@require_POST
def cancel(request: RoomRequest, move: int) -> HttpResponse:
    chosen = _move(request, move, Role.EDITOR)
    notice = None if begin.cancel(chosen, who(request)) else Notice("It has ended already.", bad=True)
    return _answer(request, chosen, notice)


@require_POST
def undo(request: RoomRequest, move: int) -> HttpResponse:
    chosen, notice = _move(request, move, Role.EDITOR), None
    try:
        begin.undo(chosen, who(request))
    except CannotBegin as error:
        notice = Notice("It was not put back.", (str(error),), bad=True)
    return _answer(request, chosen, notice)


@require_http_methods(["GET", "HEAD", "POST"])
def move(request: RoomRequest, cluster: str, name: str) -> HttpResponse:
    """The form of a new one. Only Check and Move ask the clusters."""
    snapshot = connector_found(request, cluster, name, Role.EDITOR)
    if request.method != "POST":
        kept = bool(request.htmx) and request.GET.get("shown") == _KEPT
        return _form(request, snapshot, _fresh(request, snapshot), kept=kept)
    form = _typed(request, snapshot)
    target = next((one for one in _targets(request, snapshot) if one.name == form.to), None)
    if target is None:
        return _form(request, snapshot, replace(form, error="Choose a cluster."), status=_UNUSABLE)
    try:
        typed = pairs.from_json(form.text)
    except Unreadable as error:
        return _form(request, snapshot, replace(form, error=str(error)), status=_UNUSABLE)
    if form.options.contradiction:
        return _form(request, snapshot, replace(form, error=form.options.contradiction), status=_UNUSABLE)
    wish = Wish(snapshot, target, form.new_name, form.options, typed)
    prepared = prepare.prepare(wish, rights.of(request))
    if request.POST.get("step") != "begin":
        return _form(request, snapshot, form, prepared)
    if not prepared.possible:
        return _form(request, snapshot, form, prepared, Notice("Nothing was begun.", (prepared.summary,), bad=True), 409)
    if request.POST.get("reviewed") != prepared.digest:
        notice = Notice("Nothing was begun.", ("The config is not what was checked. Look at it once more.",), bad=True)
        return _form(request, snapshot, form, prepared, notice, 409)
    try:
        begun = begin.begin(
            (snapshot.cluster, snapshot.name),
            (target, form.new_name),
            wish.type,
            (prepared.source_config, prepared.config),
            form.options,
            who(request),
        )
    except CannotBegin as error:
        return _form(request, snapshot, form, prepared, Notice("Nothing was begun.", (str(error),), bad=True), 409)
    return _to(request, begun)


# --- answers ----------------------------------------------------------------------------------------------------------


def _form(
    request: RoomRequest,
    snapshot: ConnectorSnapshot,
    form: Form,
    prepared: Prepared | None = None,
    notice: Notice | None = None,
    status: int = 200,
    *,
    kept: bool = False,
) -> HttpResponse:
    now = datetime.now(UTC)
    context = {
        "connector": snapshot,
        "type": (snapshot.info or {}).get("type") or "",
        "form": form,
        "prepared": prepared,
        "choices": [] if kept else _choices(request, snapshot, now),
        "past": [] if kept else [page.summary(one) for one in found.newest(rights.of(request), snapshot)[:5]],
        "kept": kept,
        "now": now,
    }
    return answer(request, "move_form.html", context, notice, status)


def _shown(request: RoomRequest, move: Move, notice: Notice | None = None) -> HttpResponse:
    has = rights.of(request)
    context: dict[str, Any] = {
        "move": page.move_page(move, found.config_changes(move)),
        "may": found.may(move, Role.EDITOR, has),
        "now": datetime.now(UTC),
    }
    return answer(request, "move.html", context, notice)


def _answer(request: RoomRequest, move: Move, notice: Notice | None) -> HttpResponse:
    if request.htmx or notice:
        move.refresh_from_db()
        return _shown(request, move, notice)
    return redirect("move", move.pk)


def _to(request: RoomRequest, move: Move) -> HttpResponse:
    response = redirect("move", move.pk)
    if not request.htmx:
        return response
    # htmx follows a redirect within the same address; this one is to another page.
    return HttpResponse(headers={"HX-Redirect": response.headers["Location"]})


# --- what was sent ----------------------------------------------------------------------------------------------------


def _move(request: RoomRequest, id: int, role: Role = Role.VIEWER) -> Move:
    """Raises Http404, PermissionDenied."""
    has = rights.of(request)
    move = found.one(id, has)
    if move is None:
        raise Http404(f"There is no move {id}")
    need(found.may(move, role, has), role)
    return move


def _targets(request: RoomRequest, snapshot: ConnectorSnapshot) -> list[Cluster]:
    has = rights.of(request)
    every = Cluster.objects.exclude(pk=snapshot.cluster_id).select_related("snapshot").order_by("name")
    return [cluster for cluster in every if has.sees(cluster.name)]


def _choices(request: RoomRequest, snapshot: ConnectorSnapshot, now: datetime) -> list[Choice]:
    has = rights.of(request)
    choices = []
    for cluster in _targets(request, snapshot):
        view = queries.cluster_view(cluster, now)
        edits = has.limit >= Role.EDITOR and any(
            given.role >= Role.EDITOR and given.cluster in (None, cluster.name) for given in has.given
        )
        why_not = "" if edits else "you need the role editor there"
        why_not = why_not or ("" if view.reachable else "cannot be reached")
        choices.append(Choice(cluster.name, view.version, why_not))
    return choices


def _fresh(request: RoomRequest, snapshot: ConnectorSnapshot) -> Form:
    config: dict[str, str | None] = (snapshot.info or {}).get("config") or {}
    shown = without_secrets(config, plugins.passwords_of(snapshot.cluster, config))
    runs = snapshot.state not in ("STOPPED", "PAUSED")
    return Form(request.GET.get("to", ""), snapshot.name, pairs.to_json(tuple(shown.items())), Options(start=runs))


def _typed(request: RoomRequest, snapshot: ConnectorSnapshot) -> Form:
    sent = request.POST
    options = Options(
        mode=Mode.COPY if sent.get("mode") == Mode.COPY else Mode.MOVE,
        carry_offsets="carry_offsets" in sent,
        start="start" in sent,
        delete_source="delete_source" in sent,
        unsafe_create="unsafe_create" in sent,
    )
    # Browsers send line breaks as CR LF.
    text = sent.get("config", "").replace("\r\n", "\n")
    return Form(sent.get("to", ""), sent.get("new_name", "").strip() or snapshot.name, text, options)
