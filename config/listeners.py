"""Kafka Connect's `listeners`: `http://localhost:8083,https://0.0.0.0:8443`."""

import os
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

from django.core.exceptions import ImproperlyConfigured

from config.declared import installation
from config.declared import rest as rest_api
from config.declared.setting import Text

HTTP, HTTPS = "http", "https"
UNIX = "unix:"


@dataclass(frozen=True, slots=True)
class Listener:
    """`admin` is one for nothing but `/admin/`."""

    scheme: str
    host: str
    port: int
    admin: bool = False

    @property
    def is_tls(self) -> bool:
        return self.scheme == HTTPS


@dataclass(frozen=True, slots=True)
class Address:
    """What a list says of one; None where it says nothing."""

    scheme: str
    host: str | None
    port: int | None


def addresses(text: str) -> list[Address]:
    """Raises ValueError, whose message goes on after the setting's name."""
    return [_address(item.strip()) for item in text.split(",") if item.strip()]


def _address(text: str) -> Address:
    wrong = f"must be like http://localhost:8083, not {text!r}"
    try:
        parts = urlsplit(text)
        host, port = parts.hostname, parts.port
    except ValueError as error:
        raise ValueError(f"{wrong}: {error}") from error
    if parts.scheme not in (HTTP, HTTPS) or parts.path.strip("/") or parts.query or parts.fragment or parts.username:
        raise ValueError(wrong)
    return Address(parts.scheme, host, port)


def further(found: Iterable[Address], host: str, admin: bool = False) -> tuple[Listener, ...]:
    """Those whose ports nothing else says. Raises ValueError."""
    return tuple(Listener(address.scheme, address.host or host, _port(address), admin) for address in found)


def _port(address: Address) -> int:
    if address.port is None:
        raise ValueError(f"must name a port for each address, and does not for {address.scheme}://{address.host or ''}")
    return address.port


def url(listener: Listener) -> str:
    """Where this machine reaches it, whatever wider address it is bound to."""
    host = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(listener.host, listener.host)
    return f"{listener.scheme}://[{host}]:{listener.port}" if ":" in host else f"{listener.scheme}://{host}:{listener.port}"


def inner_url(listeners: tuple[Listener, ...], run: Path) -> str:
    """Where other processes of this installation reach the web process: without TLS, as certificates and demands are for others.
    `unix:/path` where there is no such listener."""
    plain = next((listener for listener in listeners if not listener.is_tls), None)
    return f"{UNIX}{run / f'web-{listeners[0].port}.sock'}" if plain is None else url(plain)


def listeners_of_environment() -> tuple[tuple[Listener, ...], tuple[Listener, ...] | None]:
    """Those for everything, and those for `/admin/`: None where that is on all the others, none where it is nowhere. DROVER_HOST
    and DROVER_PORT are the first one's address where they are set. Raises ImproperlyConfigured."""
    first, *rest = _read(rest_api.LISTENERS) or [Address(HTTP, None, None)]
    host = installation.HOST(first.host)
    listeners = (Listener(first.scheme, host, installation.PORT(first.port)), *_further(rest_api.LISTENERS, rest, host, False))
    admin = None
    if rest_api.ADMIN_LISTENERS.variable in os.environ:
        admin = _further(rest_api.ADMIN_LISTENERS, _read(rest_api.ADMIN_LISTENERS), host, True)
    _refuse_twice((*listeners, *(admin or ())))
    return listeners, admin


def _refuse_twice(listeners: tuple[Listener, ...]) -> None:
    """The system lets both be bound, and gives all callers to one of them."""
    count = Counter(f"{listener.host}:{listener.port}" for listener in listeners)
    if twice := next((address for address, times in count.items() if times > 1), None):
        raise ImproperlyConfigured(f"{rest_api.LISTENERS.variable} and {rest_api.ADMIN_LISTENERS.variable} name {twice} twice")


def _read(setting: Text) -> list[Address]:
    try:
        return addresses(setting())
    except ValueError as error:
        raise ImproperlyConfigured(f"{setting.variable} {error}") from error


def _further(setting: Text, found: list[Address], host: str, admin: bool) -> tuple[Listener, ...]:
    try:
        return further(found, host, admin)
    except ValueError as error:
        raise ImproperlyConfigured(f"{setting.variable} {error}") from error
