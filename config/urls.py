"""`/` is the Kafka Connect REST API, `/ui/` the control room, `/api/v1/` the same for automation."""

from django.urls import include, path

from connect_api.urls import handler404, handler500

__all__ = ["handler404", "handler500", "urlpatterns"]

urlpatterns = [
    path("ui/", include("dashboard.urls")),
    path("api/v1/", include("dashboard.api.urls")),
    path("", include("connect_api.urls")),
]
