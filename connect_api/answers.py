"""Answers of ready bytes: no renderer, no negotiation on the way out."""

import orjson
from django.http import HttpResponse


def json(body: object, status: int = 200) -> HttpResponse:
    return HttpResponse(orjson.dumps(body, option=orjson.OPT_NON_STR_KEYS), status=status, content_type="application/json")


def empty(status: int) -> HttpResponse:
    response = HttpResponse(status=status)
    del response["Content-Type"]
    if status != 204:
        response["Content-Length"] = "0"
    return response
