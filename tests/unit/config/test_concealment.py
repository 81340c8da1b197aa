"""Secret values in texts."""

import logging
import sys
from urllib.parse import quote

import pytest

from config.concealment import LOGS, NOTHING, Concealment, concealment_of
from config.logs import Concealing

KEY = "-----BEGIN KEY-----\nMIIEvQIBADANBgkqhkiG9w0B\n-----END KEY-----\n"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("nothing here", "nothing here"),
        ("login s3cret/pw!", "login ${env:A}"),
        ("xs3cret/pw!xs3cret/pw!", "x${env:A}x${env:A}"),
        (f"url?p={quote('s3cret/pw!', safe='')}", "url?p=${env:A}"),
        # Of a value within another, the longer.
        ("s3cret/pw! s3cret", "${env:A} ${env:B}"),
        # Escaped.
        ('{"p":"quo\\"ted\\n"}', '{"p":"${env:C}"}'),
        # A line of a key.
        ("bad base64: MIIEvQIBADANBgkqhkiG9w0B", "bad base64: ${dir:/k:key}"),
        # Too short for a secret.
        ("abc", "abc"),
    ],
)
def test_texts(text: str, expected: str) -> None:
    concealing = Concealment()
    values = {"B": "s3cret", "A": "s3cret/pw!", "C": 'quo"ted\n', "D": "abc", "E": ""}
    for name, value in values.items():
        concealing.add(value, f"${{env:{name}}}")
    concealing.add(KEY, "${dir:/k:key}")
    assert concealing.conceal(text) == expected


def test_with_nothing_to_conceal_a_text_stays() -> None:
    assert Concealment().conceal("text") == "text"


def test_an_error_knows_what_its_text_must_not_show() -> None:
    concealing = Concealment([("s3cret", "${env:A}")])
    with pytest.raises(ValueError, match="s3cret") as raised, concealing.marking():
        raise ValueError("s3cret")
    assert concealment_of(raised.value) is concealing
    assert concealment_of(ValueError("s3cret")) is NOTHING


def test_a_log_line_names_them_in_tracebacks_too() -> None:
    LOGS.add("test-of-the-log-line", "${env:LOGGED}")
    try:
        raise ValueError("cannot use test-of-the-log-line")
    except ValueError:
        record = logging.LogRecord("x", logging.ERROR, "f", 1, "with %s", ("test-of-the-log-line",), sys.exc_info())
    text = Concealing("%(levelname)s %(message)s").format(record)
    assert text.startswith("ERROR with ${env:LOGGED}\nTraceback")
    assert text.endswith("ValueError: cannot use ${env:LOGGED}")
