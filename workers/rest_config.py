"""How the REST API is served, under Kafka Connect's names: `access.control.allow.origin` comes from
`CONNECT_ACCESS_CONTROL_ALLOW_ORIGIN` and so on."""

import csv
import re
import socket
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

from django.conf import settings
from django.core.exceptions import ImproperlyConfigured

from config import env
from config.declared import rest as declared

#: `setDate` and `addDate`: milliseconds from now.
_ACTIONS = ("set", "add", "setDate", "addDate")


@dataclass(frozen=True, slots=True)
class HeaderRule:
    """One of `response.http.headers.config`. `value` of a date is milliseconds from now."""

    add: bool
    date: bool
    name: str
    value: str


@dataclass(frozen=True, slots=True)
class CrossOrigin:
    """`origins` match whole origins; None stands for every one."""

    origins: re.Pattern[str] | None
    methods: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Tls:
    """What is set of declared.TLS, and the beginning of the variables that it was set by, for whoever has to mend it."""

    prefix: str
    values: Mapping[str, str]

    def variable(self, key: str) -> str:
        return self.prefix + env.name_of(key)


def tls(admin: bool) -> Tls:
    """Of `listeners` or of `admin.listeners`. As in Kafka Connect the keys under the listeners' own prefix are all that counts if
    there are any, else `ssl.*` are."""
    own = "CONNECT_ADMIN_LISTENERS_HTTPS_SSL_" if admin else "CONNECT_LISTENERS_HTTPS_SSL_"
    return next((found for found in (_tls(own), _tls("CONNECT_SSL_")) if found.values), _tls(own))


def _tls(prefix: str) -> Tls:
    values = {key: env.text(prefix + env.name_of(key), "") for key in declared.TLS}
    return Tls(prefix, {key: value for key, value in values.items() if value})


def advertised() -> str:
    """`host:port`, which is what statuses call a worker. Raises ImproperlyConfigured."""
    scheme = declared.ADVERTISED_LISTENER().lower()
    listener = next((each for each in settings.LISTENERS if scheme in ("", each.scheme)), None)
    if listener is None:
        raise ImproperlyConfigured(f"{declared.ADVERTISED_LISTENER.variable} is {scheme}, of which there is no listener")
    return f"{declared.ADVERTISED_HOST(socket.gethostname())}:{declared.ADVERTISED_PORT(listener.port)}"


@dataclass(frozen=True, slots=True)
class RestConfig:
    """`cross_origin` is None where other sites' pages may not ask."""

    cross_origin: CrossOrigin | None
    headers: tuple[HeaderRule, ...]


@cache
def rest_config() -> RestConfig:
    """Raises ImproperlyConfigured, naming the variable."""
    return RestConfig(_cross_origin(), _headers())


def _cross_origin() -> CrossOrigin | None:
    origins, methods = declared.ALLOW_ORIGIN(), tuple(declared.ALLOW_METHODS())
    if not origins:
        return None
    if "*" in origins:
        return CrossOrigin(None, methods)
    try:
        # As Jetty has them: each is a regular expression.
        return CrossOrigin(re.compile("|".join(f"(?:{origin})" for origin in origins), re.IGNORECASE), methods)
    except re.error as error:
        raise ImproperlyConfigured(
            f"{declared.ALLOW_ORIGIN.variable} must hold origins, or regular expressions of some, not {origins}: {error}"
        ) from error


def _headers() -> tuple[HeaderRule, ...]:
    rules = next(csv.reader([declared.RESPONSE_HEADERS()], skipinitialspace=True), [])
    try:
        return tuple(header_rule(rule) for rule in rules)
    except ValueError as error:
        raise ImproperlyConfigured(f"{declared.RESPONSE_HEADERS.variable} cannot be meant: {error}") from error


def header_rule(text: str) -> HeaderRule:
    """`[action] [header name]:[header value]`. Raises ValueError, in Kafka Connect's words."""
    wrong = f"Invalid format of header config '{text}'. Expected: '[action] [header name]:[header value]'"
    action, header = _two(text.split(maxsplit=1), wrong)
    found = next((known for known in _ACTIONS if known.lower() == action.lower()), None)
    if found is None:
        raise ValueError(f"Invalid header config action: '{action}'. Expected one of [{', '.join(_ACTIONS)}]")
    wrong = f"Invalid format of header name and header value pair '{header}'. Expected: '[header name]:[header value]'"
    name, value = (part.strip() for part in _two(header.strip().split(":"), wrong))
    if not name or re.search(r"\s", name):
        raise ValueError(f"Invalid header name '{name}'. The '[header name]' cannot contain whitespace")
    date = found.endswith("Date")
    if date and not re.fullmatch(r"-?[0-9]{1,15}", value):
        raise ValueError(f"Invalid value '{value}' of header {name}: milliseconds from now were expected")
    return HeaderRule(found.startswith("add"), date, name, value)


def _two(parts: list[str], message: str) -> tuple[str, str]:
    """Raises ValueError."""
    if len(parts) != 2:
        raise ValueError(message)
    return parts[0], parts[1]
