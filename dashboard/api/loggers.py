"""`/api/v1/clusters/{name}/loggers`: log levels. For administrators of everything."""

from datetime import UTC, datetime
from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework import exceptions, serializers
from rest_framework.request import Request
from rest_framework.response import Response

from dashboard import queries
from dashboard.api.base import RoomView
from dashboard.loggers import actions
from dashboard.loggers.actions import Unusable
from dashboard.loggers.page import CLUSTER, WORKER, lines, whole_cluster
from dashboard.models import Cluster
from dashboard.rights.roles import Role


class LevelFields(serializers.Serializer[Any]):
    logger = serializers.CharField(max_length=500, help_text="a name, the beginning of some, or root")
    level = serializers.CharField(max_length=20)
    scope = serializers.ChoiceField(choices=(CLUSTER, WORKER), default=CLUSTER)


class LoggersView(RoomView):
    def get(self, request: Request, cluster: str) -> Response:
        """`{"loggers": [{"name", "level", "set_at"}]}`, asked of the cluster now."""
        found = self._found(cluster)
        told = [{"name": line.name, "level": line.level, "set_at": line.set_at} for line in lines(actions.read(found))]
        return Response({"loggers": told})

    @extend_schema(request=LevelFields)
    def put(self, request: Request, cluster: str) -> Response:
        """`{"scope", "changed"}`: what was changed, `cluster` or only one `worker`, and of a worker which loggers."""
        found = self._found(cluster)
        fields = LevelFields(data=request.data)
        fields.is_valid(raise_exception=True)
        wish = fields.validated_data
        whole = whole_cluster(queries.cluster_view(found, datetime.now(UTC)), wish["scope"])
        try:
            done = actions.set_level(found, wish["logger"], wish["level"], self.who, whole_cluster=whole)
        except Unusable as unusable:
            raise exceptions.ValidationError(str(unusable)) from unusable
        return Response({"scope": done.scope, "changed": done.loggers})

    def _found(self, name: str) -> Cluster:
        """Raises PermissionDenied, NotFound."""
        self.need_everywhere(Role.ADMIN)
        found = Cluster.objects.select_related("snapshot").filter(name=name).first()
        if found is None:
            raise exceptions.NotFound(f"There is no cluster {name}")
        return found
