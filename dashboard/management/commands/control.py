"""`manage.py control`: the process behind the control room. It follows the clusters, and works off the queue `control`."""

import sys
from typing import Any

from celery.signals import setup_logging
from django.conf import settings
from django.core.management.base import BaseCommand

from config.celery import app
from dashboard.alerts.watch import Alerts
from dashboard.control.parts import Part, step_of
from dashboard.follow.supervisor import Followers
from dashboard.follow.upkeep import Upkeep
from dashboard.jobs.runner import Jobs
from dashboard.moves.runner import Moves
from dashboard.resources.runner import Resources
from dashboard.restarting.runner import Restarting

QUEUE = "control"
PARTS: tuple[type[Part], ...] = (Followers, Upkeep, Jobs, Alerts, Moves, Restarting, Resources)


class Command(BaseCommand):
    help = "Follow the registered clusters and run the control room's jobs, until told to stop."

    def handle(self, *_args: Any, **_options: Any) -> None:
        setup_logging.connect(_as_django_has_it)
        app.steps["worker"].update(step_of(part) for part in PARTS)
        worker = app.Worker(
            hostname=f"control@{settings.PORT}",
            queues=[QUEUE],
            pool="threads",
            concurrency=4,
            quiet=True,
            without_gossip=True,
            without_mingle=True,
            without_heartbeat=True,
        )
        worker.start()
        sys.exit(worker.exitcode or 0)


def _as_django_has_it(**_options: Any) -> None:
    """Celery would set up logging of its own, were nobody to say that it is done."""
