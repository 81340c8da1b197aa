"""The worker's settings, from the environment."""

from collections.abc import Iterator

import pytest
from django.core.exceptions import ImproperlyConfigured

from workers.config import worker_config

POLICY = "CONNECT_CONNECTOR_CLIENT_CONFIG_OVERRIDE_POLICY"


@pytest.fixture(autouse=True)
def anew() -> Iterator[None]:
    worker_config.cache_clear()
    yield
    worker_config.cache_clear()


def test_defaults_are_kafka_connects() -> None:
    config = worker_config()
    assert (config.topic_tracking.enabled, config.topic_tracking.allow_reset) == (True, True)
    assert config.client_rules.policy.name == "All"
    assert config.creates_topics


def test_topic_creation(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CONNECT_TOPIC_CREATION_ENABLE", "false")
    assert not worker_config().creates_topics


def test_topic_tracking(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CONNECT_TOPIC_TRACKING_ENABLE", "false")
    monkeypatch.setenv("CONNECT_TOPIC_TRACKING_ALLOW_RESET", "false")
    tracking = worker_config().topic_tracking
    assert (tracking.enabled, tracking.allow_reset) == (False, False)


def test_converters(monkeypatch: pytest.MonkeyPatch) -> None:
    """For connectors that name none; a setting of another converter is nobody's."""
    monkeypatch.setenv("CONNECT_VALUE_CONVERTER", "org.apache.kafka.connect.json.JsonConverter")
    monkeypatch.setenv("CONNECT_VALUE_CONVERTER_SCHEMAS_ENABLE", "false")
    assert worker_config().converters == {
        "key.converter": "org.apache.kafka.connect.storage.StringConverter",
        "value.converter": "org.apache.kafka.connect.json.JsonConverter",
        "value.converter.schemas.enable": "false",
        "header.converter": "org.apache.kafka.connect.storage.SimpleHeaderConverter",
    }


@pytest.mark.parametrize(
    ("variable", "value", "message"),
    [
        ("CONNECT_KEY_CONVERTER", "Nope", r"^CONNECT_KEY_CONVERTER must be one of .*StringConverter, not 'Nope'$"),
        ("CONNECT_HEADER_CONVERTER", "Nope", r"^CONNECT_HEADER_CONVERTER must be one of .*SimpleHeaderConverter, "),
        (
            "CONNECT_KEY_CONVERTER_CONVERTER_ENCODING",
            "UTF-99",
            r"^CONNECT_KEY_CONVERTER_CONVERTER_ENCODING is wrong: Invalid value UTF-99 for configuration converter.encoding: ",
        ),
    ],
)
def test_converters_that_are_not_there(monkeypatch: pytest.MonkeyPatch, variable: str, value: str, message: str) -> None:
    monkeypatch.setenv(variable, value)
    with pytest.raises(ImproperlyConfigured, match=message):
        worker_config()


def test_client_rules(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(POLICY, "Allowlist")
    monkeypatch.setenv("CONNECT_CONNECTOR_CLIENT_CONFIG_OVERRIDE_ALLOWLIST", "acks, linger.ms")
    monkeypatch.setenv("DROVER_ALLOWED_LOGIN_MODULES", "com.example.Mine")
    monkeypatch.setenv("DROVER_ALLOWED_OAUTHBEARER_URLS", "https://id.example/token")
    rules = worker_config().client_rules
    assert rules.policy.keys == frozenset({"acks", "linger.ms"})
    assert rules.permitted.login_modules == {"com.example.Mine"}
    assert rules.permitted.oauthbearer_urls == {"https://id.example/token"}


def test_an_unknown_policy_stops_the_start(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(POLICY, "Nope")
    with pytest.raises(ImproperlyConfigured, match=rf"^{POLICY} must be one of All, None, Principal, Allowlist, .* not 'Nope'$"):
        worker_config()


@pytest.mark.parametrize("found", ["disabled", "Preparing"])
def test_what_exactly_once_support_may_be(monkeypatch: pytest.MonkeyPatch, found: str) -> None:
    """With `preparing` Kafka Connect's leader writes in transactions, as Drover's always does; tasks do not."""
    monkeypatch.setenv("CONNECT_EXACTLY_ONCE_SOURCE_SUPPORT", found)
    worker_config()


def test_exactly_once_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CONNECT_EXACTLY_ONCE_SOURCE_SUPPORT", "enabled")
    with pytest.raises(ImproperlyConfigured, match=r"^CONNECT_EXACTLY_ONCE_SOURCE_SUPPORT must be disabled or preparing"):
        worker_config()


def test_settings_of_spark(monkeypatch: pytest.MonkeyPatch) -> None:
    """A value with commas is one value."""
    monkeypatch.setenv("DROVER_SPARK_CONF", "spark.sql.extensions=a.B,c.D, spark.a=x=y,spark.b=")
    assert worker_config().spark_conf == {"spark.sql.extensions": "a.B,c.D", "spark.a": "x=y", "spark.b": ""}


@pytest.mark.parametrize("text", ["a", "a=b", "spark.a"])
def test_what_is_no_setting_of_spark_is_refused(monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    monkeypatch.setenv("DROVER_SPARK_CONF", text)
    with pytest.raises(ImproperlyConfigured, match=r"DROVER_SPARK_CONF must be spark.<key>=<value>, not"):
        worker_config()
