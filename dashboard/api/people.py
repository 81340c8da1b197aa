"""`/api/v1/users` and `/api/v1/grants`: who may sign in, and do what. For administrators."""

from typing import Any

from django.contrib.auth.models import User
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.exceptions import NotFound
from rest_framework.request import Request
from rest_framework.response import Response

from dashboard.api.base import RoomView
from dashboard.models import Cluster, Grant
from dashboard.people import grants, shown, users
from dashboard.rights.roles import Role

ROLES = tuple(role.name.lower() for role in Role)


class GrantIn(serializers.Serializer[None]):
    user = serializers.CharField(help_text="The name that somebody signs in with.")
    role = serializers.ChoiceField(ROLES)
    cluster = serializers.CharField(allow_null=True, default=None, help_text="null: every one.")
    connectors = serializers.CharField(max_length=300, default="*", help_text="A name, or a pattern with `*` and `?`.")


class GrantOut(serializers.Serializer[None]):
    id = serializers.IntegerField()
    user = serializers.CharField()
    role = serializers.ChoiceField(ROLES)
    cluster = serializers.CharField(allow_null=True)
    connectors = serializers.CharField()


class UserIn(serializers.Serializer[None]):
    name = serializers.CharField(max_length=150)


class UserChange(serializers.Serializer[None]):
    active = serializers.BooleanField()


class UserOut(serializers.Serializer[None]):
    name = serializers.CharField()
    active = serializers.BooleanField()
    invited = serializers.BooleanField(help_text="Has not chosen a password yet, or had it reset.")
    last_sign_in = serializers.DateTimeField(allow_null=True)
    grants = GrantOut(many=True)
    tokens = serializers.IntegerField()


class Invitation(UserOut):
    link = serializers.CharField(help_text="The path of a page where the password is chosen: once, within three days.")


class Matches(serializers.Serializer[None]):
    count = serializers.IntegerField()
    connectors = serializers.ListField(child=serializers.CharField(), help_text="`cluster/name`, the first hundred.")


class UsersView(RoomView):
    @extend_schema(responses=UserOut(many=True))
    def get(self, request: Request) -> Response:
        """Everybody, by name."""
        self.need_everywhere(Role.ADMIN)
        return Response([_user(person) for person in shown.people()])

    @extend_schema(request=UserIn, responses={201: Invitation})
    def post(self, request: Request) -> Response:
        """Adds somebody, who may do nothing yet, and who chooses a password by the link in the answer."""
        self.need_everywhere(Role.ADMIN)
        added = users.add(self.who, _valid(UserIn, request)["name"])
        return Response({**_user(shown.person(added)), "link": users.invitation(added)}, status=201)


class UserView(RoomView):
    @extend_schema(responses=UserOut)
    def get(self, request: Request, name: str) -> Response:
        """One user."""
        return Response(_user(shown.person(self._found(name))))

    @extend_schema(request=UserChange, responses=UserOut)
    def patch(self, request: Request, name: str) -> Response:
        """Deactivates a user, whose sessions and tokens then no longer work, or activates one again. 409 for the last
        administrator."""
        user = self._found(name)
        users.set_active(self.who, user, _valid(UserChange, request)["active"])
        return Response(_user(shown.person(user)))

    def _found(self, name: str) -> User:
        self.need_everywhere(Role.ADMIN)
        return _find(name)


class ResetView(RoomView):
    @extend_schema(request=None, responses=Invitation)
    def post(self, request: Request, name: str) -> Response:
        """The password no longer works, all sessions end, and the link in the answer leads to a new one. 409 for the last
        administrator."""
        self.need_everywhere(Role.ADMIN)
        user = _find(name)
        users.reset_password(self.who, user)
        return Response({**_user(shown.person(user)), "link": users.invitation(user)})


class GrantsView(RoomView):
    @extend_schema(responses=GrantOut(many=True))
    def get(self, request: Request) -> Response:
        """Every role that somebody has."""
        self.need_everywhere(Role.ADMIN)
        every = Grant.objects.select_related("user", "cluster").order_by("user__username", "-role", "pk")
        return Response([_grant(grant) for grant in every])

    @extend_schema(request=GrantIn, responses={201: GrantOut})
    def post(self, request: Request) -> Response:
        """Gives a role."""
        self.need_everywhere(Role.ADMIN)
        asked = _valid(GrantIn, request)
        where = asked["cluster"]
        cluster = Cluster.objects.filter(name=where).first() if where is not None else None
        if where is not None and cluster is None:
            raise NotFound(f"There is no cluster {where}")
        role = Role[asked["role"].upper()]
        return Response(_grant(grants.give(self.who, _find(asked["user"]), role, cluster, asked["connectors"])), status=201)


class GrantView(RoomView):
    @extend_schema(responses={204: None})
    def delete(self, request: Request, grant: int) -> Response:
        """Takes a role away. 409 for the last administrator's."""
        self.need_everywhere(Role.ADMIN)
        found = Grant.objects.select_related("user", "cluster").filter(pk=grant).first()
        if found is None:
            raise NotFound(f"There is no grant {grant}")
        grants.take(self.who, found)
        return Response(status=204)


class MatchesView(RoomView):
    @extend_schema(
        parameters=[OpenApiParameter("cluster", str), OpenApiParameter("connectors", str, required=True)], responses=Matches
    )
    def get(self, request: Request) -> Response:
        """The connectors that a grant would cover now."""
        self.need_everywhere(Role.ADMIN)
        found = grants.matches(request.query_params.get("cluster") or None, request.query_params.get("connectors", ""))
        return Response({"count": len(found), "connectors": found[:100]})


def _valid(kind: type[serializers.Serializer[None]], request: Request) -> dict[str, Any]:
    given = kind(data=request.data)
    given.is_valid(raise_exception=True)
    found: dict[str, Any] = given.validated_data
    return found


def _find(name: str) -> User:
    user = User.objects.filter(username=name).first()
    if user is None:
        raise NotFound(f"There is no user {name}")
    return user


def _grant(grant: Grant) -> dict[str, object]:
    return {"id": grant.pk, **grants.told(grant)}


def _user(person: shown.Person) -> dict[str, object]:
    given = [
        {"id": one.id, "user": person.name, "role": one.role, "cluster": one.cluster, "connectors": one.connectors}
        for one in person.grants
    ]
    return {
        "name": person.name,
        "active": person.active,
        "invited": person.invited,
        "last_sign_in": person.last_sign_in,
        "grants": given,
        "tokens": person.tokens,
    }
