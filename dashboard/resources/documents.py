"""Documents, as they are told and as they are given."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from connect_client.secrets import HIDDEN, is_mask
from dashboard import plugins
from dashboard.configs.masks import MaskKept
from dashboard.configs.passwords import Passwords
from dashboard.models import Cluster, Resource
from dashboard.resources import masks, orders, spec
from dashboard.resources.conditions import moment
from dashboard.resources.spec import Errors
from dashboard.sealed import CannotUnseal, seal, unseal

Kind = Resource.Kind
#: By the kind in an address.
KINDS = {
    Kind.CONNECTOR.value: "KafkaConnector",
    Kind.MIRROR_MAKER.value: "KafkaMirrorMaker2",
    Kind.CONFIG_MAP.value: "ConfigMap",
}
KAFKA_CONNECT = "kafkaconnect"
#: All that Strimzi has ever had, and the proposal's own.
API_VERSIONS = ("kafka.strimzi.io/v1", "kafka.strimzi.io/v1beta2", "kafka.strimzi.io/v1beta1", "kafka.strimzi.io/v1alpha1")
PROPOSAL = "strimzi.io/v1alpha1"
_VERSIONS = {**dict.fromkeys(KINDS, (*API_VERSIONS, PROPOSAL)), Kind.CONFIG_MAP.value: ("v1",)}
# kubectl keeps the whole document in it once more, secrets and all.
_LEFT_OUT = ("kubectl.kubernetes.io/last-applied-configuration",)
_LONGEST, _LONGEST_CLUSTER = 1000, 100
# Whatever walks through a document calls itself for each level; a spec has five.
_DEEPEST = 50


class Invalid(ValueError):
    """A document that cannot be taken. `errors`: by path."""

    def __init__(self, errors: Errors) -> None:
        self.errors = errors
        super().__init__("; ".join(f"{path}: {' '.join(told)}" for path, told in errors.items()))


@dataclass(frozen=True, slots=True)
class Given:
    """A document that was understood. `body`: the spec, or a ConfigMap's data. `annotations` None: nothing is said of them."""

    kind: str
    name: str
    api_version: str
    body: Any
    namespace: str = ""
    labels: Mapping[str, str] = field(default_factory=dict)
    annotations: Mapping[str, str] | None = None

    @property
    def cluster(self) -> str:
        return self.labels.get(orders.CLUSTER, "")


def field_of(kind: str) -> str:
    """Where a document has what it is about."""
    return "data" if kind == Kind.CONFIG_MAP else "spec"


def parse(kind: str, name: str, document: Any) -> Given:
    """Raises Invalid. Secrets may still be masked. What is not the writer's to say (the status, a generation) is passed over."""
    errors: Errors = {}
    if not isinstance(document, dict):
        raise Invalid({"": ["A document is an object."]})
    metadata = document.get("metadata") or {}
    if not isinstance(metadata, dict):
        raise Invalid({"metadata": ["This has to be an object."]})
    if document.get("kind", KINDS[kind]) != KINDS[kind]:
        errors["kind"] = [f"The address says {KINDS[kind]}, the document {document['kind']}."]
    version = document.get("apiVersion") or _VERSIONS[kind][0]
    if version not in _VERSIONS[kind]:
        errors["apiVersion"] = [f"This has to be one of {', '.join(_VERSIONS[kind])}."]
    if metadata.get("name", name) != name:
        errors["metadata.name"] = [f"The address says {name}, the document {metadata['name']}."]
    if len(name) > _LONGEST or not name.isprintable():
        errors["metadata.name"] = [f"A name has {_LONGEST} characters at most, all of them printable."]
    namespace = metadata.get("namespace") or ""
    if not isinstance(namespace, str) or len(namespace) > 300:
        errors["metadata.namespace"] = ["This has to be a text of 300 characters at most."]
    labels = _texts(metadata.get("labels"), "metadata.labels", errors)
    if len(labels.get(orders.CLUSTER, "")) > _LONGEST_CLUSTER:
        errors[f"metadata.labels.{orders.CLUSTER}"] = [f"A cluster's name has {_LONGEST_CLUSTER} characters at most."]
    given = metadata.get("annotations")
    annotations = None if given is None else without_copies(_texts(given, "metadata.annotations", errors))
    body = _body(kind, document, errors)
    if errors:
        raise Invalid(errors)
    return Given(kind, name, version, body, namespace, labels, annotations)


def without_copies(annotations: Mapping[str, str]) -> dict[str, str]:
    return {key: value for key, value in annotations.items() if key not in _LEFT_OUT}


