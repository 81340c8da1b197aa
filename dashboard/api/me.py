"""`/api/v1/me`: what a caller is allowed."""

from rest_framework.request import Request
from rest_framework.response import Response

from dashboard.api.base import RoomView


class MeView(RoomView):
    def get(self, request: Request) -> Response:
        """`{"name", "limit", "grants": [{"role", "cluster", "connectors"}]}`; a cluster of null is every one."""
        rights = self.rights
        grants = [{"role": one.role.name.lower(), "cluster": one.cluster, "connectors": one.pattern} for one in rights.given]
        return Response({"name": self.who.name, "limit": rights.limit.name.lower(), "grants": grants})
