"""The first start's secrets: the key that signs sessions, and the user `admin`."""

import os
import secrets
from dataclasses import dataclass
from pathlib import Path

from django.contrib.auth import get_user_model

ADMIN = "admin"


@dataclass(frozen=True)
class SignIn:
    """How to sign in; no password where the one made at the first start is no longer in use."""

    username: str
    password: str | None
    file: Path


def keep_secret_key(data: Path) -> None:
    """Makes a key once, so that a restart signs nobody out."""
    file = data / "secret-key"
    if not file.exists():
        write_private(file, secrets.token_urlsafe(50))


def ensure_admin(data: Path) -> SignIn | None:
    """Makes the user `admin` if there is no user at all; None if the users are somebody else's affair."""
    file = data / "admin-password"
    users = get_user_model().objects
    if not users.exists():
        password = secrets.token_urlsafe(12)
        # The file first: a user whose password nobody knows could never be helped.
        write_private(file, password)
        users.create_superuser(username=ADMIN, password=password)
        return SignIn(ADMIN, password, file)
    if not file.exists():
        return None
    password = file.read_text().strip()
    admin = users.filter(username=ADMIN).first()
    return SignIn(ADMIN, password if admin and admin.check_password(password) else None, file)


def write_private(file: Path, text: str) -> None:
    """Readable by its owner only, from its first byte on, and never half written."""
    draft = file.with_suffix(".new")
    draft.unlink(missing_ok=True)
    descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "w") as stream:
        stream.write(text)
    draft.rename(file)
