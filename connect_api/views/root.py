"""`/`, `/health` and `/api/v1/workers`."""

from django.http import HttpRequest, HttpResponse, HttpResponseBase, HttpResponseRedirect
from django.urls import is_valid_path
from django.utils.cache import get_conditional_response, set_response_etag
from rest_framework.exceptions import NotAcceptable

from connect_api import shapes
from connect_api.answers import json
from connect_api.herder import herder
from connect_api.preferences import accepts
from connect_api.views.base import ConnectView
from workers import COMMIT, VERSION

ROOM = "/ui/"
_HEALTH = {"healthy": 200, "starting": 503, "unhealthy": 500}


class RootView(ConnectView):
    # It sees for itself.
    media_type = None

    def get(self, request: HttpRequest) -> HttpResponse:
        """Programs get the version, people the control room where there is one. Raises NotAcceptable."""
        accept = request.headers.get("Accept", "")
        if "text/html" in accept and is_valid_path(ROOM):
            response: HttpResponse = HttpResponseRedirect(ROOM)
        elif not accepts(accept, "application/json"):
            raise NotAcceptable
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

    def get(self, request: HttpRequest) -> HttpResponseBase | None:
        """With `If-None-Match` the answer is 304 while it is the same. The ETag is made of the answer itself: workers also tell
        the leader what nobody sees here, and any web process may be asked next."""
        response = json(shapes.group(herder().group()))
        set_response_etag(response)
        return get_conditional_response(request, etag=response["ETag"], response=response)
