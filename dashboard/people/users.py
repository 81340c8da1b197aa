"""Making, changing and letting go of users."""

from collections.abc import Iterator
from contextlib import contextmanager

from django.contrib.auth.models import User
from django.contrib.auth.password_validation import validate_password
from django.contrib.auth.tokens import default_token_generator
from django.core.exceptions import ValidationError
from django.db import transaction
from django.db.models import Q, QuerySet
from django.urls import reverse
from django.utils.encoding import force_bytes
from django.utils.http import urlsafe_base64_decode, urlsafe_base64_encode

from dashboard.activity import Who, note
from dashboard.live.messages import RIGHTS_CHANGED
from dashboard.live.publisher import publisher
from dashboard.models import Grant
from dashboard.rights.roles import Role


class Refused(Exception):
    """It cannot be, for the reason that it says. Nothing was changed."""


class Conflict(Refused):
    """It cannot be beside what there is."""


def add(who: Who, name: str) -> User:
    """Somebody who is to choose a password by the link of `invitation`, and who may do nothing yet. Raises Refused."""
    user = _new(name)
    user.set_unusable_password()
    user.save()
    note(who, "add-user", after={"user": user.username})
    return user


def add_first(who: Who, name: str, password: str) -> User:
    """The administrator of a control room that has no user yet. Raises Refused."""
    user = _new(name)
    check_password(user, password)
    user.set_password(password)
    with transaction.atomic():
        if User.objects.exists():
            raise Conflict("There is an administrator already")
        user.save()
        Grant.objects.create(user=user, role=Role.ADMIN)
    note(who, "add-user", after={"user": user.username, "role": Role.ADMIN.name.lower()})
    return user


def check_password(user: User, password: str) -> None:
    """By Django's validators, which the settings name. Raises Refused."""
    try:
        validate_password(password, user)
    except ValidationError as error:
        raise Refused(" ".join(error.messages)) from None


def choose_password(who: Who, user: User, password: str) -> None:
    """Ends all sessions of the user. Raises Refused."""
    check_password(user, password)
    user.set_password(password)
    user.save(update_fields=("password",))
    note(who, "change-password", after={"user": user.username})


def reset_password(who: Who, user: User) -> None:
    """The old one is no longer any good, and all sessions end; `invitation` leads to a new one. Raises Refused."""
    with keeping_an_admin():
        user.set_unusable_password()
        user.save(update_fields=("password",))
    note(who, "reset-password", after={"user": user.username})


def set_active(who: Who, user: User, active: bool) -> None:
    """Whoever is not has no session and no token that works. Raises Refused."""
    if user.is_active == active:
        return
    with keeping_an_admin():
        user.is_active = active
        user.save(update_fields=("is_active",))
    note(who, "activate-user" if active else "deactivate-user", after={"user": user.username})
    publisher().publish(RIGHTS_CHANGED)


def invitation(user: User) -> str:
    """The path of a page where whoever has it chooses this user's password: once, and within PASSWORD_RESET_TIMEOUT."""
    return reverse("welcome", args=(urlsafe_base64_encode(force_bytes(user.pk)), default_token_generator.make_token(user)))


def invited(key: str, token: str) -> User | None:
    """Whose `invitation` this is, while it is good."""
    try:
        user = User.objects.filter(pk=int(urlsafe_base64_decode(key)), is_active=True).first()
    except (ValueError, OverflowError):
        return None
    return user if user and default_token_generator.check_token(user, token) else None


def admins() -> QuerySet[User]:
    """Who can sign in and do everything. An invited one has not shown yet that it can."""
    everything = Q(is_superuser=True) | Q(grants__role__gte=Role.ADMIN, grants__cluster=None, grants__pattern="*")
    return User.objects.filter(everything, is_active=True).exclude(password__startswith="!").distinct()


@contextmanager
def keeping_an_admin() -> Iterator[None]:
    """What is done within is undone if nobody were left who can do everything. Raises Refused."""
    with transaction.atomic():
        # Two administrators that take each other's role at the same moment come one after the other.
        list(User.objects.select_for_update().order_by("pk").values_list("pk"))
        yield
        if not admins().exists():
            raise Conflict("Nobody would be left who may do everything: make somebody else an administrator first")


def _new(name: str) -> User:
    user = User(username=name.strip())
    if User.objects.filter(username=user.username).exists():
        raise Conflict(f"There is a user {user.username} already")
    try:
        user.full_clean(exclude=("password",))
    except ValidationError as error:
        raise Refused(" ".join(error.messages)) from None
    return user
