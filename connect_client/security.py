"""How a client says who it is, and whom it believes."""

import re
import ssl
import tempfile
from collections.abc import Generator
from dataclasses import dataclass, field

import httpx

# TLS's alerts about certificates come from the other side: not a word of them is about the server's own.
_NOT_KNOWN = re.compile(r"alert (.+ )?certificate|alert unknown ca")


class UnusableTls(ValueError):
    """Certificates or a key that no connection can be made with."""


@dataclass(frozen=True, slots=True)
class Basic:
    """RFC 7617. A user name has no colon in it."""

    username: str
    password: str = field(repr=False)

    def auth(self) -> httpx.Auth:
        return httpx.BasicAuth(self.username, self.password)


@dataclass(frozen=True, slots=True)
class Bearer:
    """RFC 6750."""

    token: str = field(repr=False)

    def auth(self) -> httpx.Auth:
        return _BearerAuth(self.token)


@dataclass(frozen=True, slots=True)
class Tls:
    """PEM texts. `authorities`: who may vouch for the server, in place of the usual ones. `certificate`, its chain behind it if
    there is one, and `private_key` are what is shown to a server that asks who comes."""

    authorities: str = ""
    certificate: str = ""
    private_key: str = field(default="", repr=False)

    def context(self) -> ssl.SSLContext:
        """Raises UnusableTls."""
        context = httpx.create_ssl_context(trust_env=False)
        try:
            if self.authorities:
                context = ssl.create_default_context(cadata=self.authorities)
            if self.certificate:
                _show(context, self.certificate, self.private_key)
        except (ssl.SSLError, ValueError) as error:
            raise UnusableTls(f"The certificates cannot be used: {reason(error)}.") from error
        return context


class _BearerAuth(httpx.Auth):
    def __init__(self, token: str) -> None:
        self._token = token

    def auth_flow(self, request: httpx.Request) -> Generator[httpx.Request, httpx.Response, None]:
        request.headers["Authorization"] = f"Bearer {self._token}"
        yield request


def _show(context: ssl.SSLContext, certificate: str, private_key: str) -> None:
    """Python takes a key from a file only: one that nobody else may read, and that is gone at once."""
    with tempfile.NamedTemporaryFile("w", prefix="drover-", suffix=".pem") as file:
        file.write(f"{private_key}\n{certificate}\n")
        file.flush()
        # OpenSSL asks at the terminal for the password of an encrypted key, unless it is told one.
        context.load_cert_chain(file.name, password="")


def reason(error: Exception) -> str:
    """The operating system's or OpenSSL's words, without the numbers: `[Errno 111] Connection refused`, `… (_ssl.c:1016)`."""
    text = str(error) or type(error).__name__
    words = (text.partition("] ")[2] or text).partition(" (_ssl.c")[0].rstrip(".")
    return f"{words}: it wants to be shown a certificate that it knows" if _NOT_KNOWN.search(words) else words
