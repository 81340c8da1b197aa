"""The Celery tasks of a worker."""

from typing import Any

from config.celery import app
from workers.herder.requests import TASK


@app.task(name=TASK)
def herder_request(request: str, action: str, arguments: dict[str, Any], deadline: float) -> None:
    from workers.bootstep import hosted

    hosted().service.handle(request, action, arguments, deadline)
