"""A real Apache Kafka Connect that is reached by HTTPS, with an authority of its own, and wants to see a certificate of whoever
comes. For tests; not a test module."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from connect_client import ConnectClient
from tests.certificates import Certified, authority, certified, trusting
from tests.peer import connect_worker
from tests.running import free_port

PASSWORD = "changeit"


@dataclass(frozen=True)
class Guarded:
    """`url` is the guarded one; `client` comes by another door."""

    url: str
    authority: Certified
    client: ConnectClient


@contextmanager
def guarded_connect(kafka: str, folder: Path, group: str) -> Iterator[Guarded]:
    ca = authority()
    (folder / "server.p12").write_bytes(certified(ca).store(PASSWORD))
    (folder / "trusted.p12").write_bytes(trusting(ca, password=PASSWORD))
    port = free_port()
    url = f"https://127.0.0.1:{port + 1}"
    stores = {"keystore": "server.p12", "truststore": "trusted.p12"}
    settings = {f"listeners.https.ssl.{store}.location": str(folder / file) for store, file in stores.items()}
    settings |= {f"listeners.https.ssl.{store}.type": "PKCS12" for store in stores}
    settings |= {
        f"listeners.https.ssl.{secret}": PASSWORD for secret in ("keystore.password", "truststore.password", "key.password")
    }
    settings |= {"listeners": f"http://127.0.0.1:{port},{url}", "listeners.https.ssl.client.auth": "required"}
    with connect_worker(kafka, folder, group=group, settings=settings, port=port) as client:
        yield Guarded(url, ca, client)
