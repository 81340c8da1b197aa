"""`/connectors/{c}/topics` (KIP-558)."""

from django.http import HttpRequest, HttpResponse

from connect_api import shapes
from connect_api.answers import empty, json
from connect_api.herder import herder
from connect_api.views.base import ConnectView


class TopicsView(ConnectView):
    def get(self, request: HttpRequest, name: str) -> HttpResponse:
        return json(shapes.connector_topics(name, herder().connector_topics(name)))


class ResetView(ConnectView):
    def put(self, request: HttpRequest, name: str) -> HttpResponse:
        herder().reset_connector_topics(name)
        return empty(202)
