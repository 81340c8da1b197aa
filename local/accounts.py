"""The first start's secrets: the key that signs sessions, and the way in."""

import os
import secrets
from dataclasses import dataclass
from pathlib import Path

from django.contrib.auth import get_user_model

from config.declared.installation import ADMIN_PASSWORD

ADMIN = "admin"


@dataclass(frozen=True)
class FirstRun:
    """Nobody can sign in yet: whoever has the code makes the first administrator, in the browser."""

    code: str


def keep_secret_key(data: Path) -> None:
    """Makes a key once, so that a restart signs nobody out."""
    file = data / "secret-key"
    if not file.exists():
        write_private(file, secrets.token_urlsafe(50))


def prepare(data: Path) -> FirstRun | None:
    """Where there is no user yet: makes `admin` if DROVER_ADMIN_PASSWORD says its password, else the code to make one with."""
    file = data / "setup-code"
    if get_user_model().objects.exists():
        file.unlink(missing_ok=True)
        return None
    if password := ADMIN_PASSWORD():
        get_user_model().objects.create_superuser(username=ADMIN, password=password)
        return None
    if not file.exists():
        write_private(file, secrets.token_urlsafe(18))
    return FirstRun(file.read_text().strip())


def write_private(file: Path, text: str) -> None:
    """Readable by its owner only, from its first byte on, and never half written."""
    draft = file.with_suffix(".new")
    draft.unlink(missing_ok=True)
    descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "w") as stream:
        stream.write(text)
    draft.rename(file)
