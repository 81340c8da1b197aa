"""`/connectors` and what lies under one connector."""

from django.http import HttpRequest, HttpResponse, HttpResponseNotModified

from connect_api import bodies, paths, shapes
from connect_api.answers import Ready, empty, json
from connect_api.herder import herder
from connect_api.listing import Body, Listing
from connect_api.preferences import wanted_wait
from connect_api.views.base import ConnectView, flag
from workers.herder.states import TargetState
from workers.herder.values import RestartRequest

_listing = Listing()


class ConnectorsView(ConnectView):
    def get(self, request: HttpRequest) -> HttpResponse:
        """With `If-None-Match` the answer is 304 while nothing has changed; with `Prefer: wait=<s>` it waits for a change."""
        known, wait = request.headers.get("If-None-Match", "").removeprefix("W/").strip('"'), wanted_wait(request)
        if known and wait:
            herder().wait_for_change(known, wait)
        view = herder().view()
        unchanged = known == view.etag
        response = HttpResponseNotModified() if unchanged else _listed(_listing.body(view, request.GET.getlist("expand")))
        response["ETag"] = f'"{view.etag}"'
        if wait is not None:
            response["Preference-Applied"] = f"wait={wait:g}"
        return response

    def post(self, request: HttpRequest) -> HttpResponse:
        wanted = bodies.create_connector(bodies.parsed(request), bodies.exact(request))
        info = herder().create_connector(
            wanted.name,
            wanted.config,  # type: ignore[arg-type]
            wanted.initial_state,
            wanted.offsets,
        )
        return _created(request, info.name, shapes.connector_info(info))


def _listed(body: Body) -> HttpResponse:
    return Ready(body.plain, packed=body.packed)


def _created(request: HttpRequest, name: str, body: object) -> HttpResponse:
    response = json(body, 201)
    response["Location"] = request.build_absolute_uri(f"/connectors/{paths.segment(name)}")
    return response


class ConnectorView(ConnectView):
    def get(self, request: HttpRequest, name: str) -> HttpResponse:
        return json(shapes.connector_info(herder().connector_info(name)))

    def delete(self, request: HttpRequest, name: str) -> HttpResponse:
        herder().delete_connector(name, include_offsets=flag(request, "includeOffsets"))
        return empty(204)


class ConfigView(ConnectView):
    def get(self, request: HttpRequest, name: str) -> HttpResponse:
        return json(dict(herder().connector_info(name).config))

    def put(self, request: HttpRequest, name: str) -> HttpResponse:
        config = bodies.named(name, bodies.string_map(bodies.parsed(request)))
        created, info = herder().put_connector_config(name, config)  # type: ignore[arg-type]
        body = shapes.connector_info(info)
        return _created(request, name, body) if created else json(body)

    def patch(self, request: HttpRequest, name: str) -> HttpResponse:
        """KIP-477."""
        patch = bodies.config_patch(name, bodies.string_map(bodies.parsed(request)))
        return json(shapes.connector_info(herder().patch_connector_config(name, patch)))


class StatusView(ConnectView):
    def get(self, request: HttpRequest, name: str) -> HttpResponse:
        return json(shapes.connector_status(herder().connector_status(name)))


class PauseView(ConnectView):
    def put(self, request: HttpRequest, name: str) -> HttpResponse:
        herder().set_target_state(name, TargetState.PAUSED)
        return empty(202)


class ResumeView(ConnectView):
    def put(self, request: HttpRequest, name: str) -> HttpResponse:
        herder().set_target_state(name, TargetState.STARTED)
        return empty(202)


class StopView(ConnectView):
    def put(self, request: HttpRequest, name: str) -> HttpResponse:
        herder().set_target_state(name, TargetState.STOPPED)
        return empty(204)


class RestartView(ConnectView):
    def post(self, request: HttpRequest, name: str) -> HttpResponse:
        """KIP-745: 204 for the connector instance alone, 202 with the plan for every other combination."""
        wanted = RestartRequest(name, only_failed=flag(request, "onlyFailed"), include_tasks=flag(request, "includeTasks"))
        planned = herder().restart_connector(wanted)
        return empty(204) if planned is None else json(shapes.connector_status(planned), 202)
