"""Resources as a part of the control process, started and stopped with its Celery worker."""

from typing import Any

from celery import bootsteps

from dashboard.resources.runner import Runner


class Resources(bootsteps.StartStopStep):
    """Before the consumer, which waits for the broker: resources are brought about whether Redis is there or not."""

    requires = ("celery.worker.components:Pool",)

    def create(self, _parent: Any) -> Any:
        return Runner()
