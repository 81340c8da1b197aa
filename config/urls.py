"""`/` is the Kafka Connect REST API, `/ui/` the control room."""

from django.urls import include, path

urlpatterns = [
    path("ui/", include("dashboard.urls")),
    path("", include("connect_api.urls")),
]

handler404 = "connect_api.errors.not_found"
handler500 = "connect_api.errors.server_error"
