"""Signing in and TLS, against a server that looks at both."""

import base64
import http.server
import json
import ssl
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import httpx
import pytest

from connect_client import Basic, Bearer, ConnectClient, ConnectRefused, ConnectUnreachable, Tls, UnusableTls
from connect_client.security import reason
from tests.certificates import Certified, authority, certified


@dataclass
class Guarded:
    """Wants a certificate of the authority's, and keeps what it was told beside it."""

    url: str
    authority: Certified
    told: list[str | None] = field(default_factory=list)
    shown: list[str] = field(default_factory=list)


@pytest.fixture(scope="module")
def guarded(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Guarded]:
    folder: Path = tmp_path_factory.mktemp("guarded")
    ca = authority()
    (folder / "server.pem").write_text(certified(ca).pem())
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(folder / "server.pem")
    context.load_verify_locations(cadata=ca.certificate_pem())
    context.verify_mode = ssl.CERT_REQUIRED

    class Handler(http.server.BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            assert isinstance(self.connection, ssl.SSLSocket)
            peer = self.connection.getpeercert()
            assert peer is not None
            server.shown.append(str(peer["subject"]))
            server.told.append(self.headers["Authorization"])
            body = json.dumps({"version": "4.3.0"}).encode()
            self.send_response(200)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            pass

    class Server(http.server.ThreadingHTTPServer):
        def get_request(self) -> tuple[ssl.SSLSocket, object]:
            connection, address = super().get_request()
            # Shaken hands within the request's thread, where its end is nobody else's.
            return context.wrap_socket(connection, server_side=True, do_handshake_on_connect=False), address

        def handle_error(self, *_: object) -> None:
            pass

    with Server(("127.0.0.1", 0), Handler) as listening:
        server = Guarded(f"https://127.0.0.1:{listening.server_port}", ca)
        threading.Thread(target=listening.serve_forever, daemon=True).start()
        yield server
        listening.shutdown()


def shown(by: Certified, name: str = "drover") -> dict[str, str]:
    mine = certified(by, name)
    return {"certificate": mine.certificate_pem(), "private_key": mine.key_pem()}


def test_the_server_is_checked_and_is_shown_who_comes(guarded: Guarded) -> None:
    tls = Tls(guarded.authority.certificate_pem(), **shown(guarded.authority))
    with ConnectClient(guarded.url, tls=tls, credentials=Basic("ann", "größe:1")) as client:
        assert client.root().version == "4.3.0"
    assert "drover" in guarded.shown[-1]
    sent = (guarded.told[-1] or "").removeprefix("Basic ")
    assert base64.b64decode(sent).decode() == "ann:größe:1"
    with ConnectClient(guarded.url, tls=tls, credentials=Bearer("t0ken")) as client:
        client.root()
    assert guarded.told[-1] == "Bearer t0ken"


def test_a_server_that_nobody_vouches_for_is_told_nothing(guarded: Guarded) -> None:
    before = len(guarded.told)
    for tls in (None, Tls(authority().certificate_pem(), **shown(guarded.authority))):
        with (
            ConnectClient(guarded.url, tls=tls, credentials=Bearer("t0ken")) as client,
            pytest.raises(ConnectUnreachable, match=r"certificate verify failed: .*[^)]\.$"),
        ):
            client.root()
    assert len(guarded.told) == before


@pytest.mark.parametrize("whose", ["nobody's", "another authority's"])
def test_who_shows_nothing_that_counts_is_not_let_in(guarded: Guarded, whose: str) -> None:
    mine = {} if whose == "nobody's" else shown(authority())
    with (
        ConnectClient(guarded.url, tls=Tls(guarded.authority.certificate_pem(), **mine)) as client,
        pytest.raises(ConnectUnreachable),
    ):
        client.root()


@pytest.mark.parametrize(
    ("error", "told"),
    [
        (ConnectionRefusedError("[Errno 111] Connection refused"), "Connection refused"),
        (OSError("[SSL: CERTIFICATE_VERIFY_FAILED] certificate verify failed (_ssl.c:1016)"), "certificate verify failed"),
        (OSError("[SSL: TLSV1_ALERT_INTERNAL_ERROR] tlsv1 alert internal error (_ssl.c:1016)"), "tlsv1 alert internal error"),
        (ValueError(), "ValueError"),
        *[
            (OSError(f"[SSL: X] {alert} (_ssl.c:2559)"), f"{alert}: it wants to be shown a certificate that it knows")
            for alert in ("sslv3 alert bad certificate", "tlsv13 alert certificate required", "tlsv1 alert unknown ca")
        ],
    ],
)
def test_what_went_wrong_in_words(error: Exception, told: str) -> None:
    assert reason(error) == told


def bad(what: str) -> Tls:
    ca = authority()
    mine = certified(ca)
    match what:
        case "authorities":
            return Tls("-----BEGIN CERTIFICATE-----\nnonsense\n-----END CERTIFICATE-----")
        case "certificate":
            return Tls(certificate="nonsense", private_key=mine.key_pem())
        case "key of another":
            return Tls(certificate=mine.certificate_pem(), private_key=certified(ca).key_pem())
    return Tls(certificate=mine.certificate_pem(), private_key=mine.key_pem("a password"))


@pytest.mark.parametrize("what", ["authorities", "certificate", "key of another", "encrypted key"])
def test_what_cannot_be_used_is_told_before_anybody_is_asked(what: str) -> None:
    with pytest.raises(UnusableTls, match="The certificates cannot be used"):
        ConnectClient("https://127.0.0.1:1", tls=bad(what))


def test_secrets_do_not_show() -> None:
    for one in (Basic("ann", "geheim"), Bearer("geheim"), Tls(private_key="geheim")):
        assert "geheim" not in repr(one)


def test_a_socket_is_one_address_among_others(tmp_path: Path) -> None:
    with ConnectClient([f"unix:{tmp_path}/socket", "http://127.0.0.1:1/"]) as client:
        assert (client.url, client.urls) == (f"unix:{tmp_path}/socket", (f"unix:{tmp_path}/socket", "http://127.0.0.1:1"))


def test_a_redirect_is_not_followed() -> None:
    """Else credentials would go wherever a server sends them."""
    asked: list[str] = []

    def server(request: httpx.Request) -> httpx.Response:
        asked.append(request.url.host)
        return httpx.Response(307, headers={"Location": "http://elsewhere/"})

    with (
        ConnectClient("http://one", credentials=Bearer("t"), transport=httpx.MockTransport(server)) as client,
        pytest.raises(ConnectRefused, match="307"),
    ):
        client.root()
    assert asked == ["one"]
