"""People and tokens as the pages show them, and `/api/v1/` tells them."""

from collections import defaultdict
from dataclasses import dataclass
from datetime import datetime

from django.contrib.auth.models import User

from dashboard.models import Grant, Token
from dashboard.rights.roles import Role


@dataclass(frozen=True, slots=True)
class Given:
    """A role somebody has. `id` 0: a superuser's, which is not for this page to take."""

    id: int
    role: str
    cluster: str | None
    connectors: str


@dataclass(frozen=True, slots=True)
class Person:
    """`invited`: has no password yet, or none any more."""

    id: int
    name: str
    active: bool
    invited: bool
    last_sign_in: datetime | None
    grants: tuple[Given, ...]
    tokens: int


def people() -> tuple[Person, ...]:
    """By name, in three queries."""
    return _people(list(User.objects.order_by("username")))


def person(user: User) -> Person:
    return _people([user])[0]


def _people(users: list[User]) -> tuple[Person, ...]:
    given: defaultdict[int, list[Given]] = defaultdict(list)
    for user in users:
        if user.is_superuser:
            given[user.pk].append(Given(0, Role.ADMIN.name.lower(), None, "*"))
    for grant in Grant.objects.filter(user__in=users).select_related("cluster").order_by("-role", "cluster__name", "pattern"):
        given[grant.user_id].append(of_grant(grant))
    tokens: defaultdict[int, int] = defaultdict(int)
    for owner in Token.objects.filter(user__in=users).values_list("user_id", flat=True):
        tokens[owner] += 1
    return tuple(
        Person(
            user.pk,
            user.get_username(),
            user.is_active,
            not user.has_usable_password(),
            user.last_login,
            tuple(given[user.pk]),
            tokens[user.pk],
        )
        for user in users
    )


def of_grant(grant: Grant) -> Given:
    return Given(grant.pk, Role(grant.role).name.lower(), grant.cluster.name if grant.cluster else None, grant.pattern)


@dataclass(frozen=True, slots=True)
class Shown:
    """A token, as far as it can be told again."""

    id: int
    user: str
    name: str
    role: str
    start: str
    made_at: datetime
    expires_at: datetime | None
    used_at: datetime | None
    expired: bool


def tokens(of: User | None, now: datetime) -> tuple[Shown, ...]:
    """Somebody's, or everybody's; the newest first."""
    every = Token.objects.select_related("user").order_by("-made_at", "-pk")
    return tuple(of_token(token, now) for token in (every.filter(user=of) if of else every))


def of_token(token: Token, now: datetime) -> Shown:
    return Shown(
        token.pk,
        token.user.get_username(),
        token.name,
        Role(token.role).name.lower(),
        token.start,
        token.made_at,
        token.expires_at,
        token.used_at,
        token.expires_at is not None and token.expires_at <= now,
    )
