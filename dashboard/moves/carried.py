"""A move's row as values: what goes where."""

import json
from typing import Any

from connect_client import PartitionOffset
from connect_client.secrets import is_secret, scrubbed
from dashboard import clusters, plugins
from dashboard.activity import Who
from dashboard.configs.passwords import password_keys
from dashboard.models import Cluster, Move
from dashboard.moves.decide import Config, Offsets, Where
from dashboard.moves.place import Place
from dashboard.moves.plan import Options
from dashboard.sealed import unseal


class Forgotten(Exception):
    """One of the clusters is not known any more."""


def old(move: Move) -> Place:
    """Raises Forgotten."""
    return _place(move.source, Where(move.source_name, move.connector))


def new(move: Move) -> Place:
    """Raises Forgotten."""
    return _place(move.target, Where(move.target_name, move.new_name))


def source_config(move: Move) -> Config:
    """Raises CannotUnseal."""
    return _config(move.source_config)


def config(move: Move) -> Config:
    """What is created. Raises CannotUnseal."""
    return _config(move.config)


def offsets(stored: list[dict[str, Any]] | None) -> Offsets | None:
    return None if stored is None else tuple(PartitionOffset.from_json(at) for at in stored)


def options(move: Move) -> Options:
    return Options.from_json(move.options)


def who(move: Move) -> Who:
    return Who(move.by, move.via)


def without_secrets(move: Move, text: str) -> str:
    """Kafka Connect's refusals may quote the values that they are about. Raises CannotUnseal."""
    carried = config(move)
    hidden = password_keys(carried, plugins.passwords(move.target) if move.target else {})
    return scrubbed(text, [value for key, value in carried.items() if value and is_secret(key, value, hidden)])


def _place(cluster: Cluster | None, where: Where) -> Place:
    if cluster is None:
        raise Forgotten(f"The cluster {where.cluster} is not known any more.")
    return Place(where, clusters.client(cluster))


def _config(sealed: str) -> Config:
    found: dict[str, str | None] = json.loads(unseal(sealed))
    return found
