"""Kafka client settings that a connector brings along (KIP-458): which it may, and what becomes of them."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass

from workers.connectors.forbidden import PERMITTED, Permitted, forbidden
from workers.herder.values import Config, ConnectorType

_JAVA_PACKAGE = "org.apache.kafka.connect.connector.policy."
_JAVA_SUFFIX = "ConnectorClientConfigOverridePolicy"
_PRINCIPAL = frozenset({"security.protocol", "sasl.jaas.config", "sasl.mechanism"})

#: The client that a connector of a type really uses. What is meant for others has no effect and is nobody's business.
_PREFIX = {"source": "producer.override.", "sink": "consumer.override."}

#: What the runtime alone decides, or acts on by itself: no business of the client's.
_NOT_PASSED_ON = frozenset(
    {
        "key.serializer",
        "value.serializer",
        "key.deserializer",
        "value.deserializer",
        "enable.auto.commit",
        "auto.offset.reset",
        "group.id",
    }
)


class UnknownPolicy(ValueError):
    """There is no policy of that name; the text names those that there are."""


@dataclass(frozen=True, slots=True)
class OverridePolicy:
    """`connector.client.config.override.policy`. `keys` are the settings that it allows, None for all."""

    name: str
    keys: frozenset[str] | None = None

    def errors(self, config: Config, kind: ConnectorType) -> list[str]:
        """One message for each override that is not allowed, in Kafka Connect's words."""
        return [
            f"The '{self.name}' policy does not allow '{key}' to be overridden in the connector configuration."
            for key in overrides(config, kind)
            if self.keys is not None and key not in self.keys
        ]


ALL = OverridePolicy("All")


def policy(name: str, allowlist: Collection[str] = ()) -> OverridePolicy:
    """By its short name or its Java class. `allowlist` is what the policy Allowlist allows. Raises UnknownPolicy."""
    policies = [
        ALL,
        OverridePolicy("None", frozenset()),
        OverridePolicy("Principal", _PRINCIPAL),
        OverridePolicy("Allowlist", frozenset(allowlist)),
    ]
    short = name.removeprefix(_JAVA_PACKAGE).removesuffix(_JAVA_SUFFIX)
    for found in policies:
        if short == found.name:
            return found
    raise UnknownPolicy(f"must be one of {', '.join(found.name for found in policies)}, or the Java class of one, not {name!r}")


def overrides(config: Config, kind: ConnectorType) -> dict[str, str]:
    """The settings, without their prefix, for the client that a connector of this type uses."""
    prefix = _PREFIX.get(kind)
    if prefix is None:
        return {}
    return {key.removeprefix(prefix): value for key, value in config.items() if key.startswith(prefix)}


def unsupported(config: Config, kind: ConnectorType) -> list[str]:
    """What Kafka Connect can do and Drover cannot. One message each."""
    if kind == "sink" and "bootstrap.servers" in overrides(config, kind):
        return [
            "'consumer.override.bootstrap.servers' is not supported: a sink reads from the Kafka cluster that its worker is "
            "connected to, and keeps its offsets there."
        ]
    return []


def client_properties(config: Config, kind: ConnectorType) -> Mapping[str, str]:
    """What the connector's Kafka client is given on top of the runtime's own settings, and in place of them."""
    # Kafka's settings are all in small letters and another spelling is none of them; to Spark it would be the same.
    return {k: value for k, value in overrides(config, kind).items() if k == k.lower() and k not in _NOT_PASSED_ON}


@dataclass(frozen=True, slots=True)
class ClientRules:
    """All that a worker refuses of a connector's client settings."""

    policy: OverridePolicy = ALL
    permitted: Permitted = PERMITTED

    def errors(self, config: Config, kind: ConnectorType) -> list[str]:
        """One message each. `config` is to have its variables resolved."""
        return self.policy.errors(config, kind) + unsupported(config, kind) + forbidden(config, self.permitted)


CLIENT_RULES = ClientRules()
