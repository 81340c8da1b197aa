"""Certificates for tests: an authority, and keys that it vouches for. Not a test module."""

import datetime
import ipaddress
from dataclasses import dataclass

from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import (
    BestAvailableEncryption,
    Encoding,
    NoEncryption,
    PrivateFormat,
    pkcs12,
)


@dataclass(frozen=True)
class Certified:
    key: ec.EllipticCurvePrivateKey
    certificate: x509.Certificate

    def key_pem(self, password: str = "") -> str:
        sealed = BestAvailableEncryption(password.encode()) if password else NoEncryption()
        return self.key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, sealed).decode()

    def certificate_pem(self) -> str:
        return self.certificate.public_bytes(Encoding.PEM).decode()

    def pem(self, password: str = "") -> str:
        return self.key_pem(password) + self.certificate_pem()

    def store(self, password: str) -> bytes:
        """PKCS #12."""
        return pkcs12.serialize_key_and_certificates(
            b"server", self.key, self.certificate, None, BestAvailableEncryption(password.encode())
        )


def authority() -> Certified:
    key = ec.generate_private_key(ec.SECP256R1())
    return Certified(key, _signed("an authority", key, "an authority", key, True))


def certified(by: Certified, name: str = "127.0.0.1") -> Certified:
    key = ec.generate_private_key(ec.SECP256R1())
    return Certified(key, _signed(name, key, "an authority", by.key, False))


def trusting(*certified: Certified, password: str) -> bytes:
    """A truststore, PKCS #12."""
    return pkcs12.serialize_java_truststore(
        [pkcs12.PKCS12Certificate(each.certificate, f"ca{number}".encode()) for number, each in enumerate(certified)],
        BestAvailableEncryption(password.encode()),
    )


def _signed(
    name: str, key: ec.EllipticCurvePrivateKey, issuer: str, by: ec.EllipticCurvePrivateKey, is_authority: bool
) -> x509.Certificate:
    now = datetime.datetime.now(datetime.UTC)
    address = x509.IPAddress(ipaddress.ip_address("127.0.0.1"))
    return (
        x509.CertificateBuilder()
        .subject_name(x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, name)]))
        .issuer_name(x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, issuer)]))
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - datetime.timedelta(days=1))
        .not_valid_after(now + datetime.timedelta(days=1))
        .add_extension(x509.BasicConstraints(ca=is_authority, path_length=None), critical=True)
        .add_extension(x509.SubjectAlternativeName([address]), critical=False)
        .sign(by, hashes.SHA256())
    )
