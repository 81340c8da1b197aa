"""`/`, `/health`, `/connector-plugins` and `/api/v1/workers`."""

from django.http import HttpRequest, HttpResponse, HttpResponseRedirect

from connect_api import shapes
from connect_api.answers import json
from connect_api.herder import herder
from connect_api.views.base import ConnectView
from workers import COMMIT, VERSION

_HEALTH = {"healthy": 200, "starting": 503, "unhealthy": 500}


class RootView(ConnectView):
    def get(self, request: HttpRequest) -> HttpResponse:
        """Programs get the version, people the control room."""
        if "text/html" in request.headers.get("Accept", ""):
            response: HttpResponse = HttpResponseRedirect("/ui/")
        else:
            response = json({"version": VERSION, "commit": COMMIT, "kafka_cluster_id": herder().kafka_cluster_id()})
        response["Vary"] = "Accept"
        return response


class HealthView(ConnectView):
    def get(self, request: HttpRequest) -> HttpResponse:
        health = herder().health()
        return json(shapes.health(health), _HEALTH[health.status])


class WorkersView(ConnectView):
    """Not of Kafka Connect: who is in the worker group, who leads, and what runs where."""

    def get(self, request: HttpRequest) -> HttpResponse:
        return json(shapes.group(herder().group()))


class PluginsView(ConnectView):
    def get(self, request: HttpRequest) -> HttpResponse:
        return json([shapes.plugin(plugin) for plugin in herder().plugins()])
