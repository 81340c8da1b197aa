"""What is kept in the database but not to be read from a copy of it: sealed with a key that comes from SECRET_KEY."""

import base64
import hashlib
from functools import cache

from cryptography.fernet import Fernet, InvalidToken
from django.conf import settings


class CannotUnseal(Exception):
    """It was sealed with another SECRET_KEY, or tampered with."""


def seal(text: str) -> str:
    """Nothing for nothing."""
    return _fernet(settings.SECRET_KEY).encrypt(text.encode()).decode() if text else ""


def unseal(sealed: str) -> str:
    """Raises CannotUnseal."""
    if not sealed:
        return ""
    try:
        return _fernet(settings.SECRET_KEY).decrypt(sealed.encode()).decode()
    except InvalidToken:
        raise CannotUnseal("A secret was sealed with another DROVER_SECRET_KEY: it has to be given anew.") from None


@cache
def _fernet(secret_key: str) -> Fernet:
    return Fernet(
        base64.urlsafe_b64encode(hashlib.scrypt(secret_key.encode(), salt=b"drover.sealed", n=2**14, r=8, p=1, dklen=32))
    )
