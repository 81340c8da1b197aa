"""Settings → Alerts: who is told of what. For administrators."""

from datetime import UTC, datetime

from django.http import Http404, HttpResponse
from django.shortcuts import redirect
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from dashboard.alerts import rules, shown
from dashboard.alerts.fields import RuleFields
from dashboard.alerts.form import NEW, RuleForm, kept, typed
from dashboard.fleet.notices import Notice
from dashboard.http import RoomRequest, who
from dashboard.models import AlertRule
from dashboard.rights import Role
from dashboard.views.answers import page
from dashboard.views.found import need_everywhere

_UNUSABLE = 422


@require_safe
def alerts(request: RoomRequest) -> HttpResponse:
    need_everywhere(request, Role.ADMIN)
    return _alerts(request)


@require_http_methods(["GET", "HEAD", "POST"])
def new(request: RoomRequest) -> HttpResponse:
    need_everywhere(request, Role.ADMIN)
    return _saved(request, None) if request.method == "POST" else _form(request, RuleForm(None, NEW))


@require_http_methods(["GET", "HEAD", "POST"])
def rule(request: RoomRequest, rule: int) -> HttpResponse:
    one = _found(request, rule)
    return _saved(request, one) if request.method == "POST" else _form(request, RuleForm(one, kept(one)))


@require_POST
def rule_do(request: RoomRequest, rule: int, deed: str) -> HttpResponse:
    one = _found(request, rule)
    match deed:
        case "test":
            answer = rules.test(who(request), one)
            taken = Notice(f"“{one.name}” was taken.", (answer.text,))
            return _alerts(request, taken if answer.taken else Notice(f"“{one.name}” was not taken.", (answer.text,), bad=True))
        case "on" | "off":
            rules.switch(who(request), one, enabled=deed == "on")
        case "delete":
            if request.POST.get("confirm", "").strip() != one.name:
                wrong = {"confirm": f"Type {one.name}, exactly, to delete it."}
                return _form(request, RuleForm(one, kept(one), wrong), _UNUSABLE)
            rules.delete(who(request), one)
        case _:
            raise Http404
    return _alerts(request) if request.htmx else redirect("alerts")


def _found(request: RoomRequest, rule: int) -> AlertRule:
    """Raises PermissionDenied, Http404."""
    need_everywhere(request, Role.ADMIN)
    one = AlertRule.objects.select_related("cluster").filter(pk=rule).first()
    if one is None:
        raise Http404(f"There is no alert rule {rule}")
    return one


def _alerts(request: RoomRequest, notice: Notice | None = None) -> HttpResponse:
    context = {"alerts": shown.page(), "now": datetime.now(UTC), "section": "settings", "part": "alerts"}
    return page(request, "alerts.html", context, notice)


def _saved(request: RoomRequest, one: AlertRule | None) -> HttpResponse:
    sent = typed(request.POST)
    fields = RuleFields(one, data=sent)
    if not fields.is_valid():
        errors = {name: " ".join(map(str, told)) for name, told in fields.errors.items()}
        return _form(request, RuleForm(one, sent, errors), _UNUSABLE)
    if one is None:
        rules.create(who(request), fields.validated_data)
    else:
        rules.update(who(request), one, fields.validated_data)
    return redirect("alerts")


def _form(request: RoomRequest, form: RuleForm, status: int = 200) -> HttpResponse:
    return page(request, "alert_form.html", {"form": form, "section": "settings", "part": "alerts"}, status=status)
