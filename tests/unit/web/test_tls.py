"""TLS from Kafka Connect's keys, on real sockets: each kind of store, clients' certificates, and what is refused."""

import ssl
import subprocess
from collections.abc import Mapping
from pathlib import Path

import httpx
import pytest

from local import java
from tests.certificates import Certified, authority, certified, trusting
from tests.unit.web.test_server import told
from web.server import Door, bound, serving
from web.tls import TlsRefused, context_of
from workers.rest_config import Tls, tls

PASSWORD = "geheim1"


@pytest.fixture(scope="module")
def ours() -> Certified:
    return authority()


@pytest.fixture(scope="module")
def server(ours: Certified) -> Certified:
    return certified(ours)


def kinds(server: Certified, folder: Path) -> dict[str, dict[str, str]]:
    """Ways to give the server its key."""
    for name, content in {
        "plain.pem": server.pem().encode(),
        "sealed.pem": server.pem(PASSWORD).encode(),
        "store.p12": server.store(PASSWORD),
    }.items():
        (folder / name).write_bytes(content)
    return {
        "PEM": {"keystore.type": "PEM", "keystore.location": str(folder / "plain.pem")},
        "encrypted PEM": {"keystore.location": str(folder / "sealed.pem"), "key.password": PASSWORD},
        "PKCS 12": {"keystore.type": "PKCS12", "keystore.location": str(folder / "store.p12"), "keystore.password": PASSWORD},
        "PEM in the setting": {
            "keystore.type": "PEM",
            "keystore.key": server.key_pem(PASSWORD),
            "keystore.certificate.chain": server.certificate_pem(),
            "key.password": PASSWORD,
        },
    }


def of(values: Mapping[str, str]) -> Tls:
    return Tls("CONNECT_SSL_", values)


def ask(values: Mapping[str, str], verify: ssl.SSLContext) -> httpx.Response:
    listener = bound("127.0.0.1", 0)
    with (
        serving(told, [Door(listener, context_of(of(values)))], longest_body=100),
        httpx.Client(verify=verify, trust_env=False) as client,
    ):
        return client.get(f"https://127.0.0.1:{listener.getsockname()[1]}/")


def trusts(ours: Certified, shows: Certified | None = None, folder: Path | None = None) -> ssl.SSLContext:
    context = ssl.create_default_context(cadata=ours.certificate_pem())
    if shows and folder:
        (folder / "client.pem").write_text(shows.pem())
        context.load_cert_chain(folder / "client.pem")
    return context


@pytest.mark.parametrize("kind", ["PEM", "encrypted PEM", "PKCS 12", "PEM in the setting"])
def test_each_kind_of_store(ours: Certified, server: Certified, tmp_path: Path, kind: str) -> None:
    response = ask(kinds(server, tmp_path)[kind], trusts(ours))
    assert (response.status_code, response.json()["wsgi.url_scheme"]) == (200, "https")


@pytest.mark.parametrize("store", ["PEM", "PKCS 12", "in the setting"])
def test_clients_that_have_to_show_a_certificate(ours: Certified, server: Certified, tmp_path: Path, store: str) -> None:
    (tmp_path / "ca.pem").write_text(ours.certificate_pem())
    (tmp_path / "ca.p12").write_bytes(trusting(ours, password=PASSWORD))
    trusted = {
        "PEM": {"truststore.location": str(tmp_path / "ca.pem")},
        "PKCS 12": {"truststore.location": str(tmp_path / "ca.p12"), "truststore.password": PASSWORD},
        "in the setting": {"truststore.certificates": ours.certificate_pem()},
    }[store]
    values = {**kinds(server, tmp_path)["PEM"], **trusted, "client.auth": "required"}
    assert ask(values, trusts(ours, certified(ours, "a client"), tmp_path)).status_code == 200
    for stranger in (None, certified(authority(), "a stranger")):
        with pytest.raises(httpx.TransportError):
            ask(values, trusts(ours, stranger, tmp_path))


def test_clients_that_may_show_one(ours: Certified, server: Certified, tmp_path: Path) -> None:
    values = {
        **kinds(server, tmp_path)["PEM"],
        "truststore.certificates": ours.certificate_pem(),
        "client.auth": "requested",
    }
    for shows in (None, certified(ours, "a client")):
        assert ask(values, trusts(ours, shows, tmp_path)).status_code == 200


