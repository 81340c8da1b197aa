"""Creating a connector: from a plug-in, from what somebody pastes, or as another one is or was."""

from collections.abc import Mapping
from datetime import UTC, datetime

from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_http_methods

from connect_client import ConnectConflict, ConnectError, ConnectUnreachable
from dashboard import config_pages, editing, plugin_pages, queries, rights
from dashboard.configs import pairs
from dashboard.configs.creation import Creation, Origin
from dashboard.configs.pairs import Pairs, Unreadable
from dashboard.configs.panel import Editor
from dashboard.configs.paste import pasted
from dashboard.editing import Unusable
from dashboard.fleet.notices import Notice
from dashboard.http import RoomRequest, who
from dashboard.models import Cluster
from dashboard.rights import Role
from dashboard.views.answers import page
from dashboard.views.drafts import cluster_of, copied_config, draft_of, number
from dashboard.views.found import need, need_anywhere

_UNUSABLE = 422
_KEPT = "Nothing was created, and what you typed is still here."


@require_http_methods(["GET", "HEAD", "POST"])
def create(request: RoomRequest) -> HttpResponse:
    need_anywhere(request, Role.EDITOR)
    step = request.POST.get("step", "")
    if request.method == "POST" and step == "create":
        return _create(request)
    if request.method == "POST" and step == "paste":
        return _paste(request)
    sent = request.POST if request.method == "POST" else request.GET
    if sent.get("copy_cluster"):
        origin = _origin(sent)
        return _editor(request, _copied(request, origin), origin)
    if sent.get("class"):
        return _editor(request, (("name", ""), ("connector.class", sent["class"]), ("tasks.max", "1")), Origin())
    return _start(request)


def _start(request: RoomRequest, text: str = "", notice: Notice | None = None, status: int = 200) -> HttpResponse:
    """Where the config is to come from."""
    has, now = rights.of(request), datetime.now(UTC)
    found = plugin_pages.all_plugins(has, now, request.GET.get("find", ""), ("source", "sink", ""))
    context = {"page": found, "pasted": text, "refusal": notice, "now": now, "section": "create"}
    return page(request, "create_start.html", context, status=status)


def _paste(request: RoomRequest) -> HttpResponse:
    text = request.POST.get("text", "")
    try:
        first, *others = pasted(text)
    except Unreadable as error:
        return _start(request, text, Notice(str(error), bad=True), _UNUSABLE)
    rest = tuple(pairs.to_json(one.config) for one in others)
    return _editor(request, first.config, Origin(), first.initial_state, rest)


def _copied(request: RoomRequest, origin: Origin) -> Pairs:
    """Without its secrets, and unless it is to be there again, without its name."""
    cluster = Cluster.objects.filter(name=origin.cluster).first()
    config = copied_config(request, origin.cluster, origin.name, origin.version)[0]
    shown = config_pages.shown(cluster, tuple(config.items())) if cluster else ()
    if origin.again:
        return shown
    return tuple((key, "" if key == "name" else value) for key, value in shown)


def _editor(
    request: RoomRequest, config: Pairs, origin: Origin, initial_state: str = "", others: tuple[str, ...] = ()
) -> HttpResponse:
    has, now = rights.of(request), datetime.now(UTC)
    sent = request.POST if request.method == "POST" else request.GET
    known = [cluster for cluster in queries.clusters(now, has).values() if has.anywhere(Role.EDITOR)]
    wanted = sent.get("cluster") or origin.cluster
    text = pairs.to_json(config)
    creation = Creation(
        editor=Editor(text, text, ""),
        clusters=tuple(known),
        cluster=next((one for one in known if one.name == wanted), known[0] if known else None),
        origin=origin,
        initial_state=initial_state,
        others=others,
    )
    return page(request, "create.html", {"page": creation, "now": now, "section": "create"})


def _origin(sent: Mapping[str, str]) -> Origin:
    version = number(sent.get("copy_version"))
    return Origin(sent.get("copy_cluster", ""), sent.get("copy_name", ""), version, bool(sent.get("again")))


def _create(request: RoomRequest) -> HttpResponse:
    cluster = cluster_of(request, request.POST.get("cluster", ""))
    try:
        config = editing.meant(draft_of(request, cluster))
        name = (dict(config).get("name") or "").strip()
        need(rights.of(request).may(Role.EDITOR, cluster.name, name), Role.EDITOR)
        state = request.POST.get("initial_state", "")
        version = editing.create(cluster, config, state, who(request), request.POST.get("note", ""))
    except Unusable as error:
        return _refused(request, Notice(str(error), (_KEPT,), bad=True), _UNUSABLE)
    except ConnectUnreachable as error:
        return _refused(request, Notice(f"It is not known whether it was created: {error}", ("Look for it first.",), bad=True))
    except ConnectConflict as error:
        return _refused(request, Notice(f"Not created: {error}", (_KEPT,), bad=True))
    except ConnectError as error:
        return _refused(request, Notice(f"Cluster {cluster.name} did not create it: {error}", (_KEPT,), bad=True))
    address = reverse("connector", args=(cluster.name, version.connector))
    return HttpResponse(headers={"HX-Redirect": address}) if request.htmx else redirect(address)


def _refused(request: RoomRequest, notice: Notice, status: int = 200) -> HttpResponse:
    """Below the editor, which stays as it is."""
    if request.htmx:
        return render(request, "dashboard/config_review.html", {"refusal": notice}, status=status)
    has, now = rights.of(request), datetime.now(UTC)
    known = tuple(queries.clusters(now, has).values())
    text = request.POST.get("config", "")
    creation = Creation(
        editor=Editor(text, text, "", 0, request.POST.get("note", "")),
        clusters=known,
        cluster=next((one for one in known if one.name == request.POST.get("cluster")), None),
        origin=_origin(request.POST),
        initial_state=request.POST.get("initial_state", ""),
    )
    return page(request, "create.html", {"page": creation, "refusal": notice, "now": now, "section": "create"}, status=status)
