"""`manage.py worker`: a Celery worker that hosts the herder, a Spark driver, and this worker's tasks."""

import sys
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand

from workers import properties_option
from workers.config import worker_config


class Command(BaseCommand):
    help = "Runs one worker: connectors, tasks and the herder. Ends on SIGTERM or Ctrl-C after what is running has been stopped."

    def add_arguments(self, parser: ArgumentParser) -> None:
        properties_option.add_option(parser)

    def handle(self, *args: Any, **options: Any) -> None:
        properties_option.use(options["properties"])
        from config.celery import app
        from workers.bootstep import HostStep

        config = worker_config()
        app.steps["worker"].add(HostStep)
        worker = app.Worker(
            pool="threads",
            concurrency=32,
            queues=[config.worker_queue(config.worker_id)],
            hostname=f"worker@{config.worker_id}",
            loglevel="INFO",
            without_gossip=True,
            without_mingle=True,
            without_heartbeat=True,
        )
        worker.start()
        sys.exit(worker.exitcode)