def test_versions(ours: Certified, server: Certified, tmp_path: Path) -> None:
    made = context_of(of({**kinds(server, tmp_path)["PEM"], "enabled.protocols": "TLSv1.3"}))
    assert (made.minimum_version, made.maximum_version) == (ssl.TLSVersion.TLSv1_3, ssl.TLSVersion.TLSv1_3)


def test_a_keystore_of_javas_own_is_refused_with_the_command_that_converts_it(tmp_path: Path) -> None:
    keytool = java.find().executable.resolve().parent / "keytool"
    assert keytool.exists(), "every JRE has one"
    store = tmp_path / "server.jks"
    name = ["-dname", "CN=x", "-keyalg", "EC", "-storetype", "JKS", "-storepass", PASSWORD, "-keypass", PASSWORD]
    subprocess.run([keytool, "-genkeypair", "-alias", "a", "-keystore", store, *name], check=True, capture_output=True)
    with pytest.raises(TlsRefused) as raised:
        context_of(of({"keystore.location": str(store), "keystore.password": PASSWORD}))
    message = str(raised.value)
    assert message.startswith(f"CONNECT_SSL_KEYSTORE_LOCATION names {store}, which is a keystore in Java's own format (JKS).")
    command = message.partition("keytool ")[2].split()
    subprocess.run([keytool, *command, "-srcstorepass", PASSWORD, "-deststorepass", PASSWORD], check=True, capture_output=True)
    context_of(of({"keystore.location": str(store.with_suffix(".p12")), "keystore.password": PASSWORD}))


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({}, "CONNECT_SSL_KEYSTORE_LOCATION is needed"),
        ({"keystore.location": "/nope"}, "CONNECT_SSL_KEYSTORE_LOCATION names /nope, which cannot be read: No such file"),
        ({"keystore.key": "x"}, "CONNECT_SSL_KEYSTORE_KEY does not hold a key"),
        ({"keystore.location": "{folder}/sealed.pem"}, "CONNECT_SSL_KEYSTORE_LOCATION does not hold a key"),
        ({"keystore.location": "{folder}/sealed.pem", "key.password": "other"}, "CONNECT_SSL_KEYSTORE_LOCATION does not hold"),
        (
            {"keystore.location": "{folder}/store.p12", "keystore.password": "other"},
            "CONNECT_SSL_KEYSTORE_LOCATION names a st",
        ),
        ({"keystore.location": "{folder}/plain.pem", "client.auth": "maybe"}, "CONNECT_SSL_CLIENT_AUTH must be one of none,"),
        ({"keystore.location": "{folder}/plain.pem", "client.auth": "required"}, "CONNECT_SSL_TRUSTSTORE_LOCATION is needed"),
        (
            {"keystore.location": "{folder}/plain.pem", "client.auth": "required", "truststore.certificates": "x"},
            "CONNECT_SSL_TRUSTSTORE_CERTIFICATES holds no certificates",
        ),
        ({"keystore.location": "{folder}/plain.pem", "enabled.protocols": "SSLv3"}, "CONNECT_SSL_ENABLED_PROTOCOLS must be of"),
    ],
)
def test_what_is_refused(server: Certified, tmp_path: Path, values: dict[str, str], message: str) -> None:
    kinds(server, tmp_path)
    with pytest.raises(TlsRefused) as raised:
        context_of(of({key: value.replace("{folder}", str(tmp_path)) for key, value in values.items()}))
    assert str(raised.value).startswith(message)


def test_the_keys_under_a_listeners_own_prefix_are_all_that_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CONNECT_SSL_KEYSTORE_LOCATION", "/all")
    monkeypatch.setenv("CONNECT_SSL_CLIENT_AUTH", "required")
    assert tls(admin=False).values == tls(admin=True).values == {"keystore.location": "/all", "client.auth": "required"}
    monkeypatch.setenv("CONNECT_ADMIN_LISTENERS_HTTPS_SSL_KEYSTORE_LOCATION", "/admin")
    assert tls(admin=True).values == {"keystore.location": "/admin"}
    assert tls(admin=False).values["keystore.location"] == "/all"
