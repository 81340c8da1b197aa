"""`/api/v1/fleet`: the list of connectors, by the query of the fleet's page."""

import hashlib
from datetime import UTC, datetime
from typing import Any

import orjson
from django.http import HttpResponse
from django.utils.cache import get_conditional_response
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import exceptions, serializers
from rest_framework.request import Request

from connect_client.states import State
from dashboard import fleet_queries, queries
from dashboard.api.base import RoomView
from dashboard.fleet.language import Field
from dashboard.fleet.query import PAGE_SIZE, PARAMETERS, FleetQuery, parse
from dashboard.fleet.rows import cause, class_of, type_of
from dashboard.fleet.sentence import summary
from dashboard.models import ConnectorSnapshot


class Instance(serializers.Serializer[Any]):
    """States as the cluster tells them."""

    state = serializers.CharField()
    worker_id = serializers.CharField(allow_blank=True)


class Task(Instance):
    id = serializers.IntegerField()


class Connector(serializers.Serializer[Any]):
    """`state` is of it all; `connector` is of its own instance, null while the cluster has no status of it. `since` is null for a
    state that it was in already when its cluster was first read. `cause`: a failure's root cause in one line. `live`: whether its
    cluster answers now.
    """

    cluster = serializers.CharField()
    name = serializers.CharField()
    state = serializers.ChoiceField([state.value for state in State])
    since = serializers.DateTimeField(allow_null=True)
    type = serializers.CharField(allow_blank=True)
    connector = Instance(allow_null=True)
    tasks = Task(many=True)
    cause = serializers.CharField(allow_blank=True)
    live = serializers.BooleanField()

    def get_fields(self) -> dict[str, Any]:
        return {**super().get_fields(), "class": serializers.CharField(allow_blank=True)}


class Counts(serializers.Serializer[Any]):
    """Of all that the caller may see, and `matching` of what was asked for. `failed`: tasks and connector instances."""

    connectors = serializers.IntegerField()
    matching = serializers.IntegerField()
    failed = serializers.IntegerField()
    states = serializers.DictField(child=serializers.IntegerField())


class Fleet(serializers.Serializer[Any]):
    connectors = Connector(many=True)
    counts = Counts()
    page = serializers.IntegerField()
    pages = serializers.IntegerField()
    page_size = serializers.IntegerField()


_PARAMETERS = [
    *(OpenApiParameter(field.value, str, many=field is not Field.TEXT) for field in Field),
    OpenApiParameter("sort", str),
    OpenApiParameter("page", int),
]


class FleetView(RoomView):
    @extend_schema(operation_id="fleet", parameters=_PARAMETERS, responses=Fleet)
    def get(self, request: Request) -> HttpResponse:
        """What the caller may see. A query that is not understood in every part is refused: what is left out of a filter makes it
        mean more. With an ETag: asked again with `If-None-Match`, a list that is the same still is answered 304."""
        query = _understood(request)
        body = orjson.dumps(_fleet(query, fleet_queries.listed(query, self.rights, now := datetime.now(UTC)), now))
        etag = f'"{hashlib.sha256(body).hexdigest()[:32]}"'
        headers = {"ETag": etag, "Cache-Control": "private, no-cache"}
        answer = HttpResponse(body, content_type="application/json", headers=headers)
        return get_conditional_response(request._request, etag=etag, response=answer) or answer


def _understood(request: Request) -> FleetQuery:
    query = parse(request.query_params)
    unknown = [f"There is no parameter {name}." for name in request.query_params if name not in PARAMETERS]
    if problems := [*unknown, *query.problems]:
        raise exceptions.ValidationError(" ".join(problems))
    return query


def _fleet(query: FleetQuery, listed: fleet_queries.Listed, now: datetime) -> dict[str, Any]:
    fleet = listed.fleet
    told = summary(entry.tally for entry in fleet.entries)
    return {
        "connectors": [_connector(snapshot, fleet, now) for snapshot in listed.snapshots],
        "counts": {
            "connectors": told.connectors,
            "matching": len(fleet.matching),
            "failed": told.failures,
            "states": {state.value: told.states[state] for state in State},
        },
        "page": query.page,
        "pages": listed.pages,
        "page_size": PAGE_SIZE,
    }


def _connector(snapshot: ConnectorSnapshot, fleet: fleet_queries.Fleet, now: datetime) -> dict[str, Any]:
    cluster = fleet.known[snapshot.cluster_id]
    seen = queries.sight(snapshot, cluster, now)
    status = seen.connector.status
    return {
        "cluster": cluster.name,
        "name": snapshot.name,
        "state": seen.state.value,
        "since": seen.since,
        "type": type_of(seen.connector),
        "class": class_of(seen.connector),
        "connector": {"state": status.connector.state, "worker_id": status.connector.worker_id} if status else None,
        "tasks": [{"id": task.id, "state": task.state, "worker_id": task.worker_id} for task in (status.tasks if status else ())],
        "cause": cause(status),
        "live": fleet.known[snapshot.cluster_id].live,
    }
