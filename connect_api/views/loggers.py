"""`/admin/loggers` (KIP-495, KIP-976): docs/logging.md."""

from django.http import HttpRequest, HttpResponse

from connect_api import bodies, shapes
from connect_api.answers import empty, json
from connect_api.herder import herder
from connect_api.views.base import ConnectView
from workers.herder.errors import NotFound
from workers.loggers.levels import canonical, level_named, shown

CLUSTER = "cluster"


class LoggersView(ConnectView):
    def get(self, request: HttpRequest) -> HttpResponse:
        return json({name: shapes.logger_level(level) for name, level in shown(herder().loggers()).items()})


class LoggerView(ConnectView):
    def get(self, request: HttpRequest, name: str) -> HttpResponse:
        found = herder().loggers().get(canonical(name))
        if found is None:
            raise NotFound(f"Logger {name} not found.")
        return json(shapes.logger_level(found))

    def put(self, request: HttpRequest, name: str) -> HttpResponse:
        """Any other `scope` than `cluster` is `worker`; the first one counts."""
        level = bodies.level(bodies.parsed(request))
        if (request.GET.getlist("scope") or [""])[0].lower() == CLUSTER:
            herder().set_cluster_level(name, level)
            return empty(204)
        return json(herder().set_logger_level(name, level_named(level) or level))
