"""Receivers of each kind: what they get, and what is told of them when they do not take it."""

from datetime import timedelta
from email import message_from_bytes
from email.message import Message as Mail
from typing import Any

import pytest
from django.core.exceptions import ImproperlyConfigured

from config.mail import MailServer, mail_server
from dashboard.alerts import messages
from dashboard.alerts.messages import Message, Told, sample
from dashboard.alerts.send import Answer, addresses, send
from dashboard.models import AlertRule
from dashboard.sealed import seal
from tests.dashboard.alerts.conftest import NOW
from tests.dashboard.alerts.receivers import Mailbox, Receiver, mailbox

ONE = Told("id-1", "eu", "orders", "FAILED", "disk <full> & more", NOW - timedelta(minutes=2), NOW)
DOWN = Told("id-2", "eu", "", "UNREACHABLE", "connection refused", NOW, NOW)
OVER = Told(
    "id-1", "eu", "orders", "FAILED", "x", NOW - timedelta(minutes=2), NOW, NOW + timedelta(minutes=1), "The rule was changed"
)


def message(*alerts: Told, event: str = "began") -> Message:
    return Message("m-1", event, "nights", alerts, NOW)


@pytest.mark.parametrize(
    ("told", "text"),
    [
        (message(ONE), "orders in eu is FAILED: disk <full> & more\nRule: nights"),
        (message(DOWN), "cluster eu cannot be reached: connection refused\nRule: nights"),
        (message(OVER, event="ended"), "Over: orders in eu was FAILED for 3 min (the rule was changed)\nRule: nights"),
        (
            message(ONE, DOWN),
            "2 alerts of “nights”\norders in eu is FAILED: disk <full> & more\ncluster eu cannot be reached: connection refused",
        ),
    ],
)
def test_in_words(told: Message, text: str) -> None:
    assert told.text == text


def test_long_causes_and_many_alerts_are_cut() -> None:
    long = Told("id", "eu", "orders", "FAILED", "x" * 5000, NOW, NOW)
    text = message(*[long] * 300).text
    assert len(text.splitlines()) == 22
    assert len(text) < 10_000


def test_shapes() -> None:
    assert messages.slack(message(ONE)) == {"text": "orders in eu is FAILED: disk &lt;full&gt; &amp; more\nRule: nights"}
    card = messages.teams(message(ONE))["attachments"][0]
    assert card["contentType"] == "application/vnd.microsoft.card.adaptive"
    assert [block["text"] for block in card["content"]["body"]] == [ONE.line, "Rule: nights"]
    page = messages.pagerduty(message(DOWN), "k")
    assert (page["event_action"], page["dedup_key"], page["payload"]["source"]) == ("trigger", "id-2", "eu")
    assert messages.pagerduty(message(OVER, event="ended"), "k") == {
        "routing_key": "k",
        "event_action": "resolve",
        "dedup_key": "id-1",
        "client": "Drover",
    }


def rule(address: str, channel: str = "webhook") -> AlertRule:
    return AlertRule(name="nights", channel=channel, address=seal(address))


@pytest.mark.parametrize(("channel", "field"), [("webhook", "alerts"), ("slack", "text"), ("teams", "attachments")])
def test_it_is_posted(hook: Receiver, channel: str, field: str) -> None:
    answer = send(rule(hook.url, channel), sample("nights", ["FAILED"], "eu", "m-1", NOW))
    assert answer == Answer(True, "127.0.0.1 answered 200 OK: ok")
    assert field in hook.got[0]
    assert "example-sink in eu is FAILED: this is a test" in str(hook.got[0])
    assert hook.headers[0]["Content-Type"] == "application/json"


@pytest.mark.parametrize(
    ("url", "told"),
    [
        ("http://127.0.0.1:1/secret", "127.0.0.1 cannot be reached: Connection refused"),
        ("http://nobody.invalid/secret", "nobody.invalid cannot be reached: "),
    ],
)
def test_nobody_there(url: str, told: str) -> None:
    answer = send(rule(url), message(ONE))
    assert (answer.taken, answer.text[: len(told)]) == (False, told)
    assert "secret" not in answer.text


def test_too_slow(hook: Receiver, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("dashboard.alerts.send._TIMEOUT", 0.2)
    hook.go.clear()
    assert send(rule(hook.url), message(ONE)) == Answer(False, "127.0.0.1 did not answer in time")


def test_one_that_says_a_great_deal(hook: Receiver) -> None:
    hook.body = b"blah " * 1_000_000
    answer = send(rule(hook.url), message(ONE))
    assert answer.taken
    assert len(answer.text) < 400


@pytest.fixture
def mail(settings: Any) -> Any:
    with mailbox() as (box, port):
        settings.EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
        settings.EMAIL_HOST, settings.EMAIL_PORT = "127.0.0.1", port
        settings.DEFAULT_FROM_EMAIL = "drover@example.org"
        yield box


def test_by_mail(mail: Mailbox) -> None:
    answer = send(rule("ann@example.org, bob@example.org", "email"), message(ONE, DOWN))
    assert answer == Answer(True, "127.0.0.1 took it for ann@example.org, bob@example.org")
    (envelope,) = mail.got
    assert envelope.rcpt_tos == ["ann@example.org", "bob@example.org"]
    assert isinstance(envelope.content, bytes)
    got: Mail = message_from_bytes(envelope.content)
    assert got["Message-ID"] == "<m-1@drover>"
    assert got["From"] == "drover@example.org"
    payload = got.get_payload(decode=True)
    assert isinstance(payload, bytes)
    assert "orders in eu is FAILED: disk <full> & more" in payload.decode()


def test_a_mail_server_that_refuses(mail: Mailbox) -> None:
    mail.refuse = "451 come back later"
    answer = send(rule("ann@example.org", "email"), message(ONE))
    assert not answer.taken
    assert "come back later" in answer.text


def test_a_cause_of_several_lines_makes_no_headers(mail: Mailbox) -> None:
    evil = Told("id", "eu", "orders", "FAILED", "x\r\nBcc: eve@example.org", NOW, NOW)
    assert send(rule("ann@example.org", "email"), message(evil)).taken
    assert mail.got[0].rcpt_tos == ["ann@example.org"]


def test_without_a_mail_server(settings: Any) -> None:
    settings.EMAIL_HOST = ""
    assert send(rule("ann@example.org", "email"), message(ONE)) == Answer(False, "No mail server is set: DROVER_SMTP_URL")


def test_addresses() -> None:
    assert addresses("a@b.c, d@e.f;g@h.i  j@k.l") == ["a@b.c", "d@e.f", "g@h.i", "j@k.l"]


@pytest.mark.parametrize(
    ("url", "server"),
    [
        ("", MailServer()),
        ("smtp://mail", MailServer("mail", 25)),
        ("smtp+starttls://u%40x:p%2F@mail", MailServer("mail", 587, "u@x", "p/", starttls=True)),
        ("smtps://mail:4650", MailServer("mail", 4650, tls=True)),
    ],
)
def test_the_url_of_a_mail_server(url: str, server: MailServer) -> None:
    assert mail_server(url, "X") == server


@pytest.mark.parametrize("url", ["mail", "http://mail", "smtp://", "smtp://u:geheim@mail:x", "smtp://mail/path", "smtp://m?x=1"])
def test_what_is_none(url: str) -> None:
    with pytest.raises(ImproperlyConfigured, match=r"^X must be smtp://") as error:
        mail_server(url, "X")
    assert "geheim" not in str(error.value)
