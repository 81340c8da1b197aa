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


def test_topic_tracking(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CONNECT_TOPIC_TRACKING_ENABLE", "false")
    monkeypatch.setenv("CONNECT_TOPIC_TRACKING_ALLOW_RESET", "false")
    tracking = worker_config().topic_tracking
    assert (tracking.enabled, tracking.allow_reset) == (False, False)


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
