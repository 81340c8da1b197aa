"""What all views of `/api/v1/` share."""

from collections.abc import Callable
from typing import Any, cast

from django.contrib.auth.models import User
from rest_framework import exceptions
from rest_framework.authentication import SessionAuthentication
from rest_framework.permissions import BasePermission, IsAuthenticated
from rest_framework.response import Response
from rest_framework.views import APIView, exception_handler

from connect_client import ConnectError, ConnectRefused
from dashboard import rights
from dashboard.activity import Who
from dashboard.api.authentication import TokenAuthentication
from dashboard.models import ConnectorSnapshot
from dashboard.people.users import Conflict, Refused
from dashboard.rights.roles import Rights, Role


class RoomView(APIView):
    """Errors have Kafka Connect's shape, `{"error_code", "message"}`; what a cluster refused is answered with its own code."""

    authentication_classes = (TokenAuthentication, SessionAuthentication)
    permission_classes: tuple[type[BasePermission], ...] = (IsAuthenticated,)

    @property
    def rights(self) -> Rights:
        return rights.of(self.request._request)

    @property
    def user(self) -> User:
        """Whoever is signed in: nobody else gets as far as to a method."""
        return cast(User, self.request.user)

    @property
    def who(self) -> Who:
        return Who(self.request.user.get_username(), "api")

    def need(self, role: Role, cluster: str, connector: str) -> None:
        """Raises PermissionDenied; NotFound for what may not even be seen."""
        if not self.rights.may(Role.VIEWER, cluster, connector):
            raise exceptions.NotFound(f"There is no connector {connector} in cluster {cluster}")
        if not self.rights.may(role, cluster, connector):
            raise exceptions.PermissionDenied(f"This needs the role {role.name.lower()} for {connector} in cluster {cluster}")

    def connector(self, role: Role, cluster: str, name: str) -> ConnectorSnapshot:
        """The connector, its cluster and what was seen of that loaded. Raises PermissionDenied, NotFound."""
        self.need(role, cluster, name)
        every = ConnectorSnapshot.objects.select_related("cluster__snapshot")
        found = every.filter(cluster__name=cluster, name=name).first()
        if found is None:
            raise exceptions.NotFound(f"There is no connector {name} in cluster {cluster}")
        return found

    def need_everywhere(self, role: Role) -> None:
        """Raises PermissionDenied."""
        if not self.rights.everywhere(role):
            raise exceptions.PermissionDenied(f"This needs the role {role.name.lower()} for every cluster")

    def get_exception_handler(self) -> Callable[[Exception, dict[str, Any]], Response | None]:
        return _handle


def _handle(error: Exception, context: dict[str, Any]) -> Response | None:
    if isinstance(error, Refused):
        return _told(409 if isinstance(error, Conflict) else 400, str(error))
    if isinstance(error, ConnectRefused):
        return _told(error.status, str(error))
    if isinstance(error, ConnectError):
        return _told(502, str(error))
    response = exception_handler(error, context)
    if response is not None:
        response.data = _shape(response.status_code, _message(response.data))
    return response


def _told(status: int, message: str) -> Response:
    return Response(_shape(status, message), status=status)


def _shape(status: int, message: str) -> dict[str, object]:
    return {"error_code": status, "message": message}


def _message(data: Any) -> str:
    """Of what REST framework tells: one detail, or some for each field."""
    if isinstance(data, dict) and set(data) == {"detail"}:
        return str(data["detail"])
    if isinstance(data, dict):
        return "; ".join(f"{field}: {_message(told)}" for field, told in data.items())
    return ", ".join(_message(one) for one in data) if isinstance(data, list) else str(data)
