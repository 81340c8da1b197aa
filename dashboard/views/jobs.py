"""Jobs: what one would do, beginning it, watching it, ending it; and the selection on the fleet page that they are about."""

import uuid
from datetime import UTC, datetime
from typing import Any

from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpResponse
from django.shortcuts import redirect
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from dashboard import fleet_queries, rights
from dashboard.fleet.notices import Notice
from dashboard.fleet.query import parse
from dashboard.http import RoomRequest, who
from dashboard.jobs import begin as jobs_begin
from dashboard.jobs import export as exports
from dashboard.jobs import lookup, targets
from dashboard.jobs.page import Show
from dashboard.jobs.preview import Candidate, Preview, preview
from dashboard.jobs.selection import bar
from dashboard.jobs.verbs import JobVerb, Options
from dashboard.rights.roles import Role
from dashboard.views.answers import page
from dashboard.views.found import need, need_anywhere

_CHANGED = "Nothing was begun: there is nothing to do any more."
_MOST_DIGITS = 18


@require_http_methods(["GET", "HEAD", "POST"])
def jobs(request: RoomRequest) -> HttpResponse:
    if request.method == "POST":
        return _begin(request)
    found = lookup.jobs(rights.of(request), _page(request))
    return _page_of(request, "jobs.html", {"jobs": found})


@require_safe
def job(request: RoomRequest, job: int) -> HttpResponse:
    return _job(request, job)


@require_POST
def cancel(request: RoomRequest, job: int) -> HttpResponse:
    found = lookup.job(job, rights.of(request), who(request))
    if found is None:
        raise Http404
    if found.cannot_cancel:
        raise PermissionDenied(found.cannot_cancel)
    jobs_begin.cancel(found.view.job, who(request))
    return _job(request, job) if request.htmx else redirect("job", job)


@require_POST
def preview_of(request: RoomRequest, verb: str) -> HttpResponse:
    """What the job would do to the selection or, without one, to all that the filter in the address finds."""
    if verb not in list(JobVerb):
        raise Http404
    # The `ids` of a preview that is to be another one are of what that was about, not of what it was taken from.
    selected = "of" in request.POST or "id" in request.POST
    of = request.POST.get("of") or ",".join(request.POST.getlist("id"))
    return _preview(request, _previewed(request, JobVerb(verb), _of(request) if selected else None), of)


@require_POST
def export_of(request: RoomRequest) -> HttpResponse:
    """In which form, and with what in it."""
    those = _candidates(request, _of(request))
    whole = any(rights.of(request).may(Role.ADMIN, one.cluster, one.name) for one in those)
    ids = ",".join(str(one.id) for one in those)
    return _page_of(request, "job_export.html", {"those": those, "ids": ids, "whole": whole})


@require_POST
def export(request: RoomRequest) -> HttpResponse:
    secrets = request.POST.get("secrets") == "true"
    those = exports.exported(_candidates(request, _ids(request, "ids")), rights.of(request), who(request), secrets=secrets)
    if request.POST.get("format") == exports.Format.PROPERTIES:
        return _download(exports.as_properties(those), "application/zip", "connectors.zip")
    return _download(exports.as_json(those), "application/json", "connectors.json")


@require_POST
def selection(request: RoomRequest) -> HttpResponse:
    """What can be done to the selection, in numbers; with `all`, to everything that the filter finds."""
    now = datetime.now(UTC)
    allowed = rights.of(request)
    found = fleet_queries.matching(parse(request.GET), allowed, now)
    chosen = found if request.POST.get("all") else _ids(request, "of")
    candidates = targets.by_ids(chosen, allowed, now)
    return page(request, "selection_bar.html", {"bar": bar(candidates, found, allowed)})


