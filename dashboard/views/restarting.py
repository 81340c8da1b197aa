"""Settings → Automatic restart: which connectors are restarted by themselves, and when. For administrators. And what is said
of one connector alone, by its operators."""

from django.conf import settings
from django.http import Http404, HttpResponse
from django.shortcuts import redirect
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from dashboard.fleet.notices import Notice
from dashboard.http import RoomRequest, who
from dashboard.models import RestartPolicy
from dashboard.people.users import Conflict
from dashboard.restarting import changes, shown
from dashboard.restarting.fields import OverrideFields, PolicyFields
from dashboard.restarting.form import NEW, PolicyForm, kept, typed
from dashboard.rights import Role
from dashboard.views import connector
from dashboard.views.answers import page
from dashboard.views.found import found, need_everywhere

_UNUSABLE = 422
_SWITCH = {"on": True, "off": False, "policies": None}
_MOVES = {"up": -1, "down": 1}


@require_safe
def policies(request: RoomRequest) -> HttpResponse:
    need_everywhere(request, Role.ADMIN)
    return _policies(request)


@require_http_methods(["GET", "HEAD", "POST"])
def new(request: RoomRequest) -> HttpResponse:
    need_everywhere(request, Role.ADMIN)
    return _saved(request, None) if request.method == "POST" else _form(request, PolicyForm(None, NEW))


@require_http_methods(["GET", "HEAD", "POST"])
def policy(request: RoomRequest, policy: int) -> HttpResponse:
    one = _found(request, policy)
    return _saved(request, one) if request.method == "POST" else _form(request, PolicyForm(one, kept(one)))


@require_POST
def policy_do(request: RoomRequest, policy: int, deed: str) -> HttpResponse:
    one = _found(request, policy)
    match deed:
        case "up" | "down":
            changes.move(who(request), one, _MOVES[deed])
        case "on" | "off":
            changes.update(who(request), one, {"enabled": deed == "on"})
        case "delete":
            changes.delete(who(request), one)
        case _:
            raise Http404
    return _policies(request) if request.htmx else redirect("restart-policies")


@require_POST
def switch(request: RoomRequest, cluster: str, deed: str, name: str) -> HttpResponse:
    """`on`, `off`, or as the `policies` say; or its `limit`. Nothing else that is said of the connector changes."""
    snapshot = found(request, cluster, name, Role.OPERATOR)
    if deed != "limit" and deed not in _SWITCH:
        raise Http404
    said = shown.of_override(snapshot)
    if deed == "limit":
        fields = OverrideFields(
            data={"enabled": said.enabled, "max_restarts": request.POST.get("max_restarts", "").strip() or None}
        )
    else:
        fields = OverrideFields(data={"enabled": _SWITCH[deed], "max_restarts": said.limit})
    if not fields.is_valid():
        told = " ".join(map(str, fields.errors["max_restarts"]))
        return connector.answer(request, snapshot, Notice("Nothing was changed.", (told,), bad=True), status=_UNUSABLE)
    try:
        changes.override(who(request), snapshot, **fields.validated_data)
    except Conflict as error:
        return connector.answer(request, snapshot, Notice("Nothing was changed.", (str(error),), bad=True))
    return (
        connector.answer(request, snapshot) if request.htmx else redirect(connector.address(snapshot, connector.tab_of(request)))
    )


def _found(request: RoomRequest, policy: int) -> RestartPolicy:
    """Raises PermissionDenied, Http404."""
    need_everywhere(request, Role.ADMIN)
    one = RestartPolicy.objects.select_related("cluster").filter(pk=policy).first()
    if one is None:
        raise Http404(f"There is no restart policy {policy}")
    return one


def _policies(request: RoomRequest) -> HttpResponse:
    context = {"policies": shown.lines(), "off": not settings.AUTO_RESTART, "section": "settings", "part": "restarting"}
    return page(request, "restart_policies.html", context)


def _saved(request: RoomRequest, one: RestartPolicy | None) -> HttpResponse:
    sent = typed(request.POST)
    fields = PolicyFields(one, data=sent)
    if not fields.is_valid():
        errors = {name: " ".join(map(str, told)) for name, told in fields.errors.items()}
        return _form(request, PolicyForm(one, sent, errors), _UNUSABLE)
    if one is None:
        changes.create(who(request), fields.validated_data)
    else:
        changes.update(who(request), one, fields.validated_data)
    return redirect("restart-policies")


def _form(request: RoomRequest, form: PolicyForm, status: int = 200) -> HttpResponse:
    return page(request, "restart_policy_form.html", {"form": form, "section": "settings", "part": "restarting"}, status=status)
