"""Resources that somebody may see, and what they may do to them. A resource counts as the connectors that it wants; a ConfigMap,
and what wants none, as a connector of its own name in the cluster that its label names."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.db.models import Prefetch, QuerySet

from dashboard import plugins
from dashboard.configs.passwords import Passwords
from dashboard.models import Cluster, PluginSnapshot, Resource, ResourceConnector
from dashboard.resources import cluster_documents, documents, orders, spec
from dashboard.resources.documents import KAFKA_CONNECT, Given, Kind
from dashboard.rights.roles import Rights, Role
from dashboard.sealed import CannotUnseal


@dataclass(frozen=True, slots=True)
class Subject:
    """What a right is asked for."""

    cluster: str
    connector: str


def resources(has: Rights, kind: str = "", cluster: str = "") -> list[Resource]:
    """Those that may be seen, by kind and name."""
    found = _loaded().order_by("kind", "name")
    found = found.filter(kind=kind) if kind else found
    found = found.filter(cluster_name=cluster) if cluster else found
    return [one for one in found if may(has, Role.VIEWER, one)]


def one(kind: str, name: str, has: Rights) -> Resource | None:
    found = _loaded().filter(kind=kind, name=name).first()
    return found if found and may(has, Role.VIEWER, found) else None


def owner(cluster: str, connector: str) -> Resource | None:
    """Whoever puts the connector back when it is changed by hand."""
    row = ResourceConnector.objects.filter(cluster_name=cluster, connector=connector).first()
    resource = _loaded().get(pk=row.resource_id) if row else None
    return None if resource is None or orders.is_paused(documents.annotations_of(resource)) else resource


def exists(kind: str, name: str) -> bool:
    return Resource.objects.filter(kind=kind, name=name).exists()


def may(has: Rights, role: Role, resource: Resource) -> bool:
    return all(has.may(role, one.cluster, one.connector) for one in subjects(resource))


def lacks(has: Rights, given: Given, body: Any) -> Subject | None:
    """Of what a document is about, the first that its writer may not edit; ConfigMaps that it writes into are among it, those
    that it reads have to be seen."""
    wanted = _of(given.kind, given.name, given.cluster, body)
    into = [Subject(given.cluster, wanted.list_to) for wanted in _connectors(given.kind, given.name, body) if wanted.list_to]
    for subject in (*wanted, *into):
        if not has.may(Role.EDITOR, subject.cluster, subject.connector):
            return subject
    from_ = (one.alter_from for one in _connectors(given.kind, given.name, body) if one.alter_from)
    return next((Subject(given.cluster, name) for name in from_ if not has.may(Role.VIEWER, given.cluster, name)), None)


def subjects(resource: Resource) -> list[Subject]:
    """Also of what it still has somewhere else."""
    if resource.kind != Kind.MIRROR_MAKER:
        return [Subject(resource.cluster_name, resource.name)]
    try:
        return _of(resource.kind, resource.name, resource.cluster_name, documents.body_of(resource))
    except CannotUnseal:
        return [Subject(resource.cluster_name, resource.name)]


def role_of(annotations: Iterable[str]) -> Role:
    """What it takes to set them: a restart is an operator's."""
    return Role.OPERATOR if set(annotations) <= set(orders.RESTARTS) else Role.EDITOR


def told(found: Sequence[Resource]) -> list[dict[str, Any]]:
    """Their documents. What plug-ins say of secrets is asked for once for each cluster."""
    known = _passwords({one.cluster_name for one in found})
    return [documents.document(one, known[one.cluster_name]) for one in found]


def document(resource: Resource) -> dict[str, Any]:
    return told([resource])[0]


def clusters(has: Rights, name: str = "") -> list[dict[str, Any]]:
    """The documents of kind KafkaConnect, which are read only."""
    told = PluginSnapshot.objects.only("cluster", "class_name", "type", "version").order_by("class_name", "version")
    found = Cluster.objects.select_related("snapshot").prefetch_related(Prefetch("plugins", told)).order_by("name")
    return [cluster_documents.document(one) for one in (found.filter(name=name) if name else found) if has.sees(one.name)]


def everything(has: Rights, kind: str, cluster: str) -> list[dict[str, Any]]:
    own = clusters(has, cluster) if kind in ("", KAFKA_CONNECT) else []
    return own + (told(resources(has, kind, cluster)) if kind != KAFKA_CONNECT else [])


def _loaded() -> QuerySet[Resource]:
    return Resource.objects.prefetch_related("annotations")


def _of(kind: str, name: str, cluster: str, body: Any) -> list[Subject]:
    wanted = _connectors(kind, name, body) if kind == Kind.MIRROR_MAKER else ()
    return [Subject(cluster, one.name) for one in wanted] or [Subject(cluster, name)]


def _connectors(kind: str, name: str, body: Any) -> Sequence[spec.Wanted]:
    return () if kind == Kind.CONFIG_MAP else spec.read(kind, name, body).connectors


def _passwords(names: set[str]) -> Mapping[str, Passwords]:
    found: defaultdict[str, Passwords] = defaultdict(dict)
    for cluster in Cluster.objects.filter(name__in=names):
        found[cluster.name] = plugins.passwords(cluster)
    return found
