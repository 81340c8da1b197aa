"""The first administrator is made by whoever has the code that `manage.py up` keeps in the data folder and shows.

A request from this machine alone proves nothing: behind a proxy all of them are.
"""

import hmac
from contextlib import suppress
from pathlib import Path

from django.conf import settings
from django.contrib.auth.models import User


def needed() -> bool:
    return not User.objects.exists()


def file() -> Path:
    return Path(settings.DATA_DIR) / "setup-code"


def fits(code: str) -> bool:
    """False as well while there is no code."""
    kept = ""
    with suppress(OSError):
        kept = file().read_text().strip()
    return bool(kept) and hmac.compare_digest(kept.encode(), code.strip().encode())


def over() -> None:
    file().unlink(missing_ok=True)
