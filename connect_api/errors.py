"""The one place where a failure becomes an answer: `{"error_code", "message"}`, as in Kafka Connect."""

import logging

from django.core.exceptions import RequestDataTooBig
from django.http import HttpRequest, HttpResponse
from rest_framework import exceptions

from connect_api import shapes
from connect_api.answers import json
from workers.herder.errors import HerderError

logger = logging.getLogger(__name__)

_REASONS = {
    404: "HTTP 404 Not Found",
    405: "HTTP 405 Method Not Allowed",
    406: "HTTP 406 Not Acceptable",
    413: "HTTP 413 Request Entity Too Large",
    415: "HTTP 415 Unsupported Media Type",
}


def answer(status: int, message: str | None) -> HttpResponse:
    return json(shapes.error(status, message), status)


def handle(error: Exception, _context: object = None) -> HttpResponse:
    """For REST framework's EXCEPTION_HANDLER: every exception of every view of this API ends here."""
    if isinstance(error, HerderError):
        return answer(error.status, error.message)
    if isinstance(error, RequestDataTooBig):
        return answer(413, _REASONS[413])
    if isinstance(error, exceptions.APIException):
        return answer(error.status_code, _REASONS.get(error.status_code, str(error.detail)))
    logger.exception("A request failed unexpectedly", exc_info=error)
    return answer(500, str(error) or type(error).__name__)


def not_found(request: HttpRequest, exception: object = None) -> HttpResponse:
    return answer(404, _REASONS[404])


def server_error(request: HttpRequest) -> HttpResponse:
    return answer(500, "Internal server error")
