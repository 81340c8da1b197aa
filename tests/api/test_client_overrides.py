"""Kafka client settings in a connector's config, as a caller meets the rules for them (facts §7.4, §15.6)."""

from collections.abc import Iterator

import pytest

from tests.api.conftest import Api, api_of
from tests.api.expect import expect_error
from workers.connectors.overrides import ClientRules, policy
from workers.connectors.plugins import InstalledPlugins, discover

SOURCE = {"connector.class": "FileStreamSource", "file": "/f", "topic": "t"}
SINK = {"connector.class": "FileStreamSink", "topics": "t"}
JNDI = "com.sun.security.auth.module.JndiLoginModule"


@pytest.fixture
def api(request: pytest.FixtureRequest) -> Iterator[Api]:
    """With the installed connectors, under a policy."""
    with api_of(InstalledPlugins(discover(), ClientRules(policy(getattr(request, "param", "All"))))) as api:
        yield api


def invalid(*messages: str) -> str:
    return (
        f"Connector configuration is invalid and contains the following {len(messages)} error(s):\n"
        + "\n".join(messages)
        + "\nYou can also find the above list of errors at the endpoint `/connector-plugins/{connectorType}/config/validate`"
    )


@pytest.mark.parametrize("api", ["None"], indirect=True)
@pytest.mark.parametrize(("config", "client"), [(SOURCE, "producer"), (SINK, "consumer")])
def test_what_the_policy_does_not_allow_is_refused_for_the_client_in_use(api: Api, config: dict[str, str], client: str) -> None:
    message = invalid("The 'None' policy does not allow 'acks' to be overridden in the connector configuration.")
    both = {**config, "producer.override.acks": "1", "consumer.override.acks": "1", "admin.override.acks": "1"}
    body = {"name": "a", "config": both}
    expect_error(api.request("POST", "/connectors", body), 400, message)
    expect_error(api.request("PUT", "/connectors/a/config", both), 400, message)
    assert api.herding.config_keys() == []
    del both[f"{client}.override.acks"]
    assert api.request("POST", "/connectors", body).status_code == 201


@pytest.mark.parametrize(
    ("key", "value", "reason"),
    [
        ("producer.override.sasl.jaas.config", f"{JNDI} required;", f"the login module {JNDI} is not among the allowed ones."),
        ("config.providers", "file", "it would let the worker read its files and environment for the connector."),
        ("producer.override.sasl.oauthbearer.token.endpoint.url", "file:/f", "its URL is not among the allowed ones."),
        ("consumer.override.interceptor.classes", "X", "it would let the worker load and run classes of the connector's choice."),
    ],
)
def test_what_no_policy_allows(api: Api, key: str, value: str, reason: str) -> None:
    message = invalid(f"'{key}' is not allowed in a connector configuration: {reason}")
    expect_error(api.request("PUT", "/connectors/a/config", {**SOURCE, key: value}), 400, message)
    assert api.request("PUT", "/connectors/a/config", SOURCE).status_code == 201
    expect_error(api.request("PUT", "/connectors/a/config", {**SOURCE, key: value}), 400, message)
    assert key not in api.json("/connectors/a/config")


def test_a_config_that_came_by_another_road_fails_its_instance(api: Api) -> None:
    """From a Kafka Connect whose topics were taken over, say."""
    config = {"name": "a", **SOURCE, "producer.override.metric.reporters": "X"}
    api.herding.configs.put_connector("a", config)
    api.herding.settle()
    status = api.json("/connectors/a/status")
    assert status["connector"]["state"] == "FAILED"
    assert "'producer.override.metric.reporters' is not allowed in a connector configuration" in status["connector"]["trace"]
    assert api.json("/connectors/a/config") == config
