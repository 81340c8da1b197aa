"""Signing in: what is noted of it, and who has to wait."""

from datetime import UTC, datetime, timedelta

from django.contrib.auth.models import User
from django.contrib.sessions.models import Session
from django.utils.crypto import salted_hmac

from dashboard.activity import Who, note
from dashboard.models import FailedSignIn
from dashboard.people.throttle import SPRAYING, SURROUNDED, TRYING, WINDOW, pause

#: For names that no user has: what was typed may have been a password.
UNKNOWN = "(unknown)"


def waiting(name: str, address: str, now: datetime) -> timedelta:
    """How long no password is even looked at."""
    account = _digest(name)
    failures = list(FailedSignIn.objects.filter(at__gt=now - WINDOW).values_list("account", "address", "at"))
    of_account = [(where, at) for who, where, at in failures if who == account]
    return max(
        pause(TRYING, [at for where, at in of_account if where == address], now),
        pause(SURROUNDED, [at for _, at in of_account], now),
        pause(SPRAYING, [at for _, where, at in failures if where == address], now),
    )


def failed(name: str, address: str, verb: str = "sign-in") -> None:
    now = datetime.now(UTC)
    FailedSignIn.objects.filter(at__lte=now - WINDOW).delete()
    FailedSignIn.objects.create(account=_digest(name), address=address, at=now)
    known = User.objects.filter(username=name).exists()
    note(Who(name if known else UNKNOWN), verb, after={"address": address}, refused="Wrong name or password")


def succeeded(user: User, address: str) -> None:
    now = datetime.now(UTC)
    FailedSignIn.objects.filter(account=_digest(user.get_username()), address=address).delete()
    Session.objects.filter(expire_date__lt=now).delete()
    note(Who(user.get_username()), "sign-in", after={"address": address})


def _digest(name: str) -> str:
    return salted_hmac("drover.sign-in", name.casefold()).hexdigest()
