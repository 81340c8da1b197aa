"""What the clients of the mirrors are given of a connector's config, by prefix, as in MirrorMaker 2. Pure."""

from collections.abc import Mapping
from typing import Literal

from workers.herder.values import Config

Side = Literal["source", "target"]
Role = Literal["admin", "consumer", "producer"]

_SHARED = ("bootstrap.servers", "security.protocol")
_SHARED_PREFIXES = ("ssl.", "sasl.")
#: What is decided here, or is no client's: `producer.override.*` is for who writes the records.
_NOT_PASSED_ON = frozenset(
    {
        "key.serializer",
        "value.serializer",
        "key.deserializer",
        "value.deserializer",
        "enable.auto.commit",
        "auto.offset.reset",
        "group.id",
        "client.id",
    }
)


def client_settings(config: Config, side: Side, role: Role) -> dict[str, str]:
    """`<side>.cluster.*`, as far as it says where the cluster is and how to get in; then `<role>.*`; then `<side>.<role>.*`."""
    cluster = {key: value for key, value in _within(config, f"{side}.cluster.").items() if _is_shared(key)}
    own = {**_within(config, f"{role}."), **_within(config, f"{side}.{role}.")}
    return {**cluster, **{key: value for key, value in own.items() if key not in _NOT_PASSED_ON}}


def offset_reset(config: Config) -> str:
    """Where the source is read from if nothing says where to go on."""
    both = {**_within(config, "consumer."), **_within(config, "source.consumer.")}
    return both.get("auto.offset.reset", "earliest")


def _is_shared(key: str) -> bool:
    return key in _SHARED or key.startswith(_SHARED_PREFIXES)


def _within(config: Mapping[str, str], prefix: str) -> dict[str, str]:
    found = {key.removeprefix(prefix): value for key, value in config.items() if key.startswith(prefix)}
    return {key: value for key, value in found.items() if not key.startswith("override.")}
