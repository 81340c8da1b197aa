"""Moves from the database, as far as they may be seen."""

from collections.abc import Sequence

from dashboard import plugins
from dashboard.configs.diff import Difference, changes, differences
from dashboard.configs.passwords import password_keys
from dashboard.models import ConnectorSnapshot, Move
from dashboard.moves import carried
from dashboard.rights.roles import Rights, Role
from dashboard.sealed import CannotUnseal

SHOWN = 100


def may(move: Move, role: Role, rights: Rights) -> bool:
    """It has to do with both connectors: whoever lacks one of them does not see it."""
    return rights.may(role, move.source_name, move.connector) and rights.may(role, move.target_name, move.new_name)


def newest(rights: Rights, of: ConnectorSnapshot | None = None) -> list[Move]:
    """The newest first. `of`: only those that have to do with one connector."""
    rows = Move.objects.defer("source_config", "config", "offsets", "offsets_back").order_by("-asked_at", "-pk")
    if of is not None:
        rows = rows.filter(source_name=of.cluster.name, connector=of.name) | rows.filter(
            target_name=of.cluster.name, new_name=of.name
        )
    if rights.everywhere(Role.VIEWER):
        return list(rows[:SHOWN])
    return [move for move in rows.iterator() if may(move, Role.VIEWER, rights)][:SHOWN]


def one(id: int, rights: Rights) -> Move | None:
    move = Move.objects.select_related("source", "target").filter(pk=id).first()
    return move if move is not None and may(move, Role.VIEWER, rights) else None


def config_changes(move: Move) -> Sequence[Difference]:
    """What is different there; nothing where it cannot be read any more."""
    try:
        before, after = carried.source_config(move), carried.config(move)
    except CannotUnseal:
        return ()
    clusters = [cluster for cluster in (move.source, move.target) if cluster is not None]
    known = {name: keys for cluster in clusters for name, keys in plugins.passwords(cluster).items()}
    return changes(differences(before, after, password_keys(before, known) | password_keys(after, known)))
