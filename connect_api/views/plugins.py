"""`/connector-plugins`: which there are, what they can be told, and what is to be said of a config."""

from django.http import HttpRequest, HttpResponse

from connect_api import bodies, shapes
from connect_api.answers import json
from connect_api.herder import herder
from connect_api.views.base import ConnectView, flag


class PluginsView(ConnectView):
    def get(self, request: HttpRequest) -> HttpResponse:
        found = herder().plugins(connectors_only=flag(request, "connectorsOnly", default=True))
        return json([shapes.plugin(plugin) for plugin in found])


class PluginConfigView(ConnectView):
    """KIP-769."""

    def get(self, request: HttpRequest, plugin: str) -> HttpResponse:
        versions = request.GET.getlist("version")
        return json(herder().plugin_config(plugin, versions[0] if versions else None))


class ValidateView(ConnectView):
    def put(self, request: HttpRequest, plugin: str) -> HttpResponse:
        config = bodies.of_plugin(plugin, bodies.string_map(bodies.parsed(request)))
        return json(herder().validate_connector_config(config))
