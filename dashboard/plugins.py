"""What plug-ins each cluster has, as last told, and what is known of their configs."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from dataclasses import asdict
from datetime import UTC, datetime

from django.db import transaction

from connect_client import ConfigKey, ConnectClient, ConnectError, ConnectNotFound, Plugin
from dashboard.configs.passwords import Passwords, names, password_keys, plugins
from dashboard.models import Cluster, ConnectorSnapshot, PluginSnapshot
from dashboard.models.seen import new_version


def refresh(cluster: Cluster, to: ConnectClient) -> None:
    """Lists them anew. What is known of a plug-in's config stays as long as its version does. Raises ConnectError."""
    record(cluster, to.plugins(connectors_only=False), datetime.now(UTC))


def record(cluster: Cluster, told: Iterable[Plugin], now: datetime) -> None:
    rows = {(one.class_name, one.type or "", one.version or ""): one for one in told}
    made = [
        PluginSnapshot(cluster=cluster, class_name=name, type=kind, version=version, told_at=now) for name, kind, version in rows
    ]
    with transaction.atomic():
        PluginSnapshot.objects.bulk_create(
            made, update_conflicts=True, unique_fields=("cluster", "class_name", "type", "version"), update_fields=("told_at",)
        )
        PluginSnapshot.objects.filter(cluster=cluster, told_at__lt=now).delete()


def define(plugin: PluginSnapshot, to: ConnectClient) -> None:
    """Asks what its config is. Raises ConnectError."""
    keys = _asked(plugin, to)
    known = plugin.passwords
    plugin.definitions = [asdict(key) | ({"default": None} if key.type == "PASSWORD" else {}) for key in keys]
    plugin.passwords = [key.name for key in keys if key.type == "PASSWORD"]
    plugin.save(update_fields=("definitions", "passwords"))
    if plugin.passwords != known:
        # What a search has read of the configs until now may hold what is a secret from here on.
        ConnectorSnapshot.objects.filter(cluster=plugin.cluster_id).update(version=new_version())


def _asked(plugin: PluginSnapshot, to: ConnectClient) -> list[ConfigKey]:
    """Before 3.2 a connector's is told by a validation only, that of other plug-ins not at all."""
    try:
        return to.plugin_config(plugin.class_name)
    except ConnectNotFound:
        if plugin.type not in ("source", "sink", ""):
            return []
        found = to.validate(plugin.class_name, {"name": "x", "connector.class": plugin.class_name})
        return [key.definition for key in found.keys if key.definition]


def defined(plugin: PluginSnapshot) -> tuple[ConfigKey, ...]:
    return tuple(ConfigKey(**key) for key in plugin.definitions or ())


def passwords(cluster: Cluster) -> Passwords:
    """By each name that a config may give a plug-in."""
    return passwords_in([cluster.pk])[cluster.pk]


def passwords_in(clusters: Collection[int]) -> dict[int, Passwords]:
    """The same of several clusters by their ids, in one query."""
    found: dict[int, defaultdict[str, set[str]]] = {cluster: defaultdict(set) for cluster in clusters}
    rows = PluginSnapshot.objects.filter(cluster__in=clusters).exclude(passwords=[])
    for cluster, class_name, keys in rows.values_list("cluster_id", "class_name", "passwords"):
        for name in names(class_name):
            found[cluster][name].update(keys)
    return dict(found)


def passwords_of(cluster: Cluster, config: Mapping[str, str | None]) -> frozenset[str]:
    """The keys of a config that are secret by their plug-ins' word."""
    return password_keys(config, passwords(cluster))


def ask_for_missing(cluster: Cluster, to: ConnectClient, config: Mapping[str, str | None]) -> None:
    """So that no secret of this config is shown for not being known as one: asks for what its plug-ins define, where nobody has
    yet. A cluster that does not answer is not asked further."""
    wanted = {name for _, name in plugins(config) if name}
    try:
        if not PluginSnapshot.objects.filter(cluster=cluster).exists():
            refresh(cluster, to)
        for plugin in PluginSnapshot.objects.filter(cluster=cluster, definitions__isnull=True):
            if names(plugin.class_name) & wanted:
                define(plugin, to)
    except ConnectError:
        return
