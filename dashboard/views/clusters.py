"""Settings → Clusters: which there are, and adding, changing, trying and removing them. For administrators."""

from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from functools import wraps

from django.http import Http404, HttpResponse
from django.shortcuts import redirect
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from dashboard import cluster_actions, queries
from dashboard.cluster_actions import Unacceptable
from dashboard.http import RoomRequest, who
from dashboard.models import Cluster
from dashboard.registry.origin import why_fixed
from dashboard.registry.page import NEW, ClusterForm, kept, typed
from dashboard.registry.wish import FIELDS
from dashboard.rights import Role
from dashboard.views.answers import page
from dashboard.views.found import need_everywhere

_UNUSABLE, _FIXED = 422, 409
_AUTHS = (("none", "nothing"), ("basic", "user name and password"), ("bearer", "bearer token"))
View = Callable[..., HttpResponse]


def _for_administrators(view: View) -> View:
    @wraps(view)
    def guarded(request: RoomRequest, *args: str, **kwargs: str) -> HttpResponse:
        need_everywhere(request, Role.ADMIN)
        return view(request, *args, **kwargs)

    return guarded


@require_safe
@_for_administrators
def clusters(request: RoomRequest) -> HttpResponse:
    now = datetime.now(UTC)
    return _page(request, "clusters.html", {"page": queries.registry(now), "now": now})


@require_http_methods(["GET", "HEAD", "POST"])
@_for_administrators
def add(request: RoomRequest) -> HttpResponse:
    if request.method != "POST":
        return _form(request, ClusterForm("", NEW))
    try:
        cluster_actions.add(_sent(request), who(request))
    except Unacceptable as unacceptable:
        return _form(request, ClusterForm("", typed(request.POST), errors=unacceptable.errors), _UNUSABLE)
    return redirect("settings-clusters")


@require_http_methods(["GET", "HEAD", "POST"])
@_for_administrators
def cluster(request: RoomRequest, cluster: str) -> HttpResponse:
    found = _found(cluster)
    form = _form_of(found)
    if request.method != "POST":
        return _form(request, form)
    if form.fixed:
        return _form(request, form, _FIXED)
    try:
        cluster_actions.change(found, _sent(request), who(request))
    except Unacceptable as unacceptable:
        return _form(request, replace(form, values=typed(request.POST), errors=unacceptable.errors), _UNUSABLE)
    return redirect("settings-clusters")


@require_POST
@_for_administrators
def try_it(request: RoomRequest) -> HttpResponse:
    """What is in the form, asked of the cluster and not saved. `of`: the cluster whose form it is."""
    found = _found(request.POST["of"]) if request.POST.get("of") else None
    form = _form_of(found) if found else ClusterForm("", NEW)
    try:
        if found and form.fixed:
            form = replace(form, tried=cluster_actions.try_cluster(found))
        else:
            wish = cluster_actions.wanted(_sent(request), found)
            form = replace(form, values=typed(request.POST), tried=cluster_actions.try_wish(wish))
    except Unacceptable as unacceptable:
        form = replace(form, values=typed(request.POST), errors=unacceptable.errors)
    if request.htmx:
        return page(request, "cluster_tried.html", {"form": form}, status=_UNUSABLE if form.errors else 200)
    return _form(request, form, _UNUSABLE if form.errors else 200)


@require_POST
@_for_administrators
def remove(request: RoomRequest, cluster: str) -> HttpResponse:
    found = _found(cluster)
    form = _form_of(found)
    if form.fixed:
        return _form(request, form, _FIXED)
    if request.POST.get("confirm", "").strip() != found.name:
        return _form(request, replace(form, remove_error=f"Type {found.name}, exactly, to remove it from here."), _UNUSABLE)
    cluster_actions.remove(found, who(request))
    return redirect("settings-clusters")


def _found(name: str) -> Cluster:
    found = Cluster.objects.select_related("snapshot").filter(name=name).first()
    if found is None:
        raise Http404(f"There is no cluster {name}")
    return found


def _form_of(found: Cluster) -> ClusterForm:
    return ClusterForm(found.name, kept(found), bool(found.secret), bool(found.private_key), why_fixed(found))


def _sent(request: RoomRequest) -> dict[str, object]:
    return {name: request.POST[name] for name in FIELDS if name in request.POST}


def _form(request: RoomRequest, form: ClusterForm, status: int = 200) -> HttpResponse:
    return _page(request, "cluster_form.html", {"form": form, "auths": _AUTHS}, status)


def _page(request: RoomRequest, template: str, context: dict[str, object], status: int = 200) -> HttpResponse:
    return page(request, template, {**context, "section": "settings", "part": "clusters"}, status=status)
