"""`/api/v1/resources`: connectors as documents, in Strimzi's form."""

from collections.abc import Callable
from typing import Any

from django.http import HttpResponse
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import exceptions
from rest_framework.request import Request
from rest_framework.response import Response

from dashboard.api.base import RoomView
from dashboard.models import Cluster, Resource
from dashboard.resources import apply, documents, found, gauges
from dashboard.resources.apply import Deleting, Plan
from dashboard.resources.documents import KAFKA_CONNECT, KINDS, Given, Invalid
from dashboard.rights.roles import Role

_QUERY = [OpenApiParameter(name, OpenApiTypes.STR) for name in ("kind", "cluster")]
_UNPROCESSABLE = 422
_DRY_RUN = [OpenApiParameter("dryRun", OpenApiTypes.BOOL)]
_ANNOTATIONS = {"application/json": {"type": "object", "additionalProperties": {"type": ["string", "null"]}}}


class Conflict(exceptions.APIException):
    status_code = 409


class ResourceRoom(RoomView):
    """A document that cannot be taken is 422, with `errors`: by path, what is wrong there."""

    def get_exception_handler(self) -> Callable[[Exception, dict[str, Any]], Response | None]:
        others = super().get_exception_handler()

        def handle(error: Exception, context: dict[str, Any]) -> Response | None:
            if isinstance(error, Deleting):
                error = Conflict(str(error))
            if isinstance(error, RecursionError):
                error = Invalid({"": ["It is nested too deeply to be a document."]})
            if not isinstance(error, Invalid):
                return others(error, context)
            told = {"error_code": _UNPROCESSABLE, "message": str(error), "errors": error.errors}
            return Response(told, status=_UNPROCESSABLE)

        return handle


class ResourcesView(ResourceRoom):
    @extend_schema(parameters=_QUERY)
    def get(self, request: Request) -> Response:
        """`{"resources": [document]}`, those that may be seen; `?kind=` and `?cluster=` narrow it."""
        kind, cluster = (request.query_params.get(name, "") for name in ("kind", "cluster"))
        if kind and kind not in (KAFKA_CONNECT, *KINDS):
            raise exceptions.ValidationError({"kind": f"This is one of {', '.join((*KINDS, KAFKA_CONNECT))}."})
        return Response({"resources": found.everything(self.rights, kind, cluster)})


class ResourceGaugesView(ResourceRoom):
    @extend_schema(responses={(200, "text/plain"): OpenApiTypes.STR})
    def get(self, request: Request) -> HttpResponse:
        """How many there are of those that may be seen, how many are paused or not ready, and restarted by themselves: gauges in
        Prometheus' text format."""
        clusters = [name for name in Cluster.objects.values_list("name", flat=True) if self.rights.sees(name)]
        return HttpResponse(gauges.text(found.resources(self.rights), clusters), content_type=gauges.CONTENT_TYPE)


class ResourceView(ResourceRoom):
    def get(self, request: Request, kind: str, name: str) -> Response:
        """The document, with its status."""
        if kind == KAFKA_CONNECT:
            for told in found.clusters(self.rights, name):
                return Response(told)
            raise _nothing(kind, name)
        return Response(found.document(_found(self, kind, name)))

    @extend_schema(
        request={"application/json": OpenApiTypes.OBJECT},
        parameters=_DRY_RUN,
        responses={200: OpenApiTypes.ANY, 201: OpenApiTypes.ANY},
    )
    def put(self, request: Request, kind: str, name: str) -> Response:
        """Creates it (201) or applies what has changed (200): the document. With `?dryRun=true` nothing is changed, and the
        answer is `{"action", "changes": [{"path", "before", "after"}]}`; the action is `create`, `update` or `unchanged`."""
        current = self._current(kind, name)
        given = documents.parse(kind, name, request.data)
        planned = apply.plan(given, current)
        self._may_write(given, planned)
        if request.query_params.get("dryRun", "").lower() in ("true", "1"):
            return Response({"action": planned.action, "changes": [one.to_json() for one in planned.changes]})
        resource, applied = apply.apply(given, self.who)
        fresh = Resource.objects.prefetch_related("annotations").get(pk=resource.pk)
        return Response(found.document(fresh), status=201 if applied.action == "create" else 200)

    def delete(self, request: Request, kind: str, name: str) -> Response:
        """204. Its connectors are deleted as soon as their cluster answers; it is there until then."""
        apply.delete(_found(self, kind, name, Role.EDITOR), self.who)
        return Response(status=204)

    def _current(self, kind: str, name: str) -> Resource | None:
        """None: there is none yet. Raises NotFound where there is one that may not be seen, PermissionDenied where it may not be
        changed."""
        _known(kind)
        current = found.one(kind, name, self.rights)
        if current:
            _need(self, Role.EDITOR, current)
        elif found.exists(kind, name):
            raise _nothing(kind, name)
        elif not self.rights.anywhere(Role.EDITOR):
            raise exceptions.PermissionDenied("This needs the role editor")
        return current

    def _may_write(self, given: Given, planned: Plan) -> None:
        """Raises PermissionDenied."""
        if lacks := found.lacks(self.rights, given, planned.body):
            where = f"in cluster {lacks.cluster}" if lacks.cluster else "in every cluster, as it names none"
            raise exceptions.PermissionDenied(f"This needs the role editor for {lacks.connector} {where}")


class AnnotationsView(ResourceRoom):
    @extend_schema(request=_ANNOTATIONS)
    def patch(self, request: Request, kind: str, name: str) -> Response:
        """`{key: value}`; null takes one away. The document. A restart takes the role operator, all else editor."""
        resource = _found(self, kind, name, Role.OPERATOR)
        changes = request.data
        if not isinstance(changes, dict):
            raise Invalid({"": ["This has to be an object: annotations, each with a text or null."]})
        wrong = [key for key, value in changes.items() if not isinstance(value, str | None) or len(key) > 300]
        if wrong:
            raise Invalid({f"metadata.annotations.{key}": ["This has to be a text or null."] for key in wrong})
        _need(self, found.role_of(changes), resource)
        apply.annotate(resource, changes, self.who)
        return Response(found.document(_found(self, kind, name)))


def _known(kind: str) -> None:
    """Raises NotFound; MethodNotAllowed for what is read only."""
    if kind == KAFKA_CONNECT:
        raise exceptions.MethodNotAllowed("PUT", "Clusters are added and changed under /api/v1/clusters")
    if kind not in KINDS:
        raise exceptions.NotFound(f"There is no kind {kind}")


def _found(view: RoomView, kind: str, name: str, role: Role = Role.VIEWER) -> Resource:
    """Raises NotFound, PermissionDenied."""
    _known(kind)
    resource = found.one(kind, name, view.rights)
    if resource is None:
        raise _nothing(kind, name)
    _need(view, role, resource)
    return resource


def _need(view: RoomView, role: Role, resource: Resource) -> None:
    if not found.may(view.rights, role, resource):
        raise exceptions.PermissionDenied(f"This needs the role {role.name.lower()} for the connectors of {resource}")


def _nothing(kind: str, name: str) -> exceptions.NotFound:
    return exceptions.NotFound(f"There is no {kind} {name}")
