"""`/api/v1/failures`: what has failed over the whole fleet, by its reasons."""

from datetime import UTC, datetime

from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from dashboard.api.base import RoomView
from dashboard.failures import queries
from dashboard.failures.groups import Group
from dashboard.failures.queries import FailuresQuery
from dashboard.history.windows import Window


class Asked(serializers.Serializer[None]):
    window = serializers.ChoiceField(("now", *Window), default="now")
    cluster = serializers.CharField(default="", allow_blank=True)


class FailuresView(RoomView):
    def get(self, request: Request) -> Response:
        """`{"failures": [{"kind", "class", "cause", "failed_now", "times", "first", "last", "connectors": […]}], "counted"}`, the
        worst first. A connector: `{"cluster", "connector", "failed_now", "tasks", "times", "first", "last"}`; `tasks` are those
        that are FAILED now. `times` are of the time `counted`."""
        asked = Asked(data=request.query_params)
        asked.is_valid(raise_exception=True)
        window = asked.validated_data["window"]
        query = FailuresQuery(None if window == "now" else Window(window), asked.validated_data["cluster"])
        found = queries.page(query, self.rights, datetime.now(UTC))
        return Response({"failures": [_told(group) for group in found.groups], "counted": query.window or Window.DAY})


def _told(group: Group) -> dict[str, object]:
    connectors = [
        {
            "cluster": hit.cluster,
            "connector": hit.connector,
            "failed_now": hit.now,
            "tasks": hit.tasks,
            "times": hit.times,
            "first": hit.first,
            "last": hit.last,
        }
        for hit in group.hits
    ]
    return {
        "kind": group.kind,
        "class": group.class_name,
        "cause": group.cause,
        "failed_now": group.now,
        "times": group.times,
        "first": group.first,
        "last": group.last,
        "connectors": connectors,
    }
