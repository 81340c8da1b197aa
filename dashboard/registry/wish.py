"""What a cluster is wished to be, as a form, a body of the API or a file has it."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from urllib.parse import SplitResult, urlsplit

#: By field, a sentence each.
Errors = dict[str, str]
FIELDS = (
    "name",
    "urls",
    "auth",
    "username",
    "secret",
    "authorities",
    "certificate",
    "private_key",
    "poll_seconds",
    "bootstrap_servers",
)
NONE, BASIC, BEARER = "none", "basic", "bearer"
_SEPARATORS = re.compile(r"[\s,]+")


@dataclass(frozen=True, slots=True)
class Wish:
    """See `dashboard.models.Cluster`; nothing is sealed here. `secret` and `private_key`: empty for what is kept already."""

    name: str
    urls: tuple[str, ...]
    auth: str = NONE
    username: str = ""
    secret: str = field(default="", repr=False)
    authorities: str = ""
    certificate: str = ""
    private_key: str = field(default="", repr=False)
    poll_seconds: float = 1.0
    bootstrap_servers: str = ""


def read(raw: Mapping[str, object]) -> tuple[Wish, Errors]:
    """What is not a value of its kind is an error, what is left out is as usual. Whether the values make sense: `check`."""
    reader = _Reader(raw)
    wish = Wish(
        name=reader.text("name"),
        urls=reader.words("urls"),
        auth=reader.text("auth") or NONE,
        username=reader.text("username"),
        secret=reader.text("secret", strip=False),
        authorities=reader.pem("authorities"),
        certificate=reader.pem("certificate"),
        private_key=reader.pem("private_key"),
        poll_seconds=reader.number("poll_seconds", 1.0),
        bootstrap_servers=",".join(reader.words("bootstrap_servers")),
    )
    return wish, reader.errors


class _Reader:
    def __init__(self, raw: Mapping[str, object]) -> None:
        self._raw = raw
        self.errors: Errors = {str(name): "There is no such field." for name in raw if name not in FIELDS}

    def text(self, name: str, *, strip: bool = True) -> str:
        value = self._raw.get(name)
        if value is None:
            return ""
        if not isinstance(value, str):
            self.errors[name] = "This has to be text."
            return ""
        return value.strip() if strip else value

    def pem(self, name: str) -> str:
        text = self.text(name).replace("\r\n", "\n")
        return f"{text}\n" if text else ""

    def words(self, name: str) -> tuple[str, ...]:
        """A list, or a text with commas, blanks or lines between."""
        value = self._raw.get(name)
        if isinstance(value, list | tuple) and all(isinstance(one, str) for one in value):
            return tuple(one.strip() for one in value)
        if isinstance(value, str | None):
            return tuple(word for word in _SEPARATORS.split(value or "") if word)
        self.errors[name] = "This has to be a list of texts."
        return ()

    def number(self, name: str, usual: float) -> float:
        value = self._raw.get(name)
        if value is None or value == "":
            return usual
        try:
            if not isinstance(value, bool | list | dict):
                return float(str(value))
        except ValueError:
            pass
        self.errors[name] = "This has to be a number."
        return usual


def completed(wish: Wish, kept: Wish) -> Wish:
    """With the secrets that are kept where none were given anew. One that was given for other addresses is not: else whoever may
    change an address could have it sent to himself."""
    if not wish.secret and wish.auth == kept.auth and origins(wish) <= origins(kept):
        wish = replace(wish, secret=kept.secret)
    if not wish.private_key and wish.certificate:
        wish = replace(wish, private_key=kept.private_key)
    return wish


def without_what_is_not_used(wish: Wish) -> Wish:
    if wish.auth == NONE:
        wish = replace(wish, username="", secret="")
    return replace(wish, username="") if wish.auth == BEARER else wish


def origins(wish: Wish) -> set[tuple[str, str]]:
    """Scheme, and host with port."""
    return {(parts.scheme, parts.netloc.lower()) if parts else ("", url) for url in wish.urls for parts in [parsed(url)]}


def parsed(url: str) -> SplitResult | None:
    """None for what is no URL at all."""
    try:
        parts = urlsplit(url)
        # A port that is none is noticed where it is asked for.
        return parts if parts.port != 0 else None
    except ValueError:
        return None
