"""Answers of ready bytes: no renderer, no negotiation on the way out."""

from collections.abc import Callable

import orjson
from django.http import HttpResponse


def json(body: object, status: int = 200) -> HttpResponse:
    return Ready(orjson.dumps(body, option=orjson.OPT_NON_STR_KEYS), status)


class Ready(HttpResponse):
    """JSON that somebody has made already; `packed` gives it compressed, where that is kept, too."""

    def __init__(self, body: bytes, status: int = 200, packed: Callable[[], bytes] | None = None) -> None:
        super().__init__(body, status=status, content_type="application/json")
        self.packed = packed


def empty(status: int) -> HttpResponse:
    response = HttpResponse(status=status)
    del response["Content-Type"]
    if status != 204:
        response["Content-Length"] = "0"
    return response
