"""`/api/v1/connectors/{cluster}/{connector}/history` and `…/metrics`: what states a connector and its tasks have been in, and how
much they did."""

from datetime import UTC, datetime

from rest_framework import exceptions, serializers
from rest_framework.request import Request
from rest_framework.response import Response

from dashboard.api.base import RoomView
from dashboard.history import queries
from dashboard.history.windows import Window
from dashboard.rights.roles import Role
from dashboard.sampling import queries as sampling


class Asked(serializers.Serializer[None]):
    """`before` and `after` are moments, without them there is no limit; `limit` is of changes."""

    before = serializers.DateTimeField(required=False)
    after = serializers.DateTimeField(required=False)
    limit = serializers.IntegerField(default=100, min_value=1, max_value=1000)


class HistoryView(RoomView):
    def get(self, request: Request, cluster: str, name: str) -> Response:
        """`{"changes": [{"at", "task", "was", "state", "worker", "cause", "kind", "trace"}], "next"}`, the newest first. A task
        of null is the connector instance, `was` of "" that it appeared, `state` of "" that it went. `next`: what to ask for with
        `before` to go on, null at the end. A page ends with all changes of one moment, be they more than `limit`."""
        self.need(Role.VIEWER, cluster, name)
        asked = Asked(data=request.query_params)
        asked.is_valid(raise_exception=True)
        found = queries.changes(cluster, name, **asked.validated_data)
        if found is None:
            raise exceptions.NotFound(f"There is no connector {name} in cluster {cluster}")
        columns = ("at", "task", "was", "state", "worker", "cause", "kind", "trace")
        changes = [{column: getattr(change, column) for column in columns} for change in found.changes]
        return Response({"changes": changes, "next": found.next})


class Since(serializers.Serializer[None]):
    window = serializers.ChoiceField(list(Window), default=Window.DAY)


class MetricsView(RoomView):
    def get(self, request: Request, cluster: str, name: str) -> Response:
        """`{"step", "points": [[ms since 1970, in, out, lag]], "missing": {…}}`: records per second and records, every `step`
        seconds. null is not known, never 0. `missing`: why there is no `lag` or no `throughput`, in words."""
        snapshot = self.connector(Role.VIEWER, cluster, name)
        asked = Since(data=request.query_params)
        asked.is_valid(raise_exception=True)
        found = sampling.of_connector(snapshot, Window(asked.validated_data["window"]), datetime.now(UTC))
        missing = {chart.title.lower(): chart.missing for chart in found.charts if chart.missing}
        return Response({"step": found.step, "points": found.points, "missing": missing})
