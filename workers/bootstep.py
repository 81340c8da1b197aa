"""Hosts the herder and this worker's tasks in the Celery worker process (design rule 7). They go on while Redis is down."""

import logging
from functools import partial
from typing import Any

from celery import bootsteps

from workers import assembly
from workers.config import worker_config

logger = logging.getLogger(__name__)

_hosted: assembly.Worker | None = None


def hosted() -> assembly.Worker:
    """The worker in this process; the Celery tasks reach the herder through it."""
    assert _hosted is not None, "this process hosts no worker"
    return _hosted


class HostStep(bootsteps.StartStopStep):
    """After the pool, before the consumer: no request is taken before the herder can answer it."""

    requires = ("celery.worker.components:Pool",)

    def start(self, parent: Any) -> None:
        global _hosted
        try:
            config = worker_config()
            _hosted = assembly.worker(config, on_lead=partial(_take_requests, parent, config.queue))
            _hosted.start()
        except assembly.START_FAILURES as error:
            logger.critical("This worker cannot start: %s", error)
            raise SystemExit(1) from error
        logger.info("Worker %s of group %s is ready", _hosted.config.worker_id, _hosted.config.group_id)

    def stop(self, parent: Any) -> None:
        if _hosted is not None:
            logger.info("Stopping connectors and tasks")
            _hosted.stop()


def _take_requests(worker: Any, queue: str, leads: bool) -> None:
    """The leader alone takes what is asked of the leader: what waits there when it dies is there for the next one."""
    consumer, queues = worker.consumer, worker.app.amqp.queues
    # For the next connection to Redis, be it the first; then for the one that there may be.
    if leads:
        queues.select_add(queues[queue])
    else:
        queues.deselect(queue)

    def switch() -> None:
        if consumer.task_consumer is None:
            return
        if leads:
            consumer.add_task_queue(queue)
        else:
            consumer.cancel_task_queue(queue)

    consumer.call_soon(switch)
