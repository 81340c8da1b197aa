"""`/connectors/{c}/offsets` (KIP-875), and `/api/v1/connectors/{c}/positions`."""

import re

from django.http import HttpRequest, HttpResponse

from connect_api import bodies, shapes
from connect_api.answers import json
from connect_api.herder import herder
from connect_api.views.base import ConnectView
from workers.herder.errors import BadRequest

_TIME = re.compile(r"[0-9]{1,15}")


class OffsetsView(ConnectView):
    def get(self, request: HttpRequest, name: str) -> HttpResponse:
        return json(shapes.offsets(herder().connector_offsets(name)))

    def patch(self, request: HttpRequest, name: str) -> HttpResponse:
        wanted = bodies.offsets(bodies.exact(request))
        return json(shapes.message(herder().alter_connector_offsets(name, wanted)))

    def delete(self, request: HttpRequest, name: str) -> HttpResponse:
        return json(shapes.message(herder().reset_connector_offsets(name)))


class PositionsView(ConnectView):
    """Not of Kafka Connect: how far a sink's partitions reach, for lag and for going to an end or to a moment."""

    def get(self, request: HttpRequest, name: str) -> HttpResponse:
        return json(shapes.positions(herder().connector_positions(name, _moment(request.GET.get("time")))))


def _moment(text: str | None) -> int | None:
    """Raises BadRequest."""
    if text is None:
        return None
    if not _TIME.fullmatch(text):
        raise BadRequest(f"Invalid value {text} for time: milliseconds since 1970 were expected")
    return int(text)