def _body(kind: str, document: Mapping[str, Any], errors: Errors) -> Any:
    if kind == Kind.CONFIG_MAP:
        return _texts(document.get("data"), "data", errors)
    body = document.get("spec")
    if not isinstance(body, dict):
        errors["spec"] = ["This has to be an object."]
    elif _deeper(body, _DEEPEST):
        errors["spec"] = ["It is nested too deeply."]
    return body


def _deeper(value: Any, than: int) -> bool:
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return any(than == 0 or _deeper(one, than - 1) for one in inner)


def _texts(given: Any, path: str, errors: Errors) -> dict[str, str]:
    if given is None:
        return {}
    if not isinstance(given, dict):
        errors[path] = ["This has to be an object."]
        return {}
    for key, value in given.items():
        if not isinstance(value, str) or len(str(key)) > 300:
            errors[f"{path}.{key}"] = ["This has to be a text; write it in quotes."]
    return {str(key): str(value) for key, value in given.items()}


# --- a document and what is kept --------------------------------------------------------------------------------------


def meant(given: Given, stored: Any, known: Passwords) -> Any:
    """The body, secrets and all, if it can be used. Raises Invalid."""
    where = field_of(given.kind)
    try:
        body = masks.unmasked(given.body, stored, known)
    except MaskKept as kept:
        raise Invalid({f"{where}.{kept.key}": [kept.message]}) from None
    errors: Errors = {} if given.kind == Kind.CONFIG_MAP else dict(spec.read(given.kind, given.name, body).errors)
    still = [path for path, value in masks.leaves(body) if isinstance(value, str) and is_mask(value)]
    errors |= {f"{where}.{path}": ["This is a mask, no value."] for path in still}
    if errors:
        raise Invalid(errors)
    return body


def sealed(body: Any) -> str:
    return seal(json.dumps(body, ensure_ascii=False))


def body_of(resource: Resource) -> Any:
    """Raises CannotUnseal."""
    return json.loads(unseal(resource.body) or "{}")


def annotations_of(resource: Resource) -> dict[str, str]:
    return {one.key: one.value for one in sorted(resource.annotations.all(), key=lambda one: one.key)}


def passwords(cluster: str) -> Passwords:
    found = Cluster.objects.filter(name=cluster).first()
    return plugins.passwords(found) if found else {}


def document(resource: Resource, known: Passwords) -> dict[str, Any]:
    """As it is told, without secrets. `resource`'s annotations are loaded. One that cannot be unsealed has no spec, and says why
    in its status."""
    status = resource.status
    try:
        body = body_of(resource)
    except CannotUnseal as error:
        body = {}
        status = {"conditions": [{"type": "NotReady", "status": "True", "reason": "CannotUnseal", "message": str(error)}]}
    metadata: dict[str, Any] = {"name": resource.name}
    if resource.namespace:
        metadata["namespace"] = resource.namespace
    metadata |= {
        "labels": resource.labels,
        "annotations": annotations_of(resource),
        "generation": resource.generation,
        "creationTimestamp": moment(resource.created_at),
    }
    if resource.deleted_at:
        metadata["deletionTimestamp"] = moment(resource.deleted_at)
    told = {"apiVersion": resource.api_version, "kind": KINDS[resource.kind], "metadata": metadata}
    told[field_of(resource.kind)] = masks.masked(body, known)
    if resource.kind == Kind.CONFIG_MAP:
        # Kept where others have their status, which a ConfigMap has not.
        return {**told, "metadata": {**metadata, **resource.status}}
    return {**told, "status": status}


@dataclass(frozen=True, slots=True)
class Difference:
    """`before` or `after` None: it is not there. Secrets are masked, and may look the same."""

    path: str
    before: Any
    after: Any

    def to_json(self) -> dict[str, Any]:
        return {"path": self.path, "before": self.before, "after": self.after}


def differences(before: Mapping[str, Any], after: Mapping[str, Any], known: Passwords) -> tuple[Difference, ...]:
    """Of two documents, or parts of them, with their secrets. `spec` and `data` are masked here, by their own paths."""
    was, becomes = _flat(before, known), _flat(after, known)
    paths = [*becomes, *(path for path in was if path not in becomes)]
    return tuple(
        Difference(path, was.get(path, (None, None))[1], becomes.get(path, (None, None))[1])
        for path in paths
        if was.get(path, (_ABSENT, None))[0] != becomes.get(path, (_ABSENT, None))[0]
    )


_ABSENT = object()


def _flat(document: Mapping[str, Any], known: Passwords) -> dict[str, tuple[Any, Any]]:
    """By path, what stands there and what is shown of it."""
    shown = {name: masks.masked(part, known) if name in ("spec", "data") else part for name, part in document.items()}
    told = dict(masks.leaves(shown))
    return {path: (value, told.get(path, HIDDEN)) for path, value in masks.leaves(dict(document))}
