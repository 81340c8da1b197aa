"""The paths of the Kafka Connect REST API. A trailing slash is accepted everywhere, as there."""

from django.urls import re_path

from connect_api.views import connectors, metrics, root, tasks, topics

_NAME = r"^connectors/(?P<name>[^/]+)"
_TASK = r"tasks/(?P<task>[^/]+)"

urlpatterns = [
    re_path(r"^$", root.RootView.as_view()),
    re_path(r"^health/?$", root.HealthView.as_view()),
    re_path(r"^connector-plugins/?$", root.PluginsView.as_view()),
    re_path(r"^api/v1/workers/?$", root.WorkersView.as_view()),
    re_path(r"^metrics/?$", metrics.MetricsView.as_view()),
    re_path(r"^connectors/?$", connectors.ConnectorsView.as_view()),
    re_path(rf"{_NAME}/?$", connectors.ConnectorView.as_view()),
    re_path(rf"{_NAME}/config/?$", connectors.ConfigView.as_view()),
    re_path(rf"{_NAME}/status/?$", connectors.StatusView.as_view()),
    re_path(rf"{_NAME}/pause/?$", connectors.PauseView.as_view()),
    re_path(rf"{_NAME}/resume/?$", connectors.ResumeView.as_view()),
    re_path(rf"{_NAME}/stop/?$", connectors.StopView.as_view()),
    re_path(rf"{_NAME}/restart/?$", connectors.RestartView.as_view()),
    re_path(rf"{_NAME}/topics/?$", topics.TopicsView.as_view()),
    re_path(rf"{_NAME}/topics/reset/?$", topics.ResetView.as_view()),
    re_path(rf"{_NAME}/tasks/?$", tasks.TasksView.as_view()),
    re_path(rf"{_NAME}/{_TASK}/status/?$", tasks.TaskStatusView.as_view()),
    re_path(rf"{_NAME}/{_TASK}/restart/?$", tasks.TaskRestartView.as_view()),
]
