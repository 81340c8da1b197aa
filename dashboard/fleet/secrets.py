"""Values of a config that are not for everybody who may look at it. What is hidden never leaves the server."""

import re
from collections.abc import Mapping

HIDDEN = "••••••••"
_SECRET = re.compile(r"password|passphrase|secret|token|credential|jaas|(?:api|private|access)[._-]?key|user\.info", re.I)
_REFERENCE = re.compile(r"\$\{[^}]+\}")


def without_secrets(config: Mapping[str, str | None]) -> dict[str, str | None]:
    """The config with secret values replaced. `${provider:…}` only names where a secret is kept, and is worth seeing."""
    return {key: HIDDEN if value and _is_secret(key, value) else value for key, value in config.items()}


def _is_secret(key: str, value: str) -> bool:
    return bool(_SECRET.search(key)) and not _REFERENCE.fullmatch(value)
