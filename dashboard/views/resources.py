"""Connectors as documents: the list, one with its status and its text, and what can be asked of it."""

from datetime import UTC, datetime

from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpResponse
from django.shortcuts import redirect
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from dashboard import rights
from dashboard.fleet.notices import Notice
from dashboard.http import RoomRequest, who
from dashboard.models import Cluster, Resource
from dashboard.resources import apply, documents, found, orders, page, text
from dashboard.resources.apply import Deleting, Plan
from dashboard.resources.documents import KINDS, Given, Invalid
from dashboard.resources.page import Editor
from dashboard.resources.text import Unreadable
from dashboard.rights import Role
from dashboard.views.answers import page as answer
from dashboard.views.found import need, need_anywhere

_UNUSABLE = 422
_KINDS = {shown: kind for kind, shown in KINDS.items()}


@require_safe
def resources(request: RoomRequest) -> HttpResponse:
    lines = [page.line(one) for one in found.resources(rights.of(request))]
    wrong = sum(line.word == "not ready" for line in lines)
    return _page(request, "resources.html", {"lines": lines, "wrong": wrong})


@require_http_methods(["GET", "HEAD", "POST"])
def new(request: RoomRequest) -> HttpResponse:
    need_anywhere(request, Role.EDITOR)
    if request.method == "POST":
        return _edited(request, None)
    cluster = Cluster.objects.order_by("name").values_list("name", flat=True).first() or "my-cluster"
    return _page(request, "resource_form.html", {"editor": Editor(page.NEW.format(cluster=cluster))})


@require_http_methods(["GET", "HEAD", "POST"])
def resource(request: RoomRequest, kind: str, name: str) -> HttpResponse:
    one = _found(request, kind, name, Role.EDITOR if request.method == "POST" else Role.VIEWER)
    return _edited(request, one) if request.method == "POST" else _shown(request, one)


@require_POST
def annotate(request: RoomRequest, kind: str, name: str) -> HttpResponse:
    """`key` and `value`, which is empty to take it away."""
    key, value = request.POST.get("key", "").strip(), request.POST.get("value", "").strip()
    one = _found(request, kind, name, found.role_of([key] if key else orders.RESTARTS))
    if not key or len(key) > 300:
        return _shown(request, one, Notice("Nothing was set: an annotation has a name of 300 characters at most.", bad=True))
    try:
        apply.annotate(one, {key: value or None}, who(request))
    except Deleting as deleting:
        return _shown(request, one, Notice(str(deleting), bad=True))
    return _again(request, one)


@require_POST
def delete(request: RoomRequest, kind: str, name: str) -> HttpResponse:
    one = _found(request, kind, name, Role.EDITOR)
    if request.POST.get("confirm", "").strip() != one.name:
        return _shown(request, one, Notice(f"Nothing was deleted: type {one.name}, exactly.", bad=True))
    apply.delete(one, who(request))
    return redirect("resources")


# --- editing ----------------------------------------------------------------------------------------------------------


def _edited(request: RoomRequest, one: Resource | None) -> HttpResponse:
    """Reviewed first: what is applied is what was reviewed."""
    typed = request.POST.get("document", "").replace("\r\n", "\n")
    try:
        given = _given(request, typed, one)
        current = one or found.one(given.kind, given.name, rights.of(request))
        planned = _planned(request, given, current)
        if request.POST.get("step") == "apply" and request.POST.get("reviewed", "").replace("\r\n", "\n") == typed:
            applied, _ = apply.apply(given, who(request))
            return redirect("resource", applied.kind, applied.name)
    except Unreadable as error:
        return _form(request, one, Editor(typed, str(error)), _UNUSABLE)
    except Invalid as invalid:
        return _form(request, one, Editor(typed, "It cannot be taken as it is.", invalid.errors), _UNUSABLE)
    except Deleting as deleting:
        return _form(request, one, Editor(typed, str(deleting)), 409)
    editor = Editor(typed, action=planned.action, changes=planned.changes, reviewed=typed)
    return _form(request, current, editor)


def _given(request: RoomRequest, typed: str, one: Resource | None) -> Given:
    """Raises Unreadable, Invalid."""
    document = text.from_text(typed)
    metadata = document.get("metadata")
    name = metadata.get("name") if isinstance(metadata, dict) else None
    if not isinstance(name, str) or not name:
        raise Invalid({"metadata.name": ["This is needed."]})
    kind = one.kind if one else _KINDS.get(str(document.get("kind")))
    if kind is None:
        raise Invalid({"kind": [f"This has to be one of {', '.join(_KINDS)}."]})
    return documents.parse(kind, one.name if one else name, document)


def _planned(request: RoomRequest, given: Given, current: Resource | None) -> Plan:
    """Raises PermissionDenied, Invalid, Deleting."""
    if current is None and found.exists(given.kind, given.name):
        raise PermissionDenied(f"There is a {KINDS[given.kind]} {given.name} that you may not see")
    if current is not None:
        need(found.may(rights.of(request), Role.EDITOR, current), Role.EDITOR)
    planned = apply.plan(given, current)
    need(found.lacks(rights.of(request), given, planned.body) is None, Role.EDITOR)
    return planned


# --- answers ----------------------------------------------------------------------------------------------------------


def _form(request: RoomRequest, one: Resource | None, editor: Editor, status: int = 200) -> HttpResponse:
    return _page(request, "resource_form.html", {"editor": editor, "line": page.line(one) if one else None}, status=status)


def _shown(request: RoomRequest, one: Resource, notice: Notice | None = None) -> HttpResponse:
    document, has = found.document(one), rights.of(request)
    context = {
        "line": page.line(one),
        "document": document,
        "conditions": document.get("status", {}).get("conditions", []),
        "drifts": document.get("status", {}).get("drift", []),
        "status": text.to_text(document["status"]) if document.get("status") else "",
        "buttons": page.buttons(one, document),
        "editor": page.editor(document),
        "edits": found.may(has, Role.EDITOR, one),
        "operates": found.may(has, Role.OPERATOR, one),
    }
    return _page(request, "resource.html", context, notice)


def _again(request: RoomRequest, one: Resource) -> HttpResponse:
    if not request.htmx:
        return redirect("resource", one.kind, one.name)
    return _shown(request, _found(request, one.kind, one.name))


def _page(
    request: RoomRequest, template: str, context: dict[str, object], notice: Notice | None = None, status: int = 200
) -> HttpResponse:
    return answer(request, template, {**context, "now": datetime.now(UTC), "section": "resources"}, notice, status)


def _found(request: RoomRequest, kind: str, name: str, role: Role = Role.VIEWER) -> Resource:
    """Raises Http404, PermissionDenied."""
    has = rights.of(request)
    one = found.one(kind, name, has)
    if one is None:
        raise Http404(f"There is no {kind} {name}")
    need(found.may(has, role, one), role)
    return one
