"""Large JSON, and large pages, go out compressed to whoever takes that."""

import gzip
import re
from collections.abc import Callable

from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.utils.cache import patch_vary_headers
from django.utils.text import compress_string

from connect_api.answers import Ready

#: Bytes. What is smaller fits into a few packets as it is.
SMALLEST = 16 * 1024
# The fastest level: JSON of connectors is a tenth of its length then, and a higher one costs several times as much for little.
_LEVEL = 1
_JSON, _PAGE = "application/json", "text/html; charset=utf-8"
# Pages repeat what they were asked beside what is not everybody's: their length must not tell what is the same (BREACH).
_MOST_PADDING = 100
_TAKES_GZIP = re.compile(r"(?:^|,)\s*(?:gzip|\*)\s*(?:;\s*q=(?!0(?:\.0*)?\s*(?:,|$))[0-9.]+\s*)?(?:,|$)", re.IGNORECASE)


class CompressionMiddleware:
    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        response = self._get_response(request)
        if isinstance(response, HttpResponse) and len(response.content) >= SMALLEST and _compressible(response):
            patch_vary_headers(response, ["Accept-Encoding"])
            if takes_gzip(request.headers.get("Accept-Encoding", "")):
                _compress(response)
        return response


def takes_gzip(header: str) -> bool:
    return bool(_TAKES_GZIP.search(header))


def packed(body: bytes) -> bytes:
    return gzip.compress(body, _LEVEL, mtime=0)


def _compressible(response: HttpResponse) -> bool:
    return response.get("Content-Type") in (_JSON, _PAGE) and "Content-Encoding" not in response


def _compress(response: HttpResponse) -> None:
    if response["Content-Type"] == _PAGE:
        response.content = compress_string(response.content, max_random_bytes=_MOST_PADDING)
    else:
        made_ready = response.packed if isinstance(response, Ready) else None
        response.content = made_ready() if made_ready else packed(response.content)
    response["Content-Encoding"] = "gzip"
    if "ETag" in response:
        # Other bytes, and the same as far as anybody is concerned.
        response["ETag"] = f"W/{response['ETag'].removeprefix('W/')}"
