"""Folder names for things whose own names may hold anything."""

import hashlib
import re


def folder_name(name: str) -> str:
    """A name that no file system and no URL reads as anything else: Spark takes paths for URLs, and would decode a `%`."""
    plain = re.sub(r"[^A-Za-z0-9._-]", "_", name)
    if plain == name and name not in ("", ".", "..") and len(name) < 100:
        return name
    return f"{plain[:80]}-{hashlib.sha256(name.encode()).hexdigest()[:12]}"
