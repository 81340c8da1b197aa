"""Changing where a connector stands: edit, review, apply. Each step is a form; nothing changes before the last one."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import UTC, datetime

from django.http import Http404, HttpResponse
from django.shortcuts import redirect
from django.views.decorators.http import require_http_methods, require_POST

from connect_client import ConnectError, PartitionOffset
from dashboard import asking, offset_actions, queries
from dashboard.asking import Standing
from dashboard.fleet.connector_page import Tab
from dashboard.fleet.notices import Notice
from dashboard.http import RoomRequest, who
from dashboard.models import ConnectorSnapshot
from dashboard.offsets import changes, entries
from dashboard.offsets.changes import Change
from dashboard.offsets.entries import Form, Unusable
from dashboard.offsets.history import Deed, Outcome
from dashboard.offsets.panel import Review, Typed
from dashboard.offsets.partitions import NOT_TOLD
from dashboard.offsets.table import table
from dashboard.rights import Role
from dashboard.views.connector import address, answer
from dashboard.views.found import found

_UNUSABLE, _MOVED = 422, 409
_AS_IT_IS = "Nothing is different: the offsets are what the form asks for."
_NOT_CHANGED = "Nothing was changed, and what you typed is still here."


@require_http_methods(["GET", "HEAD", "POST"])
def offsets(request: RoomRequest, cluster: str, name: str) -> HttpResponse:
    """One step of the form; which one its button says."""
    if request.method != "POST":
        return redirect(address(found(request, cluster, name), Tab.OFFSETS))
    snapshot = found(request, cluster, name, Role.EDITOR)
    step = _STEPS.get(request.POST.get("step", "")) or (_fill if "fill" in request.POST else None)
    form = entries.form(request.POST)
    if step is None or form is None:
        notice = Notice("This form was not complete.", ("Nothing was changed. Here are the offsets as they are.",), bad=True)
        return _as_it_is(request, snapshot, notice, status=400)
    return step(request, snapshot, form)


@require_POST
def put_back(request: RoomRequest, cluster: str, change: int, name: str) -> HttpResponse:
    """Asks for what was there before a change."""
    snapshot = found(request, cluster, name, Role.EDITOR)
    past = queries.offset_change(snapshot, str(change))
    if past is None:
        raise Http404
    try:
        wanted = changes.changes(asking.standing(snapshot).known, past.former)
    except ConnectError as error:
        return _as_it_is(request, snapshot, _unanswered(error))
    if not wanted:
        return _as_it_is(request, snapshot, Notice("The offsets are as they were before this change already."))
    return _done(request, snapshot, Deed.PUT_BACK, wanted)


# --- steps ------------------------------------------------------------------------------------------------------------


def _fill(request: RoomRequest, snapshot: ConnectorSnapshot, form: Form) -> HttpResponse:
    wish = entries.fill(request.POST["fill"])
    if wish is None:
        return _edit(request, snapshot, form)
    try:
        time = entries.moment(request.POST.get("time", "")) if wish.place == "time" else None
    except Unusable as unusable:
        return _form(request, snapshot, form, typed=_typed(request, time_error=str(unusable)), status=_UNUSABLE)
    filled, errors = entries.filled(form, wish, asking.reach(snapshot, time))
    return _form(request, snapshot, filled, errors, status=_UNUSABLE if errors else 200)


def _edit(request: RoomRequest, snapshot: ConnectorSnapshot, form: Form) -> HttpResponse:
    """Back from a review, with what had been typed."""
    return _form(request, snapshot, entries.overlaid(form, _wanted(request)))


def _review(request: RoomRequest, snapshot: ConnectorSnapshot, form: Form) -> HttpResponse:
    wanted, errors = entries.all_wanted(form)
    if errors:
        count = f"{len(errors)} values cannot" if len(errors) > 1 else "A value cannot"
        notice = Notice(f"{count} be used.", (_NOT_CHANGED,), bad=True)
        return _form(request, snapshot, form, errors, notice=notice, status=_UNUSABLE)
    different = _different(form, wanted)
    if different:
        return _reviewed(request, snapshot, form, Deed.ALTER, different)
    # The return key means the form's first button, wherever it is pressed.
    if request.POST.get("confirm", "").strip():
        return _review_reset(request, snapshot, form)
    return _form(request, snapshot, form, notice=Notice(_AS_IT_IS))


def _different(form: Form, wanted: Sequence[PartitionOffset]) -> list[PartitionOffset]:
    return [change.wanted for change in changes.changes(form.known, wanted)]


def _review_reset(request: RoomRequest, snapshot: ConnectorSnapshot, form: Form) -> HttpResponse:
    if request.POST.get("confirm", "").strip() != snapshot.name:
        error = f"Type {snapshot.name}, exactly, to reset all of its offsets."
        return _form(request, snapshot, form, typed=_typed(request, confirm_error=error), status=_UNUSABLE)
    return _reviewed(request, snapshot, form, Deed.RESET, _different(form, entries.all_wanted(form)[0]))


def _apply(request: RoomRequest, snapshot: ConnectorSnapshot, form: Form) -> HttpResponse:
    """Only what has been reviewed: where the offsets have changed since, it is reviewed again. Kafka Connect knows no condition
    on a change, so that between this look and the change a moment is left."""
    deed = Deed.RESET if request.POST.get("deed") == Deed.RESET else Deed.ALTER
    return _reviewed(request, snapshot, form, deed, _wanted(request), apply=True)


_STEPS: dict[str, Callable[[RoomRequest, ConnectorSnapshot, Form], HttpResponse]] = {
    "edit": _edit,
    "review": _review,
    "reset-all": _review_reset,
    "apply": _apply,
}


# --- answers ----------------------------------------------------------------------------------------------------------


def _reviewed(
    request: RoomRequest,
    snapshot: ConnectorSnapshot,
    form: Form,
    deed: Deed,
    wanted: Sequence[PartitionOffset],
    *,
    apply: bool = False,
) -> HttpResponse:
    """The review as of now; or the change itself, if it is what somebody has reviewed. `wanted` is what was typed: of a reset it
    is not what is asked for, and kept all the same."""
    try:
        now = asking.standing(snapshot)
    except ConnectError as error:
        overlaid = entries.overlaid(form, wanted)
        return _form(request, snapshot, overlaid, notice=_unanswered(error), standing=Standing(form.known, NOT_TOLD))
    review = _review_of(deed, form, wanted, now)
    if not review.changes:
        return _form(request, snapshot, Form.fresh(now.known), notice=Notice(_AS_IT_IS), standing=now)
    if review.moved or not apply:
        return _shown(request, snapshot, review, now, status=_MOVED if review.moved else 200)
    return _done(request, snapshot, deed, review.changes, review)


def _review_of(deed: Deed, form: Form, wanted: Sequence[PartitionOffset], now: Standing) -> Review:
    asked_for = changes.resets(now.known) if deed is Deed.RESET else changes.changes(now.known, wanted, now.reach)
    return Review(deed, now.known, asked_for, changes.moved(form.known, now.known), tuple(wanted))


def _shown(
    request: RoomRequest,
    snapshot: ConnectorSnapshot,
    review: Review,
    now: Standing,
    notice: Notice | None = None,
    status: int = 200,
) -> HttpResponse:
    panel = asking.drawn(snapshot, datetime.now(UTC), table(now.known, now.reach), review=review)
    return answer(request, snapshot, offsets=replace(panel, notice=notice), status=status)


def _done(
    request: RoomRequest,
    snapshot: ConnectorSnapshot,
    deed: Deed,
    wanted: tuple[Change, ...],
    review: Review | None = None,
) -> HttpResponse:
    noted = offset_actions.change_offsets(snapshot, deed, wanted, who(request)).noted
    if noted.outcome == Outcome.REFUSED and review is not None:
        notice = Notice(f"The cluster refused: {noted.message}", ("Nothing was changed.",), bad=True)
        return _shown(request, snapshot, review, Standing(review.known, NOT_TOLD), notice)
    if request.htmx:
        panel = asking.opened(snapshot, datetime.now(UTC), result=queries.past(noted))
        return answer(request, snapshot, offsets=panel)
    return redirect(address(snapshot, Tab.OFFSETS, change=noted.pk))


def _form(
    request: RoomRequest,
    snapshot: ConnectorSnapshot,
    form: Form,
    errors: dict[int, str] | None = None,
    *,
    typed: Typed | None = None,
    notice: Notice | None = None,
    standing: Standing | None = None,
    status: int = 200,
) -> HttpResponse:
    """The form again, as it was sent."""
    reach = standing.reach if standing else asking.reach(snapshot)
    drawn = table(form.known, reach, form.entries, errors)
    panel = asking.drawn(snapshot, datetime.now(UTC), drawn, typed=typed or _typed(request))
    return answer(request, snapshot, offsets=replace(panel, notice=notice), status=status)


def _as_it_is(request: RoomRequest, snapshot: ConnectorSnapshot, notice: Notice, status: int = 200) -> HttpResponse:
    """Asked of the cluster anew."""
    panel = asking.opened(snapshot, datetime.now(UTC))
    return answer(request, snapshot, offsets=replace(panel, notice=notice), status=status)


def _typed(request: RoomRequest, time_error: str = "", confirm_error: str = "") -> Typed:
    return Typed(request.POST.get("time", ""), time_error, request.POST.get("confirm", ""), confirm_error)


def _wanted(request: RoomRequest) -> tuple[PartitionOffset, ...]:
    return entries.unpacked(request.POST.get("changes", "")) or ()


def _unanswered(error: ConnectError) -> Notice:
    return Notice(f"The cluster did not tell where the connector stands: {error}", (_NOT_CHANGED,), bad=True)
