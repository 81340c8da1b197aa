"""The Celery application of the worker and control processes. Redis is a queue here and nothing more (design rule 2)."""

import os

from celery import Celery
from django.conf import settings

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")

app = Celery("drover")
app.conf.update(
    broker_url=settings.REDIS_URL,
    broker_connection_retry_on_startup=True,
    broker_connection_max_retries=None,
    broker_transport_options={
        "polling_interval": 0.05,
        "socket_connect_timeout": 2,
        "socket_timeout": 5,
        # After so many seconds a message that a worker took and never acknowledged is there for another one.
        "visibility_timeout": 30,
    },
    accept_content=["json"],
    task_serializer="json",
    # Answers travel by their own road (workers/herder/requests.py); results would only pile up.
    task_ignore_result=True,
    worker_prefetch_multiplier=1,
    worker_hijack_root_logger=False,
    worker_send_task_events=False,
    timezone="UTC",
)
app.autodiscover_tasks(["workers", "dashboard"])
