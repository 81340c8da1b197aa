"""Settings that no connector may bring, whatever the override policy: with them, whoever may write a connector's config could
run code in the worker, read its files and environment, or make it call any address.

CVE-2023-25194, CVE-2025-27818 (login modules), CVE-2024-31141 (config providers of a client), CVE-2025-27817 (OAuth URLs). They
are looked for under any prefix: a connector hands its own keys to clients of its own.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from workers.herder.values import Config

#: What is known to do no more than to sign in.
LOGIN_MODULES = frozenset(
    {
        "org.apache.kafka.common.security.plain.PlainLoginModule",
        "org.apache.kafka.common.security.scram.ScramLoginModule",
        "org.apache.kafka.common.security.oauthbearer.OAuthBearerLoginModule",
        "com.sun.security.auth.module.Krb5LoginModule",
    }
)

#: Setting → what it would make the worker do.
_FORBIDDEN = {
    "interceptor.classes": "load and run classes of the connector's choice",
    "metric.reporters": "load and run classes of the connector's choice",
    "ssl.engine.factory.class": "load and run classes of the connector's choice",
    "security.providers": "load and run classes of the connector's choice",
    "config.providers": "read its files and environment for the connector",
}

# Stricter than Java's own reader, which ends a quoted text at a line's end and takes slashes for comments: what the two could
# read differently is not understood here, and so refused.
_QUOTED = r'"(?:[^"\\\r\n]|\\[^\r\n])*"'
_ENTRY = (
    rf"\s*(?P<module>[\w.$]+)\s+(?:required|requisite|sufficient|optional)(?:\s+[\w.$-]+\s*=\s*(?:{_QUOTED}|[\w.$-]+))*\s*;\s*"
)
_JAAS_ENTRY = re.compile(_ENTRY, re.ASCII | re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Permitted:
    """What the operator allows: JAAS login modules by class name, and URLs for OAuth."""

    login_modules: frozenset[str] = LOGIN_MODULES
    oauthbearer_urls: frozenset[str] = frozenset()


PERMITTED = Permitted()


def forbidden(config: Config, permitted: Permitted = PERMITTED) -> list[str]:
    """One message for each key that is refused. `config` is to be as a client would get it, its variables resolved."""
    return [message for _, message in refusals(config, permitted)]


def refusals(config: Config, permitted: Permitted = PERMITTED) -> Iterator[tuple[str, str]]:
    """As `forbidden`, each message with its key."""
    for key, value in config.items():
        # Spark takes options in any case, so that `Interceptor.Classes` would be another spelling of it.
        name = key.strip().lower()
        if name.endswith("sasl.jaas.config"):
            yield from ((key, message) for message in _login_modules(key, value, permitted))
        elif "oauthbearer" in name and name.endswith("url"):
            if value.strip() not in permitted.oauthbearer_urls:
                yield key, f"'{key}' is not allowed in a connector configuration: its URL is not among the allowed ones."
        elif (purpose := _purpose(name)) is not None:
            yield key, f"'{key}' is not allowed in a connector configuration: it would let the worker {purpose}."


def _purpose(name: str) -> str | None:
    dotted = f".{name}."
    return next((purpose for setting, purpose in _FORBIDDEN.items() if f".{setting}." in dotted), None)


def login_modules(jaas: str) -> list[str] | None:
    """The login modules that a value of `sasl.jaas.config` names, in order; None when it cannot be understood for certain."""
    found, position = [], 0
    while position < len(jaas):
        entry = _JAAS_ENTRY.match(jaas, position)
        if entry is None:
            return None
        found.append(entry["module"])
        position = entry.end()
    return found or None


def _login_modules(key: str, value: str, permitted: Permitted) -> list[str]:
    modules = login_modules(value)
    if modules is None:
        return [f"'{key}' is not allowed in a connector configuration: its value is not understood as a JAAS configuration."]
    return [
        f"'{key}' is not allowed in a connector configuration: the login module {module} is not among the allowed ones."
        for module in modules
        if module not in permitted.login_modules
    ]
