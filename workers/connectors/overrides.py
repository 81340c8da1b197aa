"""Kafka client settings that a connector brings along (KIP-458): which it may, and what becomes of them."""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass

from workers.connectors.forbidden import PERMITTED, Permitted, refusals
from workers.connectors.topic_creation import is_asked_for
from workers.herder.offsets import group_of
from workers.herder.values import Config, ConnectorType

_JAVA_PACKAGE = "org.apache.kafka.connect.connector.policy."
_JAVA_SUFFIX = "ConnectorClientConfigOverridePolicy"
_PRINCIPAL = frozenset({"security.protocol", "sasl.jaas.config", "sasl.mechanism"})

_PRODUCER, _CONSUMER, _ADMIN = "producer.override.", "consumer.override.", "admin.override."
#: The client that a connector of a type moves its records with.
_PREFIX = {"source": _PRODUCER, "sink": _CONSUMER}

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
        return [message for _, message in self.refusals(config, kind)]

    def refusals(self, config: Config, kind: ConnectorType) -> Iterator[tuple[str, str]]:
        """As `errors`, each message with its key."""
        for prefix in _used(config, kind):
            for key in _overrides(config, prefix):
                if self.keys is not None and key not in self.keys:
                    message = f"The '{self.name}' policy does not allow '{key}' to be overridden in the connector configuration."
                    yield f"{prefix}{key}", message


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


def _used(config: Config, kind: ConnectorType) -> tuple[str, ...]:
    """Of the clients that a connector really uses. What is meant for others has no effect and is nobody's business."""
    if kind not in _PREFIX:
        return ()
    if kind == "sink":
        with_queue = (config.get("errors.deadletterqueue.topic.name") or "").strip()
        return (_CONSUMER, _PRODUCER, _ADMIN) if with_queue else (_CONSUMER,)
    return (_PRODUCER, _ADMIN) if is_asked_for(config) else (_PRODUCER,)


def override_keys(config: Config, kind: ConnectorType) -> list[str]:
    """The settings of the clients that the connector uses, as they stand in the config."""
    return [f"{prefix}{key}" for prefix in _used(config, kind) for key in _overrides(config, prefix)]


def _overrides(config: Config, prefix: str) -> dict[str, str]:
    """Without their prefix."""
    return {key.removeprefix(prefix): value for key, value in config.items() if key.startswith(prefix)}


def client_properties(config: Config, kind: ConnectorType) -> Mapping[str, str]:
    """What the Kafka client that moves the connector's records is given on top of the runtime's own settings, and in place of
    them."""
    return _passed_on(config, _PREFIX[kind]) if kind in _PREFIX else {}


def queue_properties(config: Config) -> Mapping[str, str]:
    """As `client_properties`: what the producer of a sink's dead letter queue is given."""
    return _passed_on(config, _PRODUCER)


def _passed_on(config: Config, prefix: str) -> Mapping[str, str]:
    # Kafka's settings are all in small letters and another spelling is none of them; to Spark it would be the same.
    return {k: v for k, v in _overrides(config, prefix).items() if k == k.lower() and k not in _NOT_PASSED_ON}


@dataclass(frozen=True, slots=True)
class ClientRules:
    """All that a worker refuses of a connector's client settings."""

    policy: OverridePolicy = ALL
    permitted: Permitted = PERMITTED
    #: `group.id` of the workers, if they are in one.
    worker_group: str | None = None

    def errors(self, config: Config, kind: ConnectorType) -> list[str]:
        """One message each. `config` is to have its variables resolved."""
        return [message for _, message in self.refusals(config, kind)]

    def refusals(self, config: Config, kind: ConnectorType) -> Iterator[tuple[str, str]]:
        """As `errors`, each message with its key."""
        yield from self.policy.refusals(config, kind)
        yield from refusals(config, self.permitted)
        if kind == "sink" and self.worker_group is not None:
            yield from self._group_conflict(config, self.worker_group)

    def _group_conflict(self, config: Config, worker_group: str) -> Iterator[tuple[str, str]]:
        """In the workers' own group a sink's consumers would be taken for workers."""
        key, name = f"{_PREFIX['sink']}group.id", config.get("name", "")
        if group_of(name, config) != worker_group:
            return
        if key in config:
            yield key, f"Consumer group {worker_group} conflicts with Connect worker group {worker_group}"
        else:
            yield "name", f"Consumer group for sink connector named {name} conflicts with Connect worker group {worker_group}"


CLIENT_RULES = ClientRules()
