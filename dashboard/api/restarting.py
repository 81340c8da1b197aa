"""`/api/v1/restart-policies`: what is restarted by itself, and when; for administrators of everything.
And what that means for one connector."""

from datetime import UTC, datetime
from typing import Any

from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema
from rest_framework import exceptions
from rest_framework.request import Request
from rest_framework.response import Response

from dashboard.api.base import RoomView
from dashboard.models import RestartPolicy
from dashboard.restarting import changes, shown
from dashboard.restarting.fields import OrderFields, OverrideFields, PolicyFields
from dashboard.rights.roles import Role


class PoliciesView(RoomView):
    def get(self, request: Request) -> Response:
        """In their order: of those that are enabled, the first that means a connector counts."""
        self.need_everywhere(Role.ADMIN)
        return Response([changes.told(policy) for policy in RestartPolicy.objects.select_related("cluster")])

    @extend_schema(request=PolicyFields, responses={201: OpenApiTypes.ANY})
    def post(self, request: Request) -> Response:
        """Adds one before all others. 400 with a sentence for each field that is wrong; nothing is added then."""
        self.need_everywhere(Role.ADMIN)
        return Response(changes.told(changes.create(self.who, _valid(request, None))), status=201)


class OrderView(RoomView):
    @extend_schema(request=OrderFields)
    def put(self, request: Request) -> Response:
        """Puts them into this order. 409 if these are not all that there are; nothing is changed then."""
        self.need_everywhere(Role.ADMIN)
        fields = OrderFields(data=request.data)
        fields.is_valid(raise_exception=True)
        changes.put_in_order(self.who, fields.validated_data["order"])
        return Response([changes.told(policy) for policy in RestartPolicy.objects.select_related("cluster")])


class PolicyView(RoomView):
    def get(self, request: Request, policy: int) -> Response:
        """One."""
        return Response(changes.told(self._found(policy)))

    @extend_schema(request=PolicyFields)
    def put(self, request: Request, policy: int) -> Response:
        """Whole; its place stays."""
        found = self._found(policy)
        return Response(changes.told(changes.update(self.who, found, _valid(request, found))))

    def delete(self, request: Request, policy: int) -> Response:
        """Deletes it. Without any policy nothing is restarted by itself."""
        changes.delete(self.who, self._found(policy))
        return Response(status=204)

    def _found(self, policy: int) -> RestartPolicy:
        """Raises PermissionDenied, NotFound."""
        self.need_everywhere(Role.ADMIN)
        found = RestartPolicy.objects.select_related("cluster").filter(pk=policy).first()
        if found is None:
            raise exceptions.NotFound(f"There is no restart policy {policy}")
        return found


class AutoRestartView(RoomView):
    def get(self, request: Request, cluster: str, name: str) -> Response:
        """`{"enabled", "why", "policy", "max_restarts", "count", "last_restart_at", "next_restart_at", "gave_up_at", "message",
        "trace", "override"}`. `count`: restarts since it last was well; `next_restart_at` is null unless it has failed and is to
        be restarted; `trace`: what it had failed with before the last one; `message`: what the cluster refused it with."""
        return Response(shown.of_connector(self.connector(Role.VIEWER, cluster, name), datetime.now(UTC)).as_json())

    @extend_schema(request=OverrideFields)
    def put(self, request: Request, cluster: str, name: str) -> Response:
        """What is wanted of this connector, whatever the policies say. 409 if a resource says it."""
        found = self.connector(Role.OPERATOR, cluster, name)
        fields = OverrideFields(data=request.data)
        fields.is_valid(raise_exception=True)
        changes.override(self.who, found, **fields.validated_data)
        return Response(shown.of_connector(found, datetime.now(UTC)).as_json())


def _valid(request: Request, policy: RestartPolicy | None) -> dict[str, Any]:
    """Raises ValidationError."""
    fields = PolicyFields(policy, data=request.data)
    fields.is_valid(raise_exception=True)
    valid: dict[str, Any] = fields.validated_data
    return valid
