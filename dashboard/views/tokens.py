"""Settings → Tokens: one's own; administrators see everybody's."""

from datetime import UTC, datetime

from django.http import Http404, HttpResponse
from django.shortcuts import redirect
from django.views.decorators.http import require_http_methods, require_POST

from dashboard import rights
from dashboard.http import RoomRequest, who
from dashboard.models import Token
from dashboard.people import shown, tokens
from dashboard.people.users import Refused
from dashboard.rights import Role
from dashboard.views.answers import page

_UNUSABLE = 422


@require_http_methods(["GET", "HEAD", "POST"])
def own(request: RoomRequest) -> HttpResponse:
    """The list; a POST makes one, whose text is in the answer and nowhere else."""
    if request.method != "POST":
        return _page(request)
    name, role, days = (request.POST.get(key, "") for key in ("name", "role", "days"))
    if role not in Role.__members__ or days not in {str(one or "") for one in tokens.LIFETIMES}:
        raise Http404
    try:
        _, text = tokens.make(who(request), request.user, name, Role[role], int(days) if days else None)
    except Refused as refused:
        return _page(request, wrong=f"{refused}.", typed=name, status=_UNUSABLE)
    return _page(request, text=text)


@require_POST
def revoke(request: RoomRequest, token: int) -> HttpResponse:
    one = Token.objects.select_related("user").filter(pk=token).first()
    if one is None or not (one.user_id == request.user.pk or rights.of(request).everywhere(Role.ADMIN)):
        raise Http404
    tokens.revoke(who(request), one)
    return _page(request) if request.htmx else redirect("tokens")


def _page(request: RoomRequest, *, text: str = "", wrong: str = "", typed: str = "", status: int = 200) -> HttpResponse:
    now = datetime.now(UTC)
    every = rights.of(request).everywhere(Role.ADMIN)
    context = {
        "section": "settings",
        "part": "tokens",
        "tokens": shown.tokens(None if every else request.user, now),
        "every": every,
        "text": text,
        "wrong": wrong,
        "typed": typed,
        "roles": tuple(Role),
        "lifetimes": tokens.LIFETIMES,
        "now": now,
    }
    return page(request, "tokens.html", context, status=status)
