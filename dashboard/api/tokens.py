"""`/api/v1/tokens`: one's own; administrators see everybody's."""

from datetime import UTC, datetime
from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.exceptions import NotFound, PermissionDenied
from rest_framework.request import Request
from rest_framework.response import Response

from dashboard.api.base import RoomView
from dashboard.api.people import ROLES
from dashboard.models import Token
from dashboard.people import shown, tokens
from dashboard.rights.roles import Role


class TokenIn(serializers.Serializer[None]):
    name = serializers.CharField(max_length=100, help_text="What it is for.")
    role = serializers.ChoiceField(ROLES, help_text="The most that it may do; not more than its owner.")
    days = serializers.IntegerField(
        min_value=1, max_value=3650, allow_null=True, default=None, help_text="null: it does not expire."
    )


class TokenOut(serializers.Serializer[Any]):
    id = serializers.IntegerField()
    user = serializers.CharField()
    name = serializers.CharField()
    role = serializers.ChoiceField(ROLES)
    start = serializers.CharField(help_text="How its text begins.")
    made_at = serializers.DateTimeField()
    expires_at = serializers.DateTimeField(allow_null=True)
    used_at = serializers.DateTimeField(allow_null=True)
    expired = serializers.BooleanField()


class TokenMade(TokenOut):
    token = serializers.CharField(help_text="Its text. It is told here and never again.")


class TokensView(RoomView):
    @extend_schema(responses=TokenOut(many=True))
    def get(self, request: Request) -> Response:
        """One's own tokens, or everybody's for an administrator, the newest first."""
        of = None if self.rights.everywhere(Role.ADMIN) else self.user
        return Response(TokenOut(shown.tokens(of, datetime.now(UTC)), many=True).data)

    @extend_schema(request=TokenIn, responses={201: TokenMade})
    def post(self, request: Request) -> Response:
        """Makes a token of one's own. A token can make none that may do more than itself."""
        given = TokenIn(data=request.data)
        given.is_valid(raise_exception=True)
        asked = given.validated_data
        role = Role[asked["role"].upper()]
        if role > self.rights.limit:
            raise PermissionDenied(f"This token is limited to the role {self.rights.limit.name.lower()}")
        token, text = tokens.make(self.who, self.user, asked["name"], role, asked["days"])
        return Response({**TokenOut(shown.of_token(token, datetime.now(UTC))).data, "token": text}, status=201)


class TokenView(RoomView):
    @extend_schema(responses={204: None})
    def delete(self, request: Request, token: int) -> Response:
        """Revokes a token."""
        one = Token.objects.select_related("user").filter(pk=token).first()
        if one is None or not (one.user_id == self.user.pk or self.rights.everywhere(Role.ADMIN)):
            raise NotFound(f"There is no token {token}")
        tokens.revoke(self.who, one)
        return Response(status=204)
