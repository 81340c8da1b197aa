"""Certificates and keys in PEM: what is wrong with them, and what they are in a line."""

from cryptography import x509
from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat, load_pem_private_key

from connect_client import Tls, UnusableTls


def wrong_certificates(text: str) -> str:
    """A sentence; empty where nothing is wrong, or nothing there."""
    if not text:
        return ""
    try:
        x509.load_pem_x509_certificates(text.encode())
    except ValueError:
        return "This is no certificate in PEM: it begins with -----BEGIN CERTIFICATE-----."
    return ""


def wrong_key(text: str, certificate: str) -> str:
    """`certificate`: the one that it has to fit, the first of those in the text; empty for none."""
    try:
        key = load_pem_private_key(text.encode(), None)
    except TypeError:
        return "This key is encrypted: give it as it is, it is sealed here."
    except (ValueError, UnsupportedAlgorithm):
        return "This is no private key in PEM: it begins with -----BEGIN PRIVATE KEY-----."
    if not certificate:
        return ""
    public = x509.load_pem_x509_certificates(certificate.encode())[0].public_key()
    same = public.public_bytes(Encoding.PEM, _INFO) == key.public_key().public_bytes(Encoding.PEM, _INFO)
    return "" if same else "This key does not belong to the certificate."


def unusable(authorities: str, certificate: str, private_key: str) -> str:
    """What OpenSSL has against them, such as a key that is too short."""
    try:
        Tls(authorities, certificate, private_key).context()
    except UnusableTls as error:
        return str(error)
    return ""


def about(text: str) -> str:
    """`CN=an authority, until 2027-01-01`, and how many more; empty for what cannot be read."""
    try:
        first, *more = x509.load_pem_x509_certificates(text.encode())
    except ValueError:
        return ""
    told = f"{first.subject.rfc4514_string()}, until {first.not_valid_after_utc:%Y-%m-%d}"
    return f"{told}, and {len(more)} more" if more else told


_INFO = PublicFormat.SubjectPublicKeyInfo
