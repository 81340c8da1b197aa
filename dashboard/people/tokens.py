"""Tokens for automation."""

from datetime import UTC, datetime, timedelta

from django.contrib.auth.models import User

from dashboard.activity import Who, note
from dashboard.api.authentication import made
from dashboard.models import Token
from dashboard.people.users import Conflict, Refused
from dashboard.rights.roles import Role

#: What the page offers, in days; None: until it is revoked.
LIFETIMES = (7, 30, 90, 365, None)


def make(who: Who, user: User, name: str, role: Role, days: int | None) -> tuple[Token, str]:
    """The token, and its text, which nobody can be told again. Raises Refused."""
    name = name.strip()
    if not name:
        raise Refused("Give it a name, by which you will know it later")
    if Token.objects.filter(user=user, name=name).exists():
        raise Conflict(f"You have a token named {name} already")
    now = datetime.now(UTC)
    token, text = made(user, name, role, now + timedelta(days=days) if days else None, now)
    note(who, "make-token", after=told(token))
    return token, text


def revoke(who: Who, token: Token) -> None:
    before = told(token)
    token.delete()
    note(who, "revoke-token", before=before)


def told(token: Token) -> dict[str, object]:
    return {
        "user": token.user.get_username(),
        "name": token.name,
        "role": Role(token.role).name.lower(),
        "expires": token.expires_at.isoformat() if token.expires_at else None,
    }
