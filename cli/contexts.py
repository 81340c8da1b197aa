"""Whom a command asks: contexts in a file of the user's own, what is said on the command line, and what the environment says.

The file is `$XDG_CONFIG_HOME/drover/config.yaml`:

    current: room
    contexts:
      room: {kind: room, urls: [https://drover.example], token: drover_…}
      eu: {kind: connect, urls: [https://connect-1:8083, https://connect-2:8083], username: ann, password: …, ca: /etc/ssl/ca.pem}
"""

import os
import re
import tempfile
from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from enum import StrEnum
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import yaml

from cli.ends import Cannot
from connect_client import Basic, Bearer, Tls

_OF_ROOM = re.compile(r"/(?:ui|api/v1)(?:[/?#].*)?$")


class Kind(StrEnum):
    #: A control room, which knows any number of clusters.
    ROOM = "room"
    #: One Connect cluster, by its REST API.
    CONNECT = "connect"


@dataclass(frozen=True, slots=True)
class Context:
    """`ca`, `cert` and `key` are paths of PEM files. Empty is none."""

    kind: Kind
    urls: tuple[str, ...]
    token: str = field(default="", repr=False)
    username: str = ""
    password: str = field(default="", repr=False)
    ca: str = ""
    cert: str = ""
    key: str = ""

    def credentials(self) -> Basic | Bearer | None:
        if self.username:
            return Basic(self.username, self.password)
        return Bearer(self.token) if self.token else None

    def tls(self) -> Tls | None:
        """Raises Cannot for a file that cannot be read."""
        if not (self.ca or self.cert or self.key):
            return None
        return Tls(_text(self.ca), _text(self.cert), _text(self.key))

    def to_yaml(self) -> dict[str, object]:
        told = {name: value for name, value in asdict(self).items() if value}
        return {**told, "kind": self.kind.value, "urls": list(self.urls)}


@dataclass(frozen=True, slots=True)
class Contexts:
    current: str = ""
    known: Mapping[str, Context] = field(default_factory=dict)

    def added(self, name: str, context: Context) -> "Contexts":
        """The first one is used at once."""
        return Contexts(self.current or name, {**self.known, name: context})

    def using(self, name: str) -> "Contexts":
        self.named(name)
        return replace(self, current=name)

    def without(self, name: str) -> "Contexts":
        self.named(name)
        rest = {other: context for other, context in self.known.items() if other != name}
        return Contexts("" if self.current == name else self.current, rest)

    def named(self, name: str) -> Context:
        """Raises Cannot."""
        if name not in self.known:
            listed = ", ".join(sorted(self.known)) or "none yet"
            raise Cannot(f"There is no context {name}; there are: {listed}.")
        return self.known[name]


@dataclass(frozen=True, slots=True)
class Said:
    """By options, each of which may be said by an environment variable, too; empty where nothing was said. `weak_token`: it is
    the environment's, and not for a context that has its own."""

    context: str = ""
    url: str = ""
    connect: tuple[str, ...] = ()
    token: str = field(default="", repr=False)
    weak_token: bool = False

    def without_weaker(self, by_environment: Collection[str]) -> "Said":
        """Whom to ask is said by the command line, if it says anything of it, and only else by the environment."""
        where = {name: value for name in ("context", "url", "connect") if (value := getattr(self, name))}
        typed = {name for name in where if name not in by_environment}
        dropped = {name: type(value)() for name, value in where.items() if typed and name not in typed}
        return replace(self, **dropped, weak_token="token" in by_environment)


def chosen(said: Said, contexts: Contexts) -> Context:
    """An address that is said counts more than a context, and a token that is said more than the context's. Raises Cannot."""
    if said.url and said.connect:
        raise Cannot("Either --url (a control room) or --connect (a Connect cluster), not both.")
    if said.url:
        return Context(Kind.ROOM, (room_url(said.url),), said.token)
    if said.connect:
        return Context(Kind.CONNECT, tuple(map(checked_url, said.connect)), said.token)
    name = said.context or contexts.current
    if not name:
        raise Cannot("Nobody to ask: add a context (drover context add NAME --url URL), or say --url or --connect.")
    context = contexts.named(name)
    own = said.weak_token and (context.token or context.username)
    return replace(context, token=said.token, username="", password="") if said.token and not own else context


def checked_url(url: str) -> str:
    """Raises Cannot."""
    try:
        parts = urlsplit(url)
        usable = parts.scheme in ("http", "https") and bool(parts.hostname) and (parts.port or True)
    except ValueError:
        usable = False
    if not usable and not url.startswith("unix:/"):
        raise Cannot(f"{url} is no address: it has to be like http://host:8083.")
    return url.rstrip("/")


def room_url(url: str) -> str:
    """An address copied from the browser means the room that it is of. Raises Cannot."""
    return _OF_ROOM.sub("", checked_url(url))


def path(environment: Mapping[str, str]) -> Path:
    """XDG Base Directory Specification: a path that is not absolute does not count."""
    home = Path(environment.get("XDG_CONFIG_HOME", ""))
    return (home if home.is_absolute() else Path.home() / ".config") / "drover" / "config.yaml"


def read(file: Path) -> Contexts:
    """Without a file there are none. Raises Cannot."""
    try:
        told = yaml.safe_load(file.read_text())
    except FileNotFoundError:
        return Contexts()
    except (OSError, UnicodeDecodeError, yaml.YAMLError) as error:
        raise Cannot(f"{file} cannot be read: {_first_line(error)}.") from error
    try:
        return _contexts(told or {})
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise Cannot(f"{file} is not what drover writes: {_first_line(error)}.") from error


def write(file: Path, contexts: Contexts) -> None:
    """In one step, and for its owner's eyes only: it has tokens and passwords in it. Raises Cannot."""
    known = {name: context.to_yaml() for name, context in contexts.known.items()}
    text = yaml.safe_dump({"current": contexts.current, "contexts": known}, sort_keys=False, allow_unicode=True)
    try:
        file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        # Such a file has the mode 0600 from its beginning.
        descriptor, name = tempfile.mkstemp(dir=file.parent, prefix=".config-")
        try:
            with os.fdopen(descriptor, "w") as fresh:
                fresh.write(text)
                fresh.flush()
                os.fsync(fresh.fileno())
            Path(name).replace(file)
        except BaseException:
            Path(name).unlink(missing_ok=True)
            raise
    except OSError as error:
        raise Cannot(f"{file} cannot be written: {_first_line(error)}.") from error


def _contexts(told: Mapping[str, Any]) -> Contexts:
    known = {str(name): _context(one) for name, one in (told.get("contexts") or {}).items()}
    return Contexts(str(told.get("current") or ""), known)


def _context(told: Mapping[str, Any]) -> Context:
    urls: Sequence[str] = told["urls"]
    if isinstance(urls, str) or not urls:
        raise ValueError("urls is a list")
    texts = {name: str(told[name]) for name in ("token", "username", "password", "ca", "cert", "key") if name in told}
    return Context(Kind(told["kind"]), tuple(map(str, urls)), **texts)


def _text(file: str) -> str:
    if not file:
        return ""
    try:
        return Path(file).read_text()
    except (OSError, UnicodeDecodeError) as error:
        raise Cannot(f"{file} cannot be read: {_first_line(error)}.") from error


def _first_line(error: Exception) -> str:
    if isinstance(error, OSError) and error.strerror:
        return error.strerror
    return (str(error) or type(error).__name__).partition("\n")[0].rstrip(".")
