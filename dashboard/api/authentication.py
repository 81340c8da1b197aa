"""Who calls: the owner of a token, or whoever is signed in in the browser."""

import hashlib
import secrets
from datetime import UTC, datetime, timedelta

from django.contrib.auth.models import User
from rest_framework.authentication import BaseAuthentication
from rest_framework.exceptions import AuthenticationFailed
from rest_framework.request import Request

from dashboard import rights
from dashboard.models import Token
from dashboard.rights.roles import Role

_PREFIX = "drover_"
# When it was last used is for people, who need it to the minute at most.
_NOTE_EVERY = timedelta(minutes=1)


class TokenAuthentication(BaseAuthentication):
    """`Authorization: Bearer drover_…`"""

    def authenticate(self, request: Request) -> tuple[User, Token] | None:
        kind, _, text = request.headers.get("Authorization", "").partition(" ")
        if kind.lower() != "bearer":
            return None
        token = Token.objects.select_related("user").filter(digest=digest(text.strip())).first()
        now = datetime.now(UTC)
        if token is None or not token.user.is_active:
            raise AuthenticationFailed("This token is not known")
        if token.expires_at is not None and token.expires_at <= now:
            raise AuthenticationFailed("This token has expired")
        if token.used_at is None or now - token.used_at > _NOTE_EVERY:
            Token.objects.filter(pk=token.pk).update(used_at=now)
        owner: User = token.user
        request._request._rights = rights.of_user(owner).limited(Role(token.role))  # type: ignore[attr-defined]
        return owner, token

    def authenticate_header(self, request: Request) -> str:
        return 'Bearer realm="Drover"'


def made(user: User, name: str, role: Role, expires_at: datetime | None, now: datetime) -> tuple[Token, str]:
    """A new token, and its text: it is shown once and kept nowhere."""
    text = _PREFIX + secrets.token_urlsafe(30)
    start = text[: len(_PREFIX) + 4]
    token = Token(user=user, name=name, role=role, start=start, digest=digest(text), made_at=now, expires_at=expires_at)
    token.save()
    return token, text


def digest(text: str) -> str:
    """A token is long and random: no salt and no slow hash would add to that."""
    return hashlib.sha256(text.encode()).hexdigest()
