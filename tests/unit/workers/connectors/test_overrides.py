"""Which client settings a connector may bring along (facts §15.6)."""

import pytest

from workers.connectors.overrides import ClientRules, UnknownPolicy, client_properties, policy
from workers.herder.values import ConnectorType

JAVA = "org.apache.kafka.connect.connector.policy.{}ConnectorClientConfigOverridePolicy"
CONFIG = {
    "name": "a",
    "producer.override.acks": "1",
    "producer.override.sasl.mechanism": "PLAIN",
    "consumer.override.fetch.min.bytes": "5",
    "consumer.override.security.protocol": "SSL",
    "admin.override.retries": "1",
}


def refused(name: str, *keys: str) -> list[str]:
    return [f"The '{name}' policy does not allow '{key}' to be overridden in the connector configuration." for key in keys]


@pytest.mark.parametrize("form", ["{}", JAVA, "{}ConnectorClientConfigOverridePolicy"])
@pytest.mark.parametrize(
    ("name", "source", "sink"),
    [
        ("All", [], []),
        ("None", ["acks", "sasl.mechanism"], ["fetch.min.bytes", "security.protocol"]),
        ("Principal", ["acks"], ["fetch.min.bytes"]),
        ("Allowlist", ["sasl.mechanism"], ["security.protocol"]),
    ],
)
def test_policies(form: str, name: str, source: list[str], sink: list[str]) -> None:
    """Only the client that the connector uses is looked at."""
    found = policy(form.format(name), ["acks", "fetch.min.bytes"])
    assert found.errors(CONFIG, "source") == refused(name, *source)
    assert found.errors(CONFIG, "sink") == refused(name, *sink)
    assert found.errors(CONFIG, "unknown") == []


def test_the_admin_client_is_used_by_a_source_that_makes_topics() -> None:
    makes = {**CONFIG, "topic.creation.groups": ""}
    assert policy("None").errors(makes, "source") == refused("None", "acks", "sasl.mechanism", "retries")


def test_an_empty_allowlist_allows_nothing() -> None:
    assert policy("Allowlist").errors(CONFIG, "source") == refused("Allowlist", "acks", "sasl.mechanism")


@pytest.mark.parametrize("name", ["", "all", "Nope", "com.example.MyPolicy", JAVA.format("Nope")])
def test_an_unknown_policy_names_those_that_there_are(name: str) -> None:
    with pytest.raises(UnknownPolicy, match=r"^must be one of All, None, Principal, Allowlist, or the Java class of one, not '"):
        policy(name)


@pytest.mark.parametrize(
    ("kind", "expected"),
    [
        ("source", {"acks": "1", "sasl.mechanism": "PLAIN"}),
        ("sink", {"fetch.min.bytes": "5", "security.protocol": "SSL"}),
        ("unknown", {}),
    ],
)
def test_what_the_client_is_given(kind: ConnectorType, expected: dict[str, str]) -> None:
    own = {
        f"{client}.override.{key}": "x"
        for client in ("producer", "consumer")
        for key in ("group.id", "auto.offset.reset", "enable.auto.commit", "key.serializer", "value.deserializer")
    }
    assert client_properties({**CONFIG, **own}, kind) == expected


def test_a_name_in_capitals_is_unknown_to_kafka_and_must_not_become_known_to_it_through_spark() -> None:
    config = {"consumer.override.Bootstrap.Servers": "x", "consumer.override.Group.Id": "x"}
    assert client_properties(config, "sink") == {}


@pytest.mark.parametrize(
    ("kind", "config", "count"),
    [
        ("source", {}, 0),
        ("source", {"producer.override.linger.ms": "5"}, 1),
        ("sink", {"producer.override.linger.ms": "5"}, 0),
        ("source", {"producer.override.metric.reporters": "x"}, 2),
        # Refused wherever it stands, used or not.
        ("sink", {"producer.override.metric.reporters": "x"}, 1),
        ("sink", {"consumer.override.bootstrap.servers": "x"}, 1),
        ("unknown", {"config.providers": "x"}, 1),
    ],
)
def test_all_rules_together(kind: ConnectorType, config: dict[str, str], count: int) -> None:
    assert len(ClientRules(policy("None")).errors(config, kind)) == count
