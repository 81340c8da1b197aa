"""Variables in configs: what is one, what replaces it, and how it comes back."""

import pytest

from workers.connectors.variables import Variable, put_back, substituted, variables

VALUES = {
    ("env", "", "USER"): "alice",
    ("env", "", "EMPTY"): "",
    ("env", "", "TRICKY"): r"a\1b\g<0>",
    ("env", "", "NESTED"): "${env:USER}",
    ("file", "/s/db.properties", "password"): "s3cret-pw",
    ("file", "/s/db.properties", "a:b"): "colon",
    ("file", "", "x"): "no path",
}


def lookup(variable: Variable) -> str | None:
    return VALUES.get((variable.provider, variable.path, variable.key))


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("plain", "plain"),
        ("", ""),
        ("${env:USER}", "alice"),
        ("${file:/s/db.properties:password}", "s3cret-pw"),
        # A key may hold colons, a path may not.
        ("${file:/s/db.properties:a:b}", "colon"),
        ("${file::x}", "no path"),
        ("${env:EMPTY}", ""),
        # A part of a value (CVE-2019-12399), and several in one.
        ("jdbc:pg://h?user=${env:USER}&password=${file:/s/db.properties:password}", "jdbc:pg://h?user=alice&password=s3cret-pw"),
        ("${env:USER}${env:USER}", "alicealice"),
        ("${env:USER} ${env:NOPE} ${env:USER}", "alice ${env:NOPE} alice"),
        # Unknown keys, paths and providers stay.
        ("${env:NOPE}", "${env:NOPE}"),
        ("${file:/other:password}", "${file:/other:password}"),
        ("${vault:db:password}", "${vault:db:password}"),
        ("${vault:x}-${env:USER}", "${vault:x}-alice"),
        # No variables.
        ("${topic}", "${topic}"),
        ("${topic}-${timestamp}", "${topic}-${timestamp}"),
        ("$env:USER", "$env:USER"),
        ("${env:USER", "${env:USER"),
        # What a value holds is taken as it is.
        ("${env:TRICKY}", r"a\1b\g<0>"),
        ("${env:NESTED}", "${env:USER}"),
        ("$${env:USER}", "$alice"),
    ],
)
def test_substitution(value: str, expected: str) -> None:
    assert substituted(value, lookup) == expected


def test_a_variable_knows_its_text() -> None:
    assert list(variables("x${a:b}y${c:/d:e}")) == [Variable("a", "", "b", "${a:b}"), Variable("c", "/d", "e", "${c:/d:e}")]


PASSWORD = Variable("file", "/s", "pw", "${file:/s:pw}")
USER = Variable("env", "", "USER", "${env:USER}")
SHORT = Variable("env", "", "N", "${env:N}")


@pytest.mark.parametrize(
    ("raw", "generated", "stored"),
    [
        # As in Kafka Connect: the same key.
        ({"password": "${file:/s:pw}"}, {"password": "s3cret-pw"}, {"password": "${file:/s:pw}"}),
        ({"url": "x?p=${file:/s:pw}&y"}, {"url": "x?p=s3cret-pw&y"}, {"url": "x?p=${file:/s:pw}&y"}),
        ({"k": "${env:NOPE}"}, {"k": "whatever"}, {"k": "${env:NOPE}"}),
        ({"a": "b"}, {"a": "c", "n": "1"}, {"a": "c", "n": "1"}),
        # Elsewhere.
        ({"password": "${file:/s:pw}"}, {"task.password": "s3cret-pw"}, {"task.password": "${file:/s:pw}"}),
        (
            {"user": "${env:USER}", "password": "${file:/s:pw}"},
            {"url": "pg://alice:s3cret-pw@h/alice"},
            {"url": "pg://${env:USER}:${file:/s:pw}@h/${env:USER}"},
        ),
        # What the connector's config says literally stays literal.
        ({"user": "${env:USER}", "topic": "alice-in"}, {"topic": "alice-in"}, {"topic": "alice-in"}),
        # Too short to be told from chance.
        ({"n": "${env:N}"}, {"m": "17", "n": "7"}, {"m": "17", "n": "${env:N}"}),
    ],
)
def test_putting_back(raw: dict[str, str], generated: dict[str, str], stored: dict[str, str]) -> None:
    resolved = {PASSWORD: "s3cret-pw", USER: "alice", SHORT: "7"}
    assert put_back(raw, resolved, generated) == stored


def test_of_a_value_within_another_the_longer_is_put_back() -> None:
    assert put_back({}, {USER: "s3cr", PASSWORD: "s3cret-pw"}, {"x": "s3cret-pw s3cr"}) == {"x": "${file:/s:pw} ${env:USER}"}
