"""Settings that no connector may bring."""

import pytest

from workers.connectors.forbidden import Permitted, forbidden, login_modules

PLAIN = "org.apache.kafka.common.security.plain.PlainLoginModule"
SCRAM = "org.apache.kafka.common.security.scram.ScramLoginModule"
JNDI = "com.sun.security.auth.module.JndiLoginModule"
LDAP = "com.sun.security.auth.module.LdapLoginModule"


@pytest.mark.parametrize(
    ("jaas", "modules"),
    [
        (f'{PLAIN} required username="u" password="p";', [PLAIN]),
        (f"  {PLAIN} REQUIRED\n  username='u';", None),
        (f'{PLAIN} required username="u"\n\tpassword="a;b \\" c // d /* e";', [PLAIN]),
        (f"{PLAIN} required;", [PLAIN]),
        (f"{PLAIN} required tokenauth=true;{JNDI} optional;\n", [PLAIN, JNDI]),
        (f'{PLAIN} required a="x" ; {SCRAM} sufficient b = "y" ;', [PLAIN, SCRAM]),
        # What Java's reader and this one could read differently.
        (f'{PLAIN} required a="x\n{JNDI} required;"', None),
        (f"/* {PLAIN} required; */ {JNDI} required;", None),
        (f"{PLAIN} required; // {JNDI}\n", None),
        (f"{PLAIN} required a='; {JNDI} required b=';", None),
        (f'{PLAIN} required a="x\\\n{JNDI} required;"', None),
        # Not JAAS.
        (f"{PLAIN} required", None),
        (PLAIN, None),
        ("", None),
        ("   ", None),
        ("${file:/secrets:jaas}", None),
        ("ｃｏｍ.Evil required;", None),
    ],
)
def test_login_modules(jaas: str, modules: list[str] | None) -> None:
    assert login_modules(jaas) == modules


@pytest.mark.parametrize(
    "key",
    [
        "interceptor.classes",
        "producer.override.interceptor.classes",
        "consumer.override.interceptor.classes",
        "producer.override.Interceptor.Classes",
        " producer.override.interceptor.classes ",
        "admin.override.metric.reporters",
        "producer.override.ssl.engine.factory.class",
        "producer.override.security.providers",
        "schema.history.internal.producer.security.providers",
        "config.providers",
        "config.providers.file.class",
        "config.providers.file.param.allowed.paths",
        "producer.override.config.providers",
        "source.cluster.config.providers.x.class",
        "producer.override.sasl.oauthbearer.token.endpoint.url",
        "sasl.oauthbearer.jwks.endpoint.url",
        "source.cluster.sasl.oauthbearer.jwks.endpoint.url",
        "producer.override.sasl.jaas.config",
        "database.history.consumer.sasl.jaas.config",
    ],
)
def test_refused_under_any_prefix(key: str) -> None:
    messages = forbidden({"name": "a", key: "file:/etc/passwd"})
    assert len(messages) == 1
    assert messages[0].startswith(f"'{key}' is not allowed in a connector configuration: ")
    assert "/etc/passwd" not in messages[0]


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("producer.override.sasl.jaas.config", f'{PLAIN} required username="u" password="p";'),
        ("producer.override.sasl.jaas.config", f'{SCRAM} required username="u" password="p";'),
        ("producer.override.security.protocol", "SASL_SSL"),
        ("producer.override.sasl.mechanism", "OAUTHBEARER"),
        ("interceptors", "x"),
        ("config.provider", "x"),
        ("topic.metric.reporter", "x"),
        ("sasl.oauthbearer.scope.claim.name", "x"),
    ],
)
def test_not_refused(key: str, value: str) -> None:
    assert forbidden({key: value}) == []


@pytest.mark.parametrize("module", [JNDI, LDAP, "com.example.Mine", PLAIN.lower()])
def test_a_login_module_that_is_not_allowed(module: str) -> None:
    assert forbidden({"x.sasl.jaas.config": f'{PLAIN} required;{module} required password="s3cret";'}) == [
        "'x.sasl.jaas.config' is not allowed in a connector configuration: "
        f"the login module {module} is not among the allowed ones."
    ]


def test_what_the_operator_permits() -> None:
    permitted = Permitted(frozenset({"com.example.Mine"}), frozenset({"https://id.example/token"}))
    url = "producer.override.sasl.oauthbearer.token.endpoint.url"
    jaas = "producer.override.sasl.jaas.config"
    assert forbidden({url: "https://id.example/token", jaas: "com.example.Mine required;"}, permitted) == []
    assert len(forbidden({url: "https://id.example/token/../x", jaas: f"{PLAIN} required;"}, permitted)) == 2


def test_a_pathological_value_is_read_in_no_time() -> None:
    assert login_modules(f"{PLAIN} required " + 'a="b" ' * 50_000) is None
