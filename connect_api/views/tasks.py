"""What lies under `/connectors/{c}/tasks`."""

import re

from django.http import HttpRequest, HttpResponse
from rest_framework.exceptions import NotFound

from connect_api import shapes
from connect_api.answers import empty, json
from connect_api.herder import herder
from connect_api.views.base import ConnectView
from workers.herder.values import TaskId

# As `Integer.parseInt` reads it; longer ones are out of range in any case.
_NUMBER = re.compile(r"[+-]?[0-9]{1,99}")


def task_id(name: str, number: str) -> TaskId:
    """A task as the path names it. Its number is a signed 32-bit integer, as in Kafka Connect. Raises NotFound."""
    if not _NUMBER.fullmatch(number) or not -(2**31) <= int(number) < 2**31:
        raise NotFound
    return TaskId(name, int(number))


class TasksView(ConnectView):
    def get(self, request: HttpRequest, name: str) -> HttpResponse:
        return json([shapes.task_config(task, config) for task, config in herder().task_configs(name)])


class TaskStatusView(ConnectView):
    def get(self, request: HttpRequest, name: str, task: str) -> HttpResponse:
        wanted = task_id(name, task)
        return json(shapes.task_status(wanted.task, herder().task_status(wanted)))


class TaskRestartView(ConnectView):
    def post(self, request: HttpRequest, name: str, task: str) -> HttpResponse:
        herder().restart_task(task_id(name, task))
        return empty(204)
