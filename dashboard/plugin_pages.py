"""The plug-ins of all clusters, from the database: what there is where, in which version, and what uses it."""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from connect_client import ConfigKey
from dashboard import plugins, queries
from dashboard.configs.passwords import names
from dashboard.configs.passwords import plugins as named_plugins
from dashboard.fleet.clusters import ClusterView
from dashboard.models import ConnectorSnapshot, PluginSnapshot
from dashboard.rights import Rights, Role

#: In this order, with these words; what older clusters do not tell the kind of comes last.
KINDS = {
    "source": "Sources",
    "sink": "Sinks",
    "transformation": "Transforms",
    "predicate": "Predicates",
    "converter": "Converters",
    "header_converter": "Header converters",
    "": "Others",
}


@dataclass(frozen=True, slots=True)
class Place:
    """A plug-in in one cluster. `versions` is empty where the cluster does not have it."""

    cluster: str
    versions: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class PluginRow:
    """`differs`: not all clusters have it in the same versions. `used`: by how many connectors that may be seen."""

    class_name: str
    type: str
    places: tuple[Place, ...]
    used: int

    @property
    def short(self) -> str:
        return self.class_name.rpartition(".")[2]

    @property
    def connector(self) -> bool:
        return self.type in ("source", "sink")

    @property
    def differs(self) -> bool:
        return len({place.versions for place in self.places}) > 1

    @property
    def versions(self) -> tuple[str, ...]:
        return tuple(sorted({version for place in self.places for version in place.versions}))

    @property
    def here(self) -> tuple[Place, ...]:
        return tuple(place for place in self.places if place.versions)

    @property
    def missing(self) -> tuple[Place, ...]:
        return tuple(place for place in self.places if not place.versions)


@dataclass(frozen=True, slots=True)
class Group:
    title: str
    rows: tuple[PluginRow, ...]


@dataclass(frozen=True, slots=True)
class Told:
    """When a cluster last told its plug-ins; None: not yet."""

    cluster: ClusterView
    at: datetime | None


@dataclass(frozen=True, slots=True)
class PluginsPage:
    groups: tuple[Group, ...]
    told: tuple[Told, ...]
    text: str = ""

    @property
    def several(self) -> bool:
        return len(self.told) > 1

    @property
    def troubled(self) -> tuple[ClusterView, ...]:
        return tuple(told.cluster for told in self.told if not told.cluster.live)

    @property
    def rows(self) -> tuple[PluginRow, ...]:
        return tuple(row for group in self.groups for row in group.rows)


@dataclass(frozen=True, slots=True)
class PluginPage:
    """One plug-in as one cluster has it. `keys` is None while the cluster has not told its config."""

    row: PluginRow
    cluster: ClusterView
    version: str
    told_at: datetime
    keys: tuple[ConfigKey, ...] | None
    users: tuple[tuple[str, str], ...]


def all_plugins(has: Rights, now: datetime, text: str = "", kinds: Iterable[str] = KINDS) -> PluginsPage:
    """`text` is looked for in the names of classes."""
    clusters = queries.clusters(now, has)
    told: dict[int, datetime] = {}
    versions: defaultdict[tuple[str, str], defaultdict[int, set[str]]] = defaultdict(lambda: defaultdict(set))
    columns = ("cluster_id", "class_name", "type", "version", "told_at")
    for cluster, class_name, kind, version, at in PluginSnapshot.objects.filter(cluster__in=clusters).values_list(*columns):
        versions[kind, class_name][cluster].add(version or "–")
        told[cluster] = at
    uses = used(has)
    listed = [pk for pk in clusters if pk in told]
    grouped: defaultdict[str, list[PluginRow]] = defaultdict(list)
    for (kind, class_name), found in sorted(versions.items()):
        if kind in kinds and text.lower() in class_name.lower():
            places = tuple(Place(clusters[pk].name, tuple(sorted(found.get(pk, ())))) for pk in listed)
            grouped[kind].append(PluginRow(class_name, kind, places, len(users_of(uses, class_name))))
    groups = tuple(Group(KINDS[kind], tuple(grouped[kind])) for kind in KINDS if grouped[kind])
    return PluginsPage(groups, tuple(Told(view, told.get(pk)) for pk, view in clusters.items()), text)


def one_plugin(has: Rights, plugin: PluginSnapshot, now: datetime) -> PluginPage:
    found = all_plugins(has, now, plugin.class_name).rows
    return PluginPage(
        row=next(row for row in found if (row.class_name, row.type) == (plugin.class_name, plugin.type)),
        cluster=queries.cluster_view(plugin.cluster, now),
        version=plugin.version,
        told_at=plugin.told_at,
        keys=None if plugin.definitions is None else plugins.defined(plugin),
        users=tuple(sorted(users_of(used(has), plugin.class_name))),
    )


Uses = dict[str, set[tuple[str, str]]]


def used(has: Rights) -> Uses:
    """Which connectors, as cluster and name, use a plug-in, by what their configs call it."""
    found: defaultdict[str, set[tuple[str, str]]] = defaultdict(set)
    for cluster, name, info in ConnectorSnapshot.objects.values_list("cluster__name", "name", "info"):
        if has.may(Role.VIEWER, cluster, name):
            for _, plugin in named_plugins((info or {}).get("config") or {}):
                found[plugin].add((cluster, name))
    found.pop("", None)
    return dict(found)


def users_of(uses: Uses, class_name: str) -> set[tuple[str, str]]:
    return set().union(*(uses.get(name, set()) for name in names(class_name)))
