"""What happens to a connector's records between it and Kafka: its converters and its chain of transforms."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass

from workers.connectors.base import ConnectError
from workers.connectors.configdef import Given, Invalid
from workers.converters.base import Converter
from workers.converters.catalogue import WORKER, Role, create
from workers.data.chain import Link
from workers.herder.values import Config
from workers.transforms.base import TransformConfigError
from workers.transforms.plugins import chain_of

_KEYS = ("key.converter", "value.converter", "header.converter", "transforms", "predicates")
_BELOW = tuple(f"{key}." for key in _KEYS)


@dataclass(frozen=True, slots=True)
class Conversion:
    """Two with the same `identity` do the same; it is empty where nobody asks for a converter or a transform."""

    key: Converter
    value: Converter
    links: Sequence[Link] = ()
    identity: Hashable = frozenset()


def conversion_of(config: Config, defaults: Mapping[Role, str], worker: Given = WORKER) -> Conversion:
    """`defaults` are the converters that the connector's class has in place of the `worker`'s, which are for connectors that name
    none. Raises ConnectError."""
    of_class = {f"{role}.converter": name for role, name in defaults.items()}
    try:
        key, value = create("key", config, of_class, worker), create("value", config, of_class, worker)
        links = chain_of(config)
    except (Invalid, TransformConfigError) as error:
        raise ConnectError(str(error)) from error
    told = {key: value for key, value in worker.items() if value and WORKER.get(key) != value}
    return Conversion(key, value, links, _identity({**told, **of_class, **config}))


def _identity(config: Config) -> Hashable:
    """What of the config the conversion depends on."""
    named = {key: value for key, value in config.items() if key in _KEYS or key.startswith(_BELOW)}
    return frozenset((key, value) for key, value in named.items() if value.strip())
