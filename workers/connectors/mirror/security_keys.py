"""The security settings of Kafka's clients that MirrorMaker's connectors list among their own: name, type, default, importance.

They have no effect there, nor here: a client of the mirrors is given the ones with its cluster's prefix
(`source.cluster.ssl.truststore.location`).
"""

from workers.connectors.configdef import Importance, Key, Type, Validator
from workers.connectors.validators import between, no_duplicates, one_of_any_case

_HIGH, _MEDIUM, _LOW = Importance.HIGH, Importance.MEDIUM, Importance.LOW

_KEYS: tuple[tuple[str, Type, object, Importance], ...] = (
    ("ssl.protocol", Type.STRING, "TLSv1.3", _MEDIUM),
    ("ssl.provider", Type.STRING, None, _MEDIUM),
    ("ssl.cipher.suites", Type.LIST, [], _LOW),
    ("ssl.enabled.protocols", Type.LIST, ["TLSv1.2", "TLSv1.3"], _MEDIUM),
    ("ssl.keystore.type", Type.STRING, "JKS", _MEDIUM),
    ("ssl.keystore.location", Type.STRING, None, _HIGH),
    ("ssl.keystore.password", Type.PASSWORD, None, _HIGH),
    ("ssl.key.password", Type.PASSWORD, None, _HIGH),
    ("ssl.keystore.key", Type.PASSWORD, None, _HIGH),
    ("ssl.keystore.certificate.chain", Type.PASSWORD, None, _HIGH),
    ("ssl.truststore.certificates", Type.PASSWORD, None, _HIGH),
    ("ssl.truststore.type", Type.STRING, "JKS", _MEDIUM),
    ("ssl.truststore.location", Type.STRING, None, _HIGH),
    ("ssl.truststore.password", Type.PASSWORD, None, _HIGH),
    ("ssl.keymanager.algorithm", Type.STRING, "SunX509", _LOW),
    ("ssl.trustmanager.algorithm", Type.STRING, "PKIX", _LOW),
    ("ssl.endpoint.identification.algorithm", Type.STRING, "https", _LOW),
    ("ssl.secure.random.implementation", Type.STRING, None, _LOW),
    ("ssl.engine.factory.class", Type.CLASS, None, _LOW),
    ("sasl.kerberos.service.name", Type.STRING, None, _MEDIUM),
    ("sasl.kerberos.kinit.cmd", Type.STRING, "/usr/bin/kinit", _LOW),
    ("sasl.kerberos.ticket.renew.window.factor", Type.DOUBLE, 0.8, _LOW),
    ("sasl.kerberos.ticket.renew.jitter", Type.DOUBLE, 0.05, _LOW),
    ("sasl.kerberos.min.time.before.relogin", Type.LONG, 60000, _LOW),
    ("sasl.login.refresh.window.factor", Type.DOUBLE, 0.8, _LOW),
    ("sasl.login.refresh.window.jitter", Type.DOUBLE, 0.05, _LOW),
    ("sasl.login.refresh.min.period.seconds", Type.SHORT, 60, _LOW),
    ("sasl.login.refresh.buffer.seconds", Type.SHORT, 300, _LOW),
    ("sasl.mechanism", Type.STRING, "GSSAPI", _MEDIUM),
    ("sasl.jaas.config", Type.PASSWORD, None, _MEDIUM),
    ("sasl.client.callback.handler.class", Type.CLASS, None, _MEDIUM),
    ("sasl.login.callback.handler.class", Type.CLASS, None, _MEDIUM),
    ("sasl.login.class", Type.CLASS, None, _MEDIUM),
    ("sasl.login.connect.timeout.ms", Type.INT, None, _LOW),
    ("sasl.login.read.timeout.ms", Type.INT, None, _LOW),
    ("sasl.login.retry.backoff.max.ms", Type.LONG, 10000, _LOW),
    ("sasl.login.retry.backoff.ms", Type.LONG, 100, _LOW),
    (
        "sasl.oauthbearer.jwt.retriever.class",
        Type.CLASS,
        "org.apache.kafka.common.security.oauthbearer.DefaultJwtRetriever",
        _MEDIUM,
    ),
    (
        "sasl.oauthbearer.jwt.validator.class",
        Type.CLASS,
        "org.apache.kafka.common.security.oauthbearer.DefaultJwtValidator",
        _MEDIUM,
    ),
    ("sasl.oauthbearer.scope", Type.STRING, None, _MEDIUM),
    ("sasl.oauthbearer.client.credentials.client.id", Type.STRING, None, _MEDIUM),
    ("sasl.oauthbearer.client.credentials.client.secret", Type.PASSWORD, None, _MEDIUM),
    ("sasl.oauthbearer.assertion.algorithm", Type.STRING, "RS256", _MEDIUM),
    ("sasl.oauthbearer.assertion.claim.aud", Type.STRING, None, _MEDIUM),
    ("sasl.oauthbearer.assertion.claim.exp.seconds", Type.INT, 300, _LOW),
    ("sasl.oauthbearer.assertion.claim.iss", Type.STRING, None, _MEDIUM),
    ("sasl.oauthbearer.assertion.claim.jti.include", Type.BOOLEAN, False, _MEDIUM),
    ("sasl.oauthbearer.assertion.claim.nbf.seconds", Type.INT, 60, _LOW),
    ("sasl.oauthbearer.assertion.claim.sub", Type.STRING, None, _MEDIUM),
    ("sasl.oauthbearer.assertion.file", Type.STRING, None, _MEDIUM),
    ("sasl.oauthbearer.assertion.private.key.file", Type.STRING, None, _MEDIUM),
    ("sasl.oauthbearer.assertion.private.key.passphrase", Type.PASSWORD, None, _MEDIUM),
    ("sasl.oauthbearer.assertion.template.file", Type.STRING, None, _MEDIUM),
    ("sasl.oauthbearer.scope.claim.name", Type.STRING, "scope", _LOW),
    ("sasl.oauthbearer.sub.claim.name", Type.STRING, "sub", _LOW),
    ("sasl.oauthbearer.token.endpoint.url", Type.STRING, None, _MEDIUM),
    ("sasl.oauthbearer.jwks.endpoint.url", Type.STRING, None, _MEDIUM),
    ("sasl.oauthbearer.jwks.endpoint.refresh.ms", Type.LONG, 3600000, _LOW),
    ("sasl.oauthbearer.jwks.endpoint.retry.backoff.max.ms", Type.LONG, 10000, _LOW),
    ("sasl.oauthbearer.jwks.endpoint.retry.backoff.ms", Type.LONG, 100, _LOW),
    ("sasl.oauthbearer.clock.skew.seconds", Type.INT, 30, _LOW),
    ("sasl.oauthbearer.expected.audience", Type.LIST, [], _LOW),
    ("sasl.oauthbearer.expected.issuer", Type.STRING, None, _LOW),
    ("sasl.oauthbearer.header.urlencode", Type.BOOLEAN, False, _LOW),
)


_LISTS = ("ssl.cipher.suites", "ssl.enabled.protocols", "sasl.oauthbearer.expected.audience")
_VALIDATORS: dict[str, Validator] = {
    **{name: no_duplicates(name) for name in _LISTS},
    "sasl.login.refresh.window.factor": between(0.5, 1.0),
    "sasl.login.refresh.window.jitter": between(0.0, 0.25),
    "sasl.login.refresh.min.period.seconds": between(0, 900),
    "sasl.login.refresh.buffer.seconds": between(0, 3600),
    "sasl.oauthbearer.assertion.algorithm": one_of_any_case("ES256", "RS256"),
}


def security_keys() -> tuple[Key, ...]:
    return tuple(
        Key(
            name,
            kind,
            default,
            importance,
            f"Without effect: for a cluster's clients it is set with the cluster's prefix, as in source.cluster.{name}.",
            _VALIDATORS.get(name),
        )
        for name, kind, default, importance in _KEYS
    )
