"""The paths of the Kafka Connect REST API. A trailing slash is accepted everywhere, as there."""

from django.urls import re_path

from connect_api.views import connectors, loggers, metrics, offsets, openapi, plugins, root, tasks, topics

# Where this is all there is (standalone/settings.py), as in config/urls.py.
handler404 = "connect_api.errors.not_found"
handler500 = "connect_api.errors.server_error"

_NAME = r"^connectors/(?P<name>[^/]+)"
_PLUGIN = r"^connector-plugins/(?P<plugin>[^/]+)"
_TASK = r"tasks/(?P<task>[^/]+)"

urlpatterns = [
    re_path(r"^$", root.RootView.as_view()),
    re_path(r"^health/?$", root.HealthView.as_view()),
    re_path(r"^connector-plugins/?$", plugins.PluginsView.as_view()),
    re_path(rf"{_PLUGIN}/config/?$", plugins.PluginConfigView.as_view()),
    re_path(rf"{_PLUGIN}/config/validate/?$", plugins.ValidateView.as_view()),
    re_path(r"^api/v1/workers/?$", root.WorkersView.as_view()),
    re_path(r"^admin/loggers/?$", loggers.LoggersView.as_view()),
    re_path(r"^admin/loggers/(?P<name>[^/]+)/?$", loggers.LoggerView.as_view()),
    re_path(r"^metrics/?$", metrics.MetricsView.as_view()),
    re_path(r"^api/openapi\.json/?$", openapi.JsonView.as_view()),
    re_path(r"^api/openapi\.yaml/?$", openapi.YamlView.as_view()),
    re_path(r"^api/docs/?$", openapi.DocsView.as_view()),
    re_path(r"^connectors/?$", connectors.ConnectorsView.as_view()),
    re_path(rf"{_NAME}/?$", connectors.ConnectorView.as_view()),
    re_path(rf"{_NAME}/config/?$", connectors.ConfigView.as_view()),
    re_path(rf"{_NAME}/status/?$", connectors.StatusView.as_view()),
    re_path(rf"{_NAME}/pause/?$", connectors.PauseView.as_view()),
    re_path(rf"{_NAME}/resume/?$", connectors.ResumeView.as_view()),
    re_path(rf"{_NAME}/stop/?$", connectors.StopView.as_view()),
    re_path(rf"{_NAME}/restart/?$", connectors.RestartView.as_view()),
    re_path(rf"{_NAME}/offsets/?$", offsets.OffsetsView.as_view()),
    re_path(r"^api/v1/connectors/(?P<name>[^/]+)/positions/?$", offsets.PositionsView.as_view()),
    re_path(rf"{_NAME}/topics/?$", topics.TopicsView.as_view()),
    re_path(rf"{_NAME}/topics/reset/?$", topics.ResetView.as_view()),
    re_path(rf"{_NAME}/tasks/?$", tasks.TasksView.as_view()),
    re_path(rf"{_NAME}/{_TASK}/status/?$", tasks.TaskStatusView.as_view()),
    re_path(rf"{_NAME}/{_TASK}/restart/?$", tasks.TaskRestartView.as_view()),
]
