"""Strict readers of the environment: a value that cannot be meant stops the start, by name."""

import os
import re
from collections.abc import Iterable
from pathlib import Path

from django.core.exceptions import ImproperlyConfigured

_TRUE = {"1", "true", "yes", "on"}
_FALSE = {"0", "false", "no", "off"}


def name_of(key: str) -> str:
    """The form of a key in a variable's name: `allowed.paths` → `ALLOWED_PATHS`."""
    return re.sub(r"[^A-Za-z0-9]", "_", key).upper()


def text(name: str, default: str) -> str:
    """The variable's value; empty counts as unset. `NAME_FILE` names a file that holds it instead, for secrets."""
    file = os.environ.get(f"{name}_FILE")
    if file:
        try:
            return Path(file).read_text().strip()
        except OSError as error:
            raise ImproperlyConfigured(f"{name}_FILE names {file}, which cannot be read: {error.strerror}") from error
    return os.environ.get(name) or default


def words(name: str, default: Iterable[str] = ()) -> list[str]:
    """A list, given with commas."""
    return [word for item in text(name, ",".join(default)).split(",") if (word := item.strip())]


def integer(name: str, default: int, *, minimum: int = 0, maximum: int | None = None) -> int:
    raw = text(name, str(default))
    try:
        value = int(raw)
    except ValueError as error:
        raise ImproperlyConfigured(f"{name} must be a whole number, not {raw!r}") from error
    if value < minimum or (maximum is not None and value > maximum):
        upper = "" if maximum is None else f" and at most {maximum}"
        raise ImproperlyConfigured(f"{name} must be at least {minimum}{upper}, not {value}")
    return value


def boolean(name: str, default: bool) -> bool:
    raw = text(name, str(default)).lower()
    if raw in _TRUE:
        return True
    if raw in _FALSE:
        return False
    raise ImproperlyConfigured(f"{name} must be true or false, not {raw!r}")
