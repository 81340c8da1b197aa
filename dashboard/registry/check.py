"""Whether a cluster can be what it is wished to be: an error by field, each a sentence that says what to do."""

import math
import re
from collections import Counter
from collections.abc import Iterable
from urllib.parse import SplitResult

from dashboard.registry import pem
from dashboard.registry.wish import BASIC, BEARER, NONE, Errors, Wish, parsed

#: `local` is Drover's own.
RESERVED = ("local",)
_NAME = re.compile(r"[-A-Za-z0-9_]{1,100}")
_HOST = re.compile(r"[A-Za-z0-9_](?:[-A-Za-z0-9_.]*[A-Za-z0-9_])?\.?|\[[0-9A-Fa-f:.]+\]")
_CONTROL = re.compile(r"[\x00-\x1f\x7f]")
_ODD = re.compile(r"[\x00-\x20\x7f?#]")
_TOKEN = re.compile(r"[A-Za-z0-9\-._~+/]+=*")
_MOST_URLS = 16
_QUICKEST, _SLOWEST = 0.2, 3600


def check(wish: Wish) -> Errors:
    """Of a wish that is complete (`wish.completed`)."""
    found = {
        "name": _name(wish.name),
        "urls": _urls(wish.urls),
        "auth": "" if wish.auth in (NONE, BASIC, BEARER) else "This is one of none, basic and bearer.",
        "username": _username(wish),
        "secret": _secret(wish),
        **_tls(wish),
        "poll_seconds": _poll(wish.poll_seconds),
        "bootstrap_servers": _bootstrap(wish.bootstrap_servers),
    }
    return {field: error for field, error in found.items() if error}


def taken(name: str, names: Iterable[str]) -> Errors:
    """Names that differ by case alone would be taken for each other."""
    if name.lower() in RESERVED:
        return {"name": f"{name} is the name of Drover's own cluster."}
    same = next((other for other in names if other.lower() == name.lower()), None)
    return {"name": f"There is a cluster {same} already."} if same else {}


def _name(name: str) -> str:
    if not name:
        return "Give it a name."
    return "" if _NAME.fullmatch(name) else "A name has letters, digits, - and _, up to 100 of them."


def _urls(urls: tuple[str, ...]) -> str:
    if not urls:
        return "Give at least one address."
    if len(urls) > _MOST_URLS:
        return f"These are more than {_MOST_URLS} addresses."
    twice = [url for url, count in Counter(url.rstrip("/") for url in urls).items() if count > 1]
    return next((error for url in urls if (error := _url(url))), f"{twice[0]} stands here twice." if twice else "")


def _url(url: str) -> str:
    parts = parsed(url)
    if parts is None or parts.scheme not in ("http", "https") or not _HOST.fullmatch(_host(parts)):
        return f"{url} is no address: it begins with http:// or https:// and a host."
    if parts.username is not None or parts.password is not None:
        return "A user name and a password do not belong into an address: there are fields for them."
    if parts.query or parts.fragment or _ODD.search(url):
        return f"{url} has more than a host, a port and a path."
    return ""


def _host(parts: SplitResult) -> str:
    return f"[{parts.hostname}]" if ":" in (parts.hostname or "") else parts.hostname or ""


def _username(wish: Wish) -> str:
    if wish.auth != BASIC:
        return ""
    if not wish.username:
        return "Give the user name."
    if ":" in wish.username or _CONTROL.search(wish.username) or len(wish.username) > 200:
        return "A user name has no colon and no control characters, and at most 200 characters."
    return ""


def _secret(wish: Wish) -> str:
    if wish.auth not in (BASIC, BEARER):
        return ""
    if not wish.secret:
        what = "password" if wish.auth == BASIC else "token"
        return f"Give the {what}. One that was given for other addresses is not kept for new ones."
    if wish.auth == BEARER and not _TOKEN.fullmatch(wish.secret):
        return "A bearer token has letters, digits and - . _ ~ + / only."
    return "A password has no control characters." if _CONTROL.search(wish.secret) else ""


def _tls(wish: Wish) -> Errors:
    given = [field for field in ("authorities", "certificate", "private_key") if getattr(wish, field)]
    if given and not any(url.startswith("https://") for url in wish.urls):
        return {given[0]: "None of the addresses begins with https://: this would be of no use."}
    errors = {"authorities": pem.wrong_certificates(wish.authorities), "certificate": pem.wrong_certificates(wish.certificate)}
    if wish.certificate and not wish.private_key:
        errors["private_key"] = "Give the key of the certificate."
    elif wish.private_key and not wish.certificate:
        errors["certificate"] = "Give the certificate of the key."
    elif wish.private_key:
        errors["private_key"] = pem.wrong_key(wish.private_key, "" if errors["certificate"] else wish.certificate)
    if any(errors.values()) or not given:
        return errors
    return {given[0]: pem.unusable(wish.authorities, wish.certificate, wish.private_key)}


def _poll(seconds: float) -> str:
    if math.isfinite(seconds) and _QUICKEST <= seconds <= _SLOWEST:
        return ""
    return f"This is between {_QUICKEST} and {_SLOWEST} seconds."


def _bootstrap(servers: str) -> str:
    if len(servers) > 1000:
        return "This is longer than 1,000 characters."
    wrong = next((server for server in servers.split(",") if servers and not _is_server(server)), None)
    return "" if wrong is None else f"{wrong} is no broker: it is a host, a colon and a port."


def _is_server(server: str) -> bool:
    host, _, port = server.rpartition(":")
    return bool(_HOST.fullmatch(host)) and port.isascii() and port.isdecimal() and 0 < int(port) < 65536
