"""The mail server from one URL: `smtp://user:password@host:587`."""

from dataclasses import dataclass
from urllib.parse import unquote, urlsplit

from django.core.exceptions import ImproperlyConfigured

_PORTS = {"smtp": 25, "smtp+starttls": 587, "smtps": 465}


@dataclass(frozen=True, slots=True)
class MailServer:
    """`host` is empty where there is none."""

    host: str = ""
    port: int = 25
    user: str = ""
    password: str = ""
    starttls: bool = False
    tls: bool = False


def mail_server(url: str, variable: str) -> MailServer:
    """Raises ImproperlyConfigured, which names the variable and never shows the URL: there may be a password in it."""
    if not url:
        return MailServer()
    try:
        parts = urlsplit(url)
        port = parts.port or _PORTS[parts.scheme]
        host = parts.hostname
    except (ValueError, KeyError):
        host, port = None, 0
    if not host or parts.path.strip("/") or parts.query:
        raise ImproperlyConfigured(f"{variable} must be smtp://, smtp+starttls:// or smtps://, [user:password@]host[:port]")
    user, password = unquote(parts.username or ""), unquote(parts.password or "")
    return MailServer(host, port, user, password, parts.scheme == "smtp+starttls", parts.scheme == "smtps")
