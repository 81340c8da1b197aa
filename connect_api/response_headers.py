"""`response.http.headers.config`: headers that the operator wants on every response (KIP-577)."""

import time
from collections.abc import Callable

from django.core.exceptions import MiddlewareNotUsed
from django.http import HttpRequest, HttpResponseBase
from django.utils.http import http_date

from connect_api.admin import by_admin_listener
from workers.rest_config import HeaderRule, rest_config


class ResponseHeadersMiddleware:
    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self._rules = rest_config().headers
        if not self._rules:
            raise MiddlewareNotUsed
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        response = self._get_response(request)
        # A listener of `admin.listeners` has none of them, as in Kafka Connect.
        for rule in () if by_admin_listener(request) else self._rules:
            apply(rule, response, time.time())
        return response


def apply(rule: HeaderRule, response: HttpResponseBase, now: float) -> None:
    value = http_date(now + int(rule.value) / 1000) if rule.date else rule.value
    # Two fields of one name mean the same as one with a comma (RFC 9110).
    response[rule.name] = f"{response[rule.name]}, {value}" if rule.add and rule.name in response else value
