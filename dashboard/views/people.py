"""Settings → People: who may sign in, and do what. For administrators."""

from django.contrib.auth.models import User
from django.http import Http404, HttpResponse
from django.shortcuts import redirect
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from dashboard.fleet.notices import Notice
from dashboard.http import RoomRequest, who
from dashboard.models import Cluster, Grant
from dashboard.people import grants, shown, users
from dashboard.people.users import Refused
from dashboard.rights import Role
from dashboard.views.answers import page
from dashboard.views.found import need_everywhere

_UNUSABLE = 422
_EXAMPLES = 8


@require_http_methods(["GET", "HEAD", "POST"])
def people(request: RoomRequest) -> HttpResponse:
    """Everybody; a POST adds somebody."""
    need_everywhere(request, Role.ADMIN)
    if request.method != "POST":
        return _people(request)
    try:
        added = users.add(who(request), request.POST.get("username", ""))
    except Refused as refused:
        return _people(request, wrong=str(refused), typed=request.POST.get("username", ""), status=_UNUSABLE)
    return _person(request, added, link=_link(request, added))


@require_safe
def person(request: RoomRequest, user: int) -> HttpResponse:
    return _person(request, _found(request, user))


@require_POST
def person_do(request: RoomRequest, user: int, deed: str) -> HttpResponse:
    one = _found(request, user)
    deeds = {"deactivate": False, "activate": True}
    if deed not in (*deeds, "reset-password", "invite"):
        raise Http404
    try:
        if deed in deeds:
            users.set_active(who(request), one, deeds[deed])
        elif deed == "reset-password":
            users.reset_password(who(request), one)
    except Refused as refused:
        one.refresh_from_db()
        return _person(request, one, _not_done(refused), status=_UNUSABLE)
    return _person(request, one, link="" if deed in deeds else _link(request, one))


@require_POST
def give(request: RoomRequest, user: int) -> HttpResponse:
    one = _found(request, user)
    role, cluster, pattern = (request.POST.get(name, "") for name in ("role", "cluster", "pattern"))
    where = Cluster.objects.filter(name=cluster).first() if cluster else None
    if role not in Role.__members__ or (cluster and where is None):
        raise Http404
    try:
        grants.give(who(request), one, Role[role], where, pattern)
    except Refused as refused:
        return _person(request, one, _not_done(refused), status=_UNUSABLE)
    return _changed(request, one)


@require_POST
def take(request: RoomRequest, grant: int) -> HttpResponse:
    need_everywhere(request, Role.ADMIN)
    one = Grant.objects.select_related("user", "cluster").filter(pk=grant).first()
    if one is None:
        raise Http404
    try:
        grants.take(who(request), one)
    except Refused as refused:
        return _person(request, one.user, _not_done(refused), status=_UNUSABLE)
    return _changed(request, one.user)


@require_safe
def matches(request: RoomRequest) -> HttpResponse:
    """What a grant that is being typed would cover."""
    need_everywhere(request, Role.ADMIN)
    found = grants.matches(request.GET.get("cluster") or None, request.GET.get("pattern", ""))
    return page(request, "matches.html", {"count": len(found), "examples": found[:_EXAMPLES], "more": len(found) - _EXAMPLES})


def _found(request: RoomRequest, user: int) -> User:
    """Raises PermissionDenied, Http404."""
    need_everywhere(request, Role.ADMIN)
    one = User.objects.filter(pk=user).first()
    if one is None:
        raise Http404
    return one


def _link(request: RoomRequest, user: User) -> str:
    return request.build_absolute_uri(users.invitation(user))


def _not_done(refused: Refused) -> Notice:
    return Notice(f"{refused}.", ("Nothing was changed.",), bad=True)


def _changed(request: RoomRequest, user: User) -> HttpResponse:
    return _person(request, user) if request.htmx else redirect("person", user.pk)


def _people(request: RoomRequest, *, wrong: str = "", typed: str = "", status: int = 200) -> HttpResponse:
    context = {"section": "settings", "part": "people", "people": shown.people(), "wrong": wrong, "typed": typed}
    return page(request, "people.html", context, status=status)


def _person(request: RoomRequest, user: User, notice: Notice | None = None, *, link: str = "", status: int = 200) -> HttpResponse:
    context = {
        "section": "settings",
        "part": "people",
        "person": shown.person(user),
        "link": link,
        "roles": tuple(Role),
        "clusters": Cluster.objects.values_list("name", flat=True),
        "myself": user.pk == request.user.pk,
    }
    return page(request, "person.html", context, notice, status)
