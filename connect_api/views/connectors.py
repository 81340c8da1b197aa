"""`/connectors` and what lies under one connector."""

from urllib.parse import quote

from django.http import HttpRequest, HttpResponse, HttpResponseNotModified

from connect_api import bodies, shapes
from connect_api.answers import empty, json
from connect_api.herder import herder
from connect_api.preferences import wanted_wait
from connect_api.views.base import ConnectView, flag
from workers.herder.interface import View
from workers.herder.states import TargetState
from workers.herder.values import RestartRequest


class ConnectorsView(ConnectView):
    def get(self, request: HttpRequest) -> HttpResponse:
        """With `If-None-Match` the answer is 304 while nothing has changed; with `Prefer: wait=<s>` it waits for a change."""
        known, wait = request.headers.get("If-None-Match", "").strip('"'), wanted_wait(request)
        if known and wait:
            herder().wait_for_change(known, wait)
        view = herder().view()
        response = HttpResponseNotModified() if known == view.etag else json(_listed(view, request.GET.getlist("expand")))
        response["ETag"] = f'"{view.etag}"'
        if wait is not None:
            response["Preference-Applied"] = f"wait={wait:g}"
        return response

    def post(self, request: HttpRequest) -> HttpResponse:
        wanted = bodies.create_connector(bodies.parsed(request))
        info = herder().create_connector(wanted.name, wanted.config, wanted.initial_state)  # type: ignore[arg-type]
        return _created(request, info.name, shapes.connector_info(info))


def _listed(view: View, expand: list[str]) -> object:
    if not expand:
        return list(view.infos)
    listed: dict[str, dict[str, object]] = {name: {} for name in view.infos}
    for name, shown in listed.items():
        if "status" in expand and name in view.statuses:
            shown["status"] = shapes.connector_status(view.statuses[name])
        if "info" in expand:
            shown["info"] = shapes.connector_info(view.infos[name])
    return listed


def _created(request: HttpRequest, name: str, body: object) -> HttpResponse:
    response = json(body, 201)
    response["Location"] = request.build_absolute_uri(f"/connectors/{quote(name)}")
    return response


class ConnectorView(ConnectView):
    def get(self, request: HttpRequest, name: str) -> HttpResponse:
        return json(shapes.connector_info(herder().connector_info(name)))

    def delete(self, request: HttpRequest, name: str) -> HttpResponse:
        herder().delete_connector(name)
        return empty(204)


class ConfigView(ConnectView):
    def get(self, request: HttpRequest, name: str) -> HttpResponse:
        return json(dict(herder().connector_info(name).config))

    def put(self, request: HttpRequest, name: str) -> HttpResponse:
        config = bodies.named(name, bodies.string_map(bodies.parsed(request)))
        created, info = herder().put_connector_config(name, config)  # type: ignore[arg-type]
        body = shapes.connector_info(info)
        return _created(request, name, body) if created else json(body)


class StatusView(ConnectView):
    def get(self, request: HttpRequest, name: str) -> HttpResponse:
        return json(shapes.connector_status(herder().connector_status(name)))


class PauseView(ConnectView):
    def put(self, request: HttpRequest, name: str) -> HttpResponse:
        bodies.refuse_other_content(request)
        herder().set_target_state(name, TargetState.PAUSED)
        return empty(202)


class ResumeView(ConnectView):
    def put(self, request: HttpRequest, name: str) -> HttpResponse:
        bodies.refuse_other_content(request)
        herder().set_target_state(name, TargetState.STARTED)
        return empty(202)


class StopView(ConnectView):
    def put(self, request: HttpRequest, name: str) -> HttpResponse:
        bodies.refuse_other_content(request)
        herder().set_target_state(name, TargetState.STOPPED)
        return empty(204)


class RestartView(ConnectView):
    def post(self, request: HttpRequest, name: str) -> HttpResponse:
        """KIP-745: 204 for the connector instance alone, 202 with the plan for every other combination."""
        bodies.refuse_other_content(request)
        wanted = RestartRequest(name, only_failed=flag(request, "onlyFailed"), include_tasks=flag(request, "includeTasks"))
        planned = herder().restart_connector(wanted)
        return empty(204) if planned is None else json(shapes.connector_status(planned), 202)
