"""The TLS of a listener, from Kafka Connect's `ssl.*`: stores of PEM and PKCS #12."""

import ssl
import tempfile
from collections.abc import Sequence
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives.serialization import (
    BestAvailableEncryption,
    Encoding,
    NoEncryption,
    PrivateFormat,
    pkcs12,
)

from workers import rest_config
from workers.rest_config import Tls

_JKS = b"\xfe\xed\xfe\xed"
_CLIENT_AUTH = {"none": ssl.CERT_NONE, "requested": ssl.CERT_OPTIONAL, "required": ssl.CERT_REQUIRED}
_VERSIONS = {"TLSv1.2": ssl.TLSVersion.TLSv1_2, "TLSv1.3": ssl.TLSVersion.TLSv1_3}


class TlsRefused(Exception):
    """The message names the variable."""


def context(admin: bool) -> ssl.SSLContext:
    """Of `listeners`, or of `admin.listeners`. Raises TlsRefused."""
    return context_of(rest_config.tls(admin))


def demands_certificate(admin: bool) -> bool:
    return rest_config.tls(admin).values.get("client.auth") == "required"


def context_of(tls: Tls) -> ssl.SSLContext:
    """Raises TlsRefused."""
    made = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    made.minimum_version, made.maximum_version = _versions(tls)
    _load_key(made, tls)
    made.verify_mode = _chosen(tls, "client.auth", "none", _CLIENT_AUTH)
    if made.verify_mode != ssl.CERT_NONE:
        _load_trusted(made, tls)
    return made


def _versions(tls: Tls) -> tuple[ssl.TLSVersion, ssl.TLSVersion]:
    given = [name.strip() for name in tls.values.get("enabled.protocols", "TLSv1.2,TLSv1.3").split(",") if name.strip()]
    if not given or any(name not in _VERSIONS for name in given):
        raise TlsRefused(f"{tls.variable('enabled.protocols')} must be of {', '.join(_VERSIONS)}, not {', '.join(given)}")
    found = sorted(_VERSIONS[name] for name in given)
    return found[0], found[-1]


def _chosen(tls: Tls, key: str, default: str, known: dict[str, ssl.VerifyMode]) -> ssl.VerifyMode:
    value = tls.values.get(key, default)
    if value not in known:
        raise TlsRefused(f"{tls.variable(key)} must be one of {', '.join(known)}, not {value!r}")
    return known[value]


# --- the server's key ---------------------------------------------------------------------------------------------------


def _load_key(made: ssl.SSLContext, tls: Tls) -> None:
    if "keystore.location" in tls.values:
        variable, content = tls.variable("keystore.location"), _store(tls, "keystore")
        password = tls.values.get("key.password") or tls.values.get("keystore.password")
        pem = _pem_of_key(variable, content, tls.values.get("keystore.password")) if _is_pkcs12(content) else content
        # What came from a PKCS #12 store is encrypted with the store's password, if it has one.
        password = tls.values.get("keystore.password") if _is_pkcs12(content) else password
    elif "keystore.key" in tls.values:
        variable, password = tls.variable("keystore.key"), tls.values.get("key.password")
        pem = "\n".join(tls.values.get(key, "") for key in ("keystore.key", "keystore.certificate.chain")).encode()
    else:
        raise TlsRefused(f"{tls.variable('keystore.location')} is needed: a listener is https")
    # Python takes a key from a file only; this one is nobody else's, and gone at once.
    with tempfile.NamedTemporaryFile(prefix="drover-") as file:
        file.write(pem)
        file.flush()
        try:
            made.load_cert_chain(file.name, password=password or "")
        except (ssl.SSLError, OSError, ValueError) as error:
            reason = "the password is not its" if "PASSWORD" in str(error).upper() or "decrypt" in str(error) else str(error)
            raise TlsRefused(f"{variable} does not hold a key and its certificate that can be read: {reason}") from error


def _pem_of_key(variable: str, content: bytes, password: str | None) -> bytes:
    found = _unpacked(variable, content, password)
    if found.key is None or found.cert is None:
        raise TlsRefused(f"{variable} holds no key with a certificate")
    sealed = BestAvailableEncryption(password.encode()) if password else None

    key = found.key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, sealed or NoEncryption())
    return key + _pem([each.certificate for each in (found.cert, *found.additional_certs)])


# --- whom it trusts -----------------------------------------------------------------------------------------------------


def _load_trusted(made: ssl.SSLContext, tls: Tls) -> None:
    if "truststore.location" in tls.values:
        variable, content = tls.variable("truststore.location"), _store(tls, "truststore")
        if _is_pkcs12(content):
            found = _unpacked(variable, content, tls.values.get("truststore.password"))
            content = _pem([each.certificate for each in (*([found.cert] if found.cert else []), *found.additional_certs)])
    elif "truststore.certificates" in tls.values:
        variable, content = tls.variable("truststore.certificates"), tls.values["truststore.certificates"].encode()
    else:
        raise TlsRefused(f"{tls.variable('truststore.location')} is needed: clients' certificates are asked for")
    try:
        made.load_verify_locations(cadata=content.decode())
    except (ssl.SSLError, UnicodeDecodeError, ValueError) as error:
        raise TlsRefused(f"{variable} holds no certificates that can be read: {error}") from error


# --- stores -------------------------------------------------------------------------------------------------------------


def _store(tls: Tls, which: str) -> bytes:
    variable, location = tls.variable(f"{which}.location"), Path(tls.values[f"{which}.location"])
    try:
        content = location.read_bytes()
    except OSError as error:
        raise TlsRefused(f"{variable} names {location}, which cannot be read: {error.strerror}") from error
    if content.startswith(_JKS):
        new = location.with_suffix(".p12")
        raise TlsRefused(
            f"{variable} names {location}, which is a keystore in Java's own format (JKS). Convert it, and name that: "
            f"keytool -importkeystore -srckeystore {location} -destkeystore {new} -deststoretype PKCS12"
        )
    return content


def _is_pkcs12(content: bytes) -> bool:
    # DER begins with a sequence, PEM with a line of text.
    return content.startswith(b"\x30")


def _unpacked(variable: str, content: bytes, password: str | None) -> pkcs12.PKCS12KeyAndCertificates:
    try:
        return pkcs12.load_pkcs12(content, password.encode() if password else None)
    except ValueError as error:
        raise TlsRefused(f"{variable} names a store of PKCS #12 that cannot be opened: {error}") from error


def _pem(certificates: Sequence[x509.Certificate]) -> bytes:
    return b"".join(each.public_bytes(Encoding.PEM) for each in certificates)
