"""The paths of the Kafka Connect REST API are routed as they came, before anything in them is decoded: a name may hold whatever a
name may hold, and `a%2Fb` is one segment. What Jersey makes of a path is made here, and the views get their segments decoded.

Where the server does not tell the path as it came, the decoded one is encoded again, and a slash is a separator.
"""

import re
from collections.abc import Callable
from urllib.parse import quote, unquote

from django.http import HttpRequest, HttpResponse, HttpResponseBase

from connect_api import errors

#: Not of this API: pages are reached by Django's own paths.
_PAGES = ("/ui/", "/static/")
_CONTROL = re.compile(r"[\x00-\x1f\x7f]")
#: What a segment may hold as it is (RFC 3986), but for the semicolon, which Jersey takes for a parameter's.
_AS_IT_IS = "!$&'()*+,=:@"
_BROKEN_ESCAPE = re.compile(r"%(?![0-9A-Fa-f]{2})")


class Malformed(ValueError):
    """A path that means nothing."""


class RawPathMiddleware:
    """Answers 400 to what cannot be decoded."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        if not request.path_info.startswith(_PAGES):
            try:
                request.path_info = routed(_came(request))
            except Malformed as error:
                return _refused(request, str(error))
        return self._get_response(request)


def _came(request: HttpRequest) -> str:
    uri = request.META.get("REQUEST_URI")
    return quote(request.path_info, safe="/;") if uri is None else str(uri).partition("?")[0]


def routed(raw: str) -> str:
    """Without matrix parameters: `a;v=1` is `a`. Segments of dots are names, as they are to Jersey. Raises Malformed."""
    if ";" in raw:
        raw = "/".join(segment.partition(";")[0] for segment in raw.split("/"))
    if "%" in raw:
        _check(raw)
    return raw


def _check(raw: str) -> None:
    if _BROKEN_ESCAPE.search(raw):
        raise Malformed("Bad URI: % is not followed by two hexadecimal digits")
    try:
        decoded = unquote(raw, errors="strict")
    except UnicodeDecodeError as error:
        raise Malformed("Bad URI: what is percent-encoded is not UTF-8") from error
    if _CONTROL.search(decoded):
        raise Malformed("Bad URI: it holds a control character")


def segment(name: str) -> str:
    """A name as one segment of a path."""
    # Dots alone are encoded, too: else clients resolve them.
    return name.replace(".", "%2E") if name in (".", "..") else quote(name, safe=_AS_IT_IS)


def decoded(segments: dict[str, str]) -> dict[str, str]:
    """What of a path a view is called with."""
    return {name: unquote(value) if "%" in value else value for name, value in segments.items()}


def _refused(request: HttpRequest, message: str) -> HttpResponse:
    return errors.answer(400, message)
