"""What a cluster can be wished to be, by tables; no database."""

from collections.abc import Mapping

import pytest

from dashboard.registry import pem
from dashboard.registry.check import check, taken
from dashboard.registry.tried import Tried, remarks
from dashboard.registry.wish import FIELDS, Wish, completed, read, without_what_is_not_used
from tests.certificates import authority, certified

CA = authority()
MINE, OTHER = certified(CA), certified(CA)
CERTIFICATE, KEY = MINE.certificate_pem(), MINE.key_pem()
USUAL = Wish("eu", ("https://one:8083",))


def wish(**more: object) -> Wish:
    made, errors = read({"name": "eu", "urls": ["https://one:8083"], **more})
    assert errors == {}
    return made


@pytest.mark.parametrize(
    "more",
    [
        {},
        {"name": "a_B-9"},
        {"urls": "http://one:8083\nhttps://two/connect/eu, http://[::1]:8083/"},
        {"urls": ["http://my_host.local."]},
        {"auth": "basic", "username": "ann", "secret": " größe: "},
        {"auth": "bearer", "secret": "eyJhbGciOi.eyJz-_~+/dWI=="},
        {"authorities": CA.certificate_pem() + OTHER.certificate_pem()},
        {"certificate": CERTIFICATE + CA.certificate_pem(), "private_key": KEY.replace("\n", "\r\n")},
        {"poll_seconds": "0.5"},
        {"bootstrap_servers": "one:9092, two.example.org:9093 [::1]:9092"},
    ],
)
def test_what_can_be(more: Mapping[str, object]) -> None:
    assert check(wish(**more)) == {}


@pytest.mark.parametrize(
    ("more", "field", "words"),
    [
        ({"name": ""}, "name", "Give it a name"),
        ({"name": "eu west"}, "name", "letters, digits"),
        ({"name": "x" * 101}, "name", "letters, digits"),
        ({"name": "größe"}, "name", "letters, digits"),
        ({"urls": ""}, "urls", "at least one"),
        ({"urls": "one:8083"}, "urls", "one:8083 is no address"),
        ({"urls": "ftp://one"}, "urls", "ftp://one is no address"),
        ({"urls": "unix:/run/drover"}, "urls", "no address"),
        ({"urls": "http://"}, "urls", "no address"),
        ({"urls": "http://one:99999"}, "urls", "no address"),
        ({"urls": "http://one:port"}, "urls", "no address"),
        ({"urls": "http://[::1"}, "urls", "no address"),
        ({"urls": "http://-one"}, "urls", "no address"),
        ({"urls": ["http://one/a b"]}, "urls", "more than a host, a port and a path"),
        ({"urls": "http://ann:geheim@one"}, "urls", "there are fields for them"),
        ({"urls": "http://one?x=1"}, "urls", "more than a host"),
        ({"urls": "http://one#x"}, "urls", "more than a host"),
        ({"urls": "http://one http://one/"}, "urls", "http://one stands here twice"),
        ({"urls": [f"http://h{number}" for number in range(17)]}, "urls", "more than 16"),
        ({"auth": "kerberos"}, "auth", "none, basic and bearer"),
        ({"auth": "basic", "secret": "x"}, "username", "Give the user name"),
        ({"auth": "basic", "username": "a:b", "secret": "x"}, "username", "no colon"),
        ({"auth": "basic", "username": "ann"}, "secret", "Give the password"),
        ({"auth": "basic", "username": "ann", "secret": "a\nb"}, "secret", "no control characters"),
        ({"auth": "bearer"}, "secret", "Give the token"),
        ({"auth": "bearer", "secret": "two words"}, "secret", "bearer token has"),
        ({"authorities": "hello"}, "authorities", "no certificate in PEM"),
        ({"authorities": KEY}, "authorities", "no certificate in PEM"),
        ({"certificate": "hello", "private_key": KEY}, "certificate", "no certificate in PEM"),
        ({"certificate": CERTIFICATE}, "private_key", "Give the key"),
        ({"private_key": KEY}, "certificate", "Give the certificate"),
        ({"certificate": CERTIFICATE, "private_key": "hello"}, "private_key", "no private key in PEM"),
        ({"certificate": CERTIFICATE, "private_key": CERTIFICATE}, "private_key", "no private key in PEM"),
        ({"certificate": CERTIFICATE, "private_key": MINE.key_pem("a password")}, "private_key", "encrypted"),
        ({"certificate": CERTIFICATE, "private_key": OTHER.key_pem()}, "private_key", "does not belong to the certificate"),
        ({"urls": "http://one", "authorities": CA.certificate_pem()}, "authorities", "begins with https://"),
        ({"poll_seconds": 0}, "poll_seconds", "between 0.2 and 3600"),
        ({"poll_seconds": "1e9"}, "poll_seconds", "between 0.2 and 3600"),
        ({"poll_seconds": "nan"}, "poll_seconds", "between 0.2 and 3600"),
        ({"bootstrap_servers": "one"}, "bootstrap_servers", "one is no broker"),
        ({"bootstrap_servers": "one:9092,two:0"}, "bootstrap_servers", "two:0 is no broker"),
        ({"bootstrap_servers": "one:70000"}, "bootstrap_servers", "no broker"),
        ({"bootstrap_servers": "SSL://one:9092"}, "bootstrap_servers", "no broker"),
    ],
)
def test_what_cannot_be_is_told_at_its_field(more: Mapping[str, object], field: str, words: str) -> None:
    errors = check(wish(**more))
    assert list(errors) == [field]
    assert words in errors[field]


