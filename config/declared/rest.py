"""How the REST API is reached and served, under Kafka Connect's names."""

from typing import Any

from config.declared.setting import HIGH, LOW, MEDIUM, Integer, Setting, Text, Words

LISTENERS = Text(
    "CONNECT_LISTENERS",
    "",
    "where it listens ([below](#listeners)); `DROVER_HOST` and `DROVER_PORT` are the first one's where they are set",
    key="listeners",
    shown="`http://127.0.0.1:8083`",
)
ADMIN_LISTENERS = Text(
    "CONNECT_ADMIN_LISTENERS",
    "",
    "where `/admin/` is: set, only there, and nothing else is there; set to nothing, nowhere",
    key="admin.listeners",
    shown="on all listeners",
)
ADVERTISED_HOST = Text(
    "CONNECT_REST_ADVERTISED_HOST_NAME",
    None,
    "of `worker_id` in statuses",
    key="rest.advertised.host.name",
    shown="this machine's name",
)
ADVERTISED_PORT = Integer(
    "CONNECT_REST_ADVERTISED_PORT",
    None,
    "of `worker_id` in statuses",
    key="rest.advertised.port",
    shown="that of the advertised listener",
    minimum=1,
    maximum=65535,
)
ADVERTISED_LISTENER = Text(
    "CONNECT_REST_ADVERTISED_LISTENER",
    "",
    "which listener's port `worker_id` has: that of the first with this scheme",
    key="rest.advertised.listener",
    allowed="http, https",
    shown="the first one",
)
ALLOW_ORIGIN = Words(
    "CONNECT_ACCESS_CONTROL_ALLOW_ORIGIN",
    (),
    "other sites whose pages may ask: origins, regular expressions of some, or `*`",
    key="access.control.allow.origin",
)
ALLOW_METHODS = Words(
    "CONNECT_ACCESS_CONTROL_ALLOW_METHODS",
    ("GET", "POST", "HEAD"),
    "the methods that such pages are told",
    key="access.control.allow.methods",
)
RESPONSE_HEADERS = Text(
    "CONNECT_RESPONSE_HTTP_HEADERS_CONFIG",
    "",
    "headers for every response: `[action] [header name]:[header value]`, comma-separated; the action is set, add, setDate or "
    "addDate, a date is in milliseconds from now",
    key="response.http.headers.config",
)


def _tls(key: str, meaning: str, default: str = "", importance: str = LOW) -> Text:
    variable = f"CONNECT_SSL_{key.upper().replace('.', '_')}"
    return Text(variable, default, meaning, key=f"ssl.{key}", importance=importance)


#: By the key behind `ssl.`; their variables and keys are those without a prefix.
TLS: dict[str, Text] = {
    setting.key.removeprefix("ssl."): setting
    for setting in (
        _tls("keystore.location", "a file with the server's key and certificates: PEM or PKCS #12", importance=HIGH),
        _tls("keystore.type", "PEM or PKCS12; seen from the file anyway", importance=MEDIUM),
        _tls("keystore.password", "of a file of PKCS #12", importance=HIGH),
        _tls("keystore.key", "the key itself, PEM, where there is no file", importance=HIGH),
        _tls("keystore.certificate.chain", "and its certificates", importance=HIGH),
        _tls("key.password", "of an encrypted key in PEM", importance=HIGH),
        _tls("truststore.location", "a file with the certificates that clients' ones are checked by", importance=HIGH),
        _tls("truststore.type", "PEM or PKCS12; seen from the file anyway", importance=MEDIUM),
        _tls("truststore.password", "of a file of PKCS #12", importance=HIGH),
        _tls("truststore.certificates", "these certificates themselves, PEM", importance=HIGH),
        _tls("client.auth", "whether clients show a certificate: none, requested or required", "none"),
        _tls("enabled.protocols", "of TLSv1.2 and TLSv1.3", "TLSv1.2,TLSv1.3", MEDIUM),
    )
}
REST: tuple[Setting[Any], ...] = (
    LISTENERS,
    ADMIN_LISTENERS,
    ADVERTISED_HOST,
    ADVERTISED_PORT,
    ADVERTISED_LISTENER,
    ALLOW_ORIGIN,
    ALLOW_METHODS,
    RESPONSE_HEADERS,
    *TLS.values(),
)
