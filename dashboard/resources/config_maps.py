"""ConfigMaps: documents that hold offsets as JSON, for a connector to write them into or take them from."""

from datetime import UTC, datetime

from django.db import transaction

from dashboard.models import Resource
from dashboard.resources import documents, orders
from dashboard.resources.documents import Kind


class CannotUse(Exception):
    """The message is for a condition."""


def read(name: str, key: str, of: Resource) -> str:
    """Raises CannotUse, CannotUnseal."""
    found = _found(name, of)
    if found is None:
        raise CannotUse(f"ConfigMap {of.namespace or 'default'}/{name} does not exist")
    data: dict[str, str] = documents.body_of(found)
    if key not in data:
        raise CannotUse(f"Data field {key} is missing")
    return data[key]


def write(name: str, key: str, text: str, of: Resource) -> None:
    """What else is in it stays. Raises CannotUse, CannotUnseal."""
    owner = {"apiVersion": of.api_version, "kind": documents.KINDS[of.kind], "name": of.name}
    with transaction.atomic():
        found = _found(name, of)
        data = {**(documents.body_of(found) if found else {}), key: text}
        if found is None:
            found = Resource(kind=Kind.CONFIG_MAP, name=name, api_version="v1", namespace=of.namespace, generation=0)
            found.created_at = datetime.now(UTC)
            found.labels, found.cluster_name = {orders.CLUSTER: of.cluster_name}, of.cluster_name
        owners = found.status.get("ownerReferences", [])
        found.status = {"ownerReferences": owners if owner in owners else [*owners, owner]}
        found.body = documents.sealed(data)
        found.generation += 1
        found.save()


def _found(name: str, of: Resource) -> Resource | None:
    """One that says that it is another cluster's is not for this one's connectors."""
    found = Resource.objects.select_for_update().filter(kind=Kind.CONFIG_MAP, name=name)
    with transaction.atomic():
        one = found.first()
    if one and one.cluster_name and one.cluster_name != of.cluster_name:
        raise CannotUse(f"ConfigMap {name} is labelled as of cluster {one.cluster_name}")
    return one