@pytest.mark.parametrize(
    ("raw", "field", "words"),
    [
        ({"name": 7}, "name", "text"),
        ({"urls": {"a": 1}}, "urls", "list"),
        ({"urls": ["http://one", 7]}, "urls", "list"),
        ({"secret": 12345}, "secret", "text"),
        ({"poll_seconds": "soon"}, "poll_seconds", "number"),
        ({"poll_seconds": True}, "poll_seconds", "number"),
        ({"password": "x"}, "password", "no such field"),
    ],
)
def test_what_is_no_value_of_its_kind(raw: Mapping[str, object], field: str, words: str) -> None:
    assert words in read(raw)[1][field]


def test_names_are_taken_whatever_their_case() -> None:
    assert taken("eu", ["us"]) == {}
    assert taken("EU", ["eu"]) == {"name": "There is a cluster eu already."}
    assert "Drover's own" in taken("Local", [])["name"]


KEPT = wish(
    urls="https://one https://two:8084", auth="basic", username="ann", secret="geheim", certificate=CERTIFICATE, private_key=KEY
)


@pytest.mark.parametrize(
    ("more", "secret", "key"),
    [
        ({"urls": "https://two:8084/base", "auth": "basic", "username": "bob"}, "geheim", ""),
        ({"urls": "https://one", "auth": "basic", "username": "ann", "secret": "new"}, "new", ""),
        # Else whoever may change an address could have it sent to himself.
        ({"urls": "https://one https://three", "auth": "basic", "username": "ann"}, "", ""),
        ({"urls": "http://one", "auth": "basic", "username": "ann"}, "", ""),
        ({"urls": "https://one", "auth": "bearer"}, "", ""),
        ({"urls": "https://elsewhere", "certificate": CERTIFICATE}, "", KEY),
        ({"urls": "https://one", "certificate": CERTIFICATE, "private_key": OTHER.key_pem()}, "", OTHER.key_pem()),
        ({"urls": "http://[::1"}, "", ""),
    ],
)
def test_which_secrets_are_kept(more: Mapping[str, object], secret: str, key: str) -> None:
    whole = without_what_is_not_used(completed(wish(**more), KEPT))
    assert (whole.secret, whole.private_key) == (secret, key)


def test_what_is_not_used_is_not_kept() -> None:
    assert without_what_is_not_used(wish(username="ann", secret="x")) == USUAL
    assert without_what_is_not_used(wish(auth="bearer", username="ann", secret="x")).username == ""


def test_secrets_do_not_show() -> None:
    assert "geheim" not in repr(KEPT)
    assert "PRIVATE" not in repr(KEPT)


def test_every_field_is_one_of_a_wish() -> None:
    assert set(FIELDS) == set(Wish.__dataclass_fields__)


def test_certificates_in_a_line() -> None:
    assert pem.about(CERTIFICATE + CA.certificate_pem()).startswith("CN=127.0.0.1, until 20")
    assert pem.about(CERTIFICATE + CA.certificate_pem()).endswith(", and 1 more")
    assert pem.about("") == pem.about("hello") == ""


def test_what_openssl_does_not_take_is_told() -> None:
    assert "cannot be used" in pem.unusable("", CERTIFICATE, OTHER.key_pem())
    assert pem.unusable(CA.certificate_pem(), CERTIFICATE, KEY) == ""


def test_what_is_odd_of_addresses_together() -> None:
    one = Tried("http://one", 3, "4.3.0", "a")
    assert remarks((one, Tried("http://two", 3, "4.3.0", "a"), Tried("http://three", 3, error="No."))) == ()
    assert len(remarks((one, Tried("http://two", 3, "4.2.0", "b")))) == 2