def _begin(request: RoomRequest) -> HttpResponse:
    need_anywhere(request, Role.OPERATOR)
    verb = request.POST.get("verb", "")
    if verb not in list(JobVerb):
        raise Http404
    agreed = _previewed(request, JobVerb(verb), _ids(request, "ids"))
    of = request.POST.get("of") or request.POST.get("ids", "")
    need(bool(agreed.lines) or not agreed.forbidden, JobVerb(verb).role)
    if agreed.typed and request.POST.get("typed", "").strip() != agreed.typed:
        return _preview(request, agreed, of, Notice(f"Nothing was begun: type “{agreed.typed}” first.", bad=True), status=400)
    try:
        begun = jobs_begin.begin(agreed, who(request), request.POST.get("key") or None)
    except jobs_begin.NothingToDo:
        return _preview(request, agreed, of, Notice(_CHANGED, bad=True), status=409)
    return _job(request, begun.pk) if request.htmx else redirect("job", begun.pk)


def _previewed(request: RoomRequest, verb: JobVerb, ids: list[int] | None) -> Preview:
    """None: of all that the filter in the address finds."""
    options = _options(request)
    if ids is None:
        candidates = targets.by_filter(parse(request.GET), verb, options, rights.of(request), datetime.now(UTC))
    else:
        candidates = _candidates(request, ids)
    return preview(verb, options, candidates, rights.of(request))


def _candidates(request: RoomRequest, ids: list[int]) -> list[Candidate]:
    return targets.by_ids(ids, rights.of(request), datetime.now(UTC))


def _options(request: RoomRequest) -> Options:
    """As the preview's form has them: `scope` is `both`, `tasks` or `connectors`."""
    scope = request.POST.get("scope", "both")
    failed = request.POST.get("only_failed", "true") != "false"
    return Options(only_failed=failed, include_tasks=scope != "connectors", include_connector=scope != "tasks")


def _of(request: RoomRequest) -> list[int]:
    """The selection: `of` of the page's script, or each box that is ticked."""
    return _ids(request, "of") or [int(id) for id in request.POST.getlist("id") if _number(id)]


def _ids(request: RoomRequest, field: str) -> list[int]:
    return list(dict.fromkeys(int(id) for id in request.POST.get(field, "").split(",") if _number(id)))


def _number(text: str) -> bool:
    return text.isascii() and text.isdigit() and len(text) <= _MOST_DIGITS


def _preview(request: RoomRequest, found: Preview, of: str, notice: Notice | None = None, status: int = 200) -> HttpResponse:
    """`of`: what it is taken from, if that is not all that the filter in the address finds."""
    context = {
        "preview": found,
        "of": of,
        "query": parse(request.GET),
        "scope": request.POST.get("scope", "both"),
        "key": uuid.uuid4().hex,
    }
    return _page_of(request, "job_preview.html", context, notice, status)


def _job(request: RoomRequest, pk: int, notice: Notice | None = None, status: int = 200) -> HttpResponse:
    show = Show.FAILED if request.GET.get("show") == Show.FAILED else Show.ALL
    found = lookup.job(pk, rights.of(request), who(request), show, _page(request))
    if found is None:
        return _page_of(request, "no_job.html", {"job": pk}, status=404)
    return _page_of(request, "job.html", {"job": found}, notice, status)


def _page_of(
    request: RoomRequest, template: str, context: dict[str, Any], notice: Notice | None = None, status: int = 200
) -> HttpResponse:
    """Where the drawer asks, for the drawer."""
    drawer = bool(request.htmx) and (request.htmx.target or "").endswith("drawer")
    context = {**context, "now": datetime.now(UTC), "section": "jobs", "drawer": drawer}
    return page(request, template, context, notice, status)


def _page(request: RoomRequest) -> int:
    text = request.GET.get("page", "")
    return max(1, int(text)) if _number(text) else 1


def _download(content: bytes, type: str, name: str) -> HttpResponse:
    return HttpResponse(content, content_type=type, headers={"Content-Disposition": f'attachment; filename="{name}"'})
