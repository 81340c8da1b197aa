"""The Celery tasks of a worker."""

from typing import Any

from config.celery import app
from workers.herder.requests import TASK


# Acknowledged when it has been answered: one that a killed worker had taken comes again, and is known by its claim.
@app.task(name=TASK, acks_late=True)
def herder_request(request: str, action: str, arguments: dict[str, Any], timeout: float, forwarded: bool) -> None:
    from workers.bootstep import hosted

    hosted().service.handle(request, action, arguments, timeout, forwarded)
