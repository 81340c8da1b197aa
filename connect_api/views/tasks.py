"""What lies under `/connectors/{c}/tasks`."""

from django.http import HttpRequest, HttpResponse

from connect_api import bodies, shapes
from connect_api.answers import empty, json
from connect_api.herder import herder
from connect_api.views.base import ConnectView
from workers.herder.values import TaskId


class TasksView(ConnectView):
    def get(self, request: HttpRequest, name: str) -> HttpResponse:
        return json([shapes.task_config(task, config) for task, config in herder().task_configs(name)])


class TaskStatusView(ConnectView):
    def get(self, request: HttpRequest, name: str, task: str) -> HttpResponse:
        return json(shapes.task_status(int(task), herder().task_status(TaskId(name, int(task)))))


class TaskRestartView(ConnectView):
    def post(self, request: HttpRequest, name: str, task: str) -> HttpResponse:
        bodies.refuse_other_content(request)
        herder().restart_task(TaskId(name, int(task)))
        return empty(204)
