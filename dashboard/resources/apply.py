"""What somebody does to documents: apply, annotate, delete. Whether they may is asked before (`dashboard.resources.found`)."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from django.db import IntegrityError, transaction
from django.db.models import F

from dashboard.activity import Who, note
from dashboard.control.hints import hint
from dashboard.models import Resource, ResourceAnnotation
from dashboard.resources import documents, orders
from dashboard.resources.claims import CHANNEL
from dashboard.resources.documents import Difference, Given, Kind
from dashboard.sealed import CannotUnseal


class Deleting(Exception):
    """It was deleted, and its connectors have not gone yet."""

    def __init__(self, resource: Resource) -> None:
        super().__init__(f"{resource} is being deleted: its connectors have not gone yet. Try again when they have.")


@dataclass(frozen=True, slots=True)
class Plan:
    """What applying a document would do: `create`, `update` or `unchanged`. `body`: what it means, secrets and all."""

    action: str
    changes: tuple[Difference, ...]
    body: Any


def plan(given: Given, current: Resource | None) -> Plan:
    """Raises Invalid, Deleting. Nothing is changed."""
    if current and current.deleted_at:
        raise Deleting(current)
    stored = _stored(current)
    known = documents.passwords(given.cluster)
    body = documents.meant(given, stored, known)
    where = documents.field_of(given.kind)
    annotations = documents.annotations_of(current) if current else {}
    after = {"metadata": _metadata(given.labels, _annotations(given, current, annotations), given.namespace), where: body}
    before: dict[str, Any] = {}
    if current:
        before = {"metadata": _metadata(current.labels, annotations, current.namespace), where: stored}
    changes = documents.differences(before, after, known)
    action = "create" if current is None else "update" if changes else "unchanged"
    return Plan(action, changes, body)


def apply(given: Given, who: Who) -> tuple[Resource, Plan]:
    """Raises Invalid, Deleting. A document that is so already is left as it is, and nobody is woken."""
    for _ in range(2):
        try:
            with transaction.atomic():
                found = Resource.objects.select_for_update().prefetch_related("annotations")
                current = found.filter(kind=given.kind, name=given.name).first()
                planned = plan(given, current)
                if current and planned.action == "unchanged":
                    return current, planned
                resource = _written(given, current, planned)
                _note(who, "resource-apply", resource, planned)
        except IntegrityError:
            # Two that create it at the same moment.
            continue
        hint(CHANNEL)
        return resource, planned
    raise Deleting(Resource(kind=given.kind, name=given.name))


def annotate(resource: Resource, changes: Mapping[str, str | None], who: Who) -> None:
    """None takes an annotation away. One that is set anew is carried out anew, also with the same value. Raises Deleting."""
    with transaction.atomic():
        if resource.deleted_at or not _wake(resource):
            raise Deleting(resource)
        before = documents.annotations_of(resource)
        _set(resource, changes)
        was = {key: before.get(key) for key in changes}
        note(who, "resource-annotate", cluster=resource.cluster_name, connector=resource.name, before=was, after=dict(changes))
    hint(CHANNEL)


def delete(resource: Resource, who: Who) -> None:
    """It goes when its connectors have: the reconciler deletes them, whenever their cluster answers. Without any it goes now."""
    with transaction.atomic():
        note(who, "resource-delete", cluster=resource.cluster_name, connector=resource.name, before={"resource": str(resource)})
        if resource.kind == Kind.CONFIG_MAP:
            resource.delete()
            return
        unless = Resource.objects.filter(pk=resource.pk, deleted_at=None)
        unless.update(deleted_at=datetime.now(UTC), deleted_by=who.name)
        _wake(resource)
    hint(CHANNEL)


def _written(given: Given, current: Resource | None, planned: Plan) -> Resource:
    resource = current or Resource(kind=given.kind, name=given.name, created_at=datetime.now(UTC), generation=0)
    where = f"{documents.field_of(given.kind)}."
    if current is None or any(change.path.startswith(where) for change in planned.changes):
        resource.generation += 1
    resource.api_version, resource.namespace = given.api_version, given.namespace
    resource.labels, resource.cluster_name = dict(given.labels), given.cluster
    resource.body = documents.sealed(planned.body)
    before = set(resource.applied)
    if given.annotations is not None:
        resource.applied = sorted(given.annotations)
    own = ("api_version", "namespace", "labels", "cluster_name", "body", "applied", "generation")
    resource.save(update_fields=own if current else None)
    _try_again(given)
    if given.annotations is not None:
        kept = documents.annotations_of(resource)
        gone: dict[str, str | None] = dict.fromkeys(before - set(given.annotations))
        _set(resource, gone | {key: value for key, value in given.annotations.items() if kept.get(key) != value})
    _wake(resource)
    return resource


def _annotations(given: Given, current: Resource | None, kept: Mapping[str, str]) -> dict[str, str]:
    """As kubectl applies them: those that were applied before and are not given any more go, those of others stay."""
    if given.annotations is None:
        return dict(kept)
    gone = set(current.applied if current else ()) - set(given.annotations)
    return {key: value for key, value in kept.items() if key not in gone} | dict(given.annotations)


def _set(resource: Resource, changes: Mapping[str, str | None]) -> None:
    """Rows of their own: what is known of how far the former ones have come goes with them."""
    own = ResourceAnnotation.objects.filter(resource=resource)
    own.filter(key__in=changes).delete()
    made = [ResourceAnnotation(resource=resource, key=key, value=value) for key, value in changes.items() if value is not None]
    ResourceAnnotation.objects.bulk_create(made)
    if getattr(resource, "_prefetched_objects_cache", None):
        resource._prefetched_objects_cache.clear()  # type: ignore[attr-defined]  # As Django has it.


def _try_again(given: Given) -> None:
    """What annotations asked for and was not done may be possible by now: with another spec, or another ConfigMap."""
    failed = ResourceAnnotation.objects.filter(state=ResourceAnnotation.State.FAILED)
    if given.kind == Kind.CONFIG_MAP:
        failed = failed.filter(key=orders.OFFSETS, resource__cluster_name=given.cluster)
    else:
        failed = failed.filter(resource__kind=given.kind, resource__name=given.name)
    waiting = Resource.objects.filter(pk__in=set(failed.values_list("resource", flat=True)))
    failed.update(tried_at=None)
    waiting.update(due_at=datetime.now(UTC), wake=F("wake") + 1)


def _wake(resource: Resource) -> bool:
    """Whether it is there still."""
    due = None if resource.kind == Kind.CONFIG_MAP else datetime.now(UTC)
    return bool(Resource.objects.filter(pk=resource.pk).update(due_at=due, wake=F("wake") + 1))


def _stored(current: Resource | None) -> Any:
    """A body that cannot be unsealed any more is replaced; masks of it are refused then."""
    try:
        return documents.body_of(current) if current else {}
    except CannotUnseal:
        return {}


def _metadata(labels: Mapping[str, str], annotations: Mapping[str, str], namespace: str) -> dict[str, Any]:
    told: dict[str, Any] = {"labels": dict(labels), "annotations": dict(annotations)}
    return {"namespace": namespace, **told} if namespace else told


def _note(who: Who, verb: str, resource: Resource, planned: Plan) -> None:
    was = {one.path: one.before for one in planned.changes}
    becomes = {one.path: one.after for one in planned.changes}
    note(who, verb, cluster=resource.cluster_name, connector=resource.name, before=was, after=becomes)
