"""Sending one message to one receiver: the only place that reaches out. Nobody is waited for longer than `LONGEST` seconds."""

import ssl
import time
from collections.abc import Callable
from dataclasses import dataclass
from email.utils import formatdate
from functools import cache
from smtplib import SMTPException
from typing import Any
from urllib.parse import urlsplit

import httpx
import orjson
from django.conf import settings
from django.core.exceptions import ImproperlyConfigured
from django.core.mail import EmailMessage, get_connection

from dashboard.alerts import messages
from dashboard.alerts.messages import Message
from dashboard.models import AlertRule
from dashboard.sealed import CannotUnseal, unseal

Channel = AlertRule.Channel

LONGEST = 20.0
_TIMEOUT = httpx.Timeout(10.0, connect=5.0)
_MOST_READ = 2000
_HOPELESS = (400, 413, 422)
_MOST_SHOWN = 300


@dataclass(frozen=True, slots=True)
class Answer:
    """What the receiver said, in words for an operator; the address has no part in it, which may be a secret."""

    taken: bool
    text: str
    #: It is the message that is refused: trying again is of little use.
    hopeless: bool = False


def send(rule: AlertRule, message: Message) -> Answer:
    """Never raises for what a receiver does."""
    try:
        address, key = unseal(rule.address), unseal(rule.key)
    except CannotUnseal as error:
        return Answer(False, str(error))
    if rule.channel == Channel.EMAIL:
        return _mail(addresses(address), message)
    return _post(address, _body(Channel(rule.channel), message, key), message.id)


def addresses(text: str) -> list[str]:
    return text.replace(",", " ").replace(";", " ").split()


def _body(channel: AlertRule.Channel, message: Message, key: str) -> dict[str, Any]:
    if channel == Channel.PAGERDUTY:
        return messages.pagerduty(message, key)
    shapes: dict[str, Callable[[Message], dict[str, Any]]] = {Channel.SLACK: messages.slack, Channel.TEAMS: messages.teams}
    return shapes.get(channel, messages.drover)(message)


def _post(url: str, body: dict[str, Any], id: str) -> Answer:
    """Proxies of the environment are used: receivers are often outside."""
    headers = {"Content-Type": "application/json", "User-Agent": "drover", "X-Drover-Message": id}
    host = urlsplit(url).hostname
    until = time.monotonic() + LONGEST
    try:
        with (
            httpx.Client(timeout=_TIMEOUT, verify=_trust()) as client,
            client.stream("POST", url, content=orjson.dumps(body), headers=headers) as response,
        ):
            said = _words(response, until)
    except httpx.TimeoutException:
        return Answer(False, f"{host} did not answer in time")
    except (httpx.HTTPError, httpx.InvalidURL) as error:
        return Answer(False, f"{host} cannot be reached: {_reason(error)}")
    text = f"{host} answered {response.status_code} {response.reason_phrase}".rstrip() + said
    return Answer(response.is_success, text, response.status_code in _HOPELESS)


@cache
def _trust() -> ssl.SSLContext:
    """Dear to make."""
    return httpx.create_ssl_context()


def _words(response: httpx.Response, until: float) -> str:
    """The beginning of what it says, as far as it comes in time: the status has all that counts."""
    read = b""
    try:
        for part in response.iter_bytes():
            read += part
            if len(read) > _MOST_READ or time.monotonic() > until:
                break
    except httpx.HTTPError:
        pass
    text = " ".join(read[:_MOST_READ].decode(errors="replace").split())
    return f": {text[:_MOST_SHOWN]}" if text else ""


def _mail(to: list[str], message: Message) -> Answer:
    if not settings.EMAIL_HOST:
        return Answer(False, "No mail server is set: DROVER_SMTP_URL")
    headers = {"Message-ID": f"<{message.id}@drover>", "Date": formatdate(), "Auto-Submitted": "auto-generated"}
    subject = " ".join(f"[Drover] {message.headline}".split())
    body = "\n".join((message.headline, "", *message.lines))
    try:
        EmailMessage(subject, body, settings.DEFAULT_FROM_EMAIL, to, headers=headers, connection=get_connection()).send()
    except (OSError, SMTPException, ImproperlyConfigured, ValueError) as error:
        return Answer(False, f"{settings.EMAIL_HOST} did not take it: {_reason(error)}")
    return Answer(True, f"{settings.EMAIL_HOST} took it for {', '.join(to)}")


def _reason(error: Exception) -> str:
    text = str(error) or type(error).__name__
    return (text.partition("] ")[2] or text).rstrip(".")
