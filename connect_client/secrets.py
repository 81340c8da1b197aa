"""Values of a config that are not for everybody who may look at it. What is hidden never leaves the server."""

import re
from collections.abc import Collection, Iterable, Mapping

HIDDEN = "••••••••"
_KEY = re.compile(r"password|passphrase|secret|token|credential|jaas|(?:api|private|access)[._-]?key|user\.info", re.I)
# A user with a password in an address, or a parameter that is one.
_VALUE = re.compile(r"://[^/\s:@]*:[^/\s@]+@|[?&;](?:password|pwd|secret|token|sig|api_?key)=[^&;\s]", re.I)
_REFERENCE = re.compile(r"\$\{[^}]+\}")
_MASK = re.compile(r"\s*(?:[•●]+|\*{3,}|[\[<(]hidden[\])>])\s*", re.I)


def without_secrets(config: Mapping[str, str | None], passwords: Collection[str] = ()) -> dict[str, str | None]:
    """The config with secret values replaced. `passwords`: the keys that its plug-ins define as of type PASSWORD
    (`dashboard.configs.passwords`)."""
    return {key: HIDDEN if value and is_secret(key, value, passwords) else value for key, value in config.items()}


def is_secret(key: str, value: str, passwords: Collection[str] = ()) -> bool:
    """`${provider:…}` only names where a secret is kept, and is worth seeing."""
    named = key in passwords or _KEY.search(key)
    return bool((named and not _REFERENCE.fullmatch(value)) or _VALUE.search(value))


def is_mask(value: str | None) -> bool:
    """What some tool shows in place of a secret, and nobody means as a value."""
    return bool(value and _MASK.fullmatch(value))


def scrubbed(text: str, secrets: Iterable[str | None]) -> str:
    """A message without the secrets that it quotes: Kafka Connect's errors hold the values that they are about."""
    told = {form for secret in secrets if secret for form in (secret, secret.strip()) if form}
    for secret in sorted(told, key=len, reverse=True):
        exact = re.escape(secret)
        # A very short one might be part of any word.
        text = re.sub(exact if len(secret) > 3 else rf"(?<!\w){exact}(?!\w)", HIDDEN, text)
    return text
