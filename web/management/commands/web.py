"""`manage.py web`: the REST API and the control room, until SIGTERM or Ctrl-C."""

import signal
import threading
from contextlib import ExitStack
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError
from django.core.wsgi import get_wsgi_application

from connect_api import remembered
from web import doors
from web.server import CannotListen, serving
from web.tls import TlsRefused


class Command(BaseCommand):
    help = "Serves the REST API and the control room; `up` runs it."
    requires_system_checks: list[str] = []

    def handle(self, *args: Any, **options: Any) -> None:
        stopped = threading.Event()
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, lambda *_: stopped.set())
        with ExitStack() as stack:
            try:
                taken = [*doors.take(stack), *doors.take_inner(stack)]
            except (CannotListen, TlsRefused) as error:
                raise CommandError(str(error)) from error
            longest = settings.DATA_UPLOAD_MAX_MEMORY_SIZE
            stack.enter_context(serving(get_wsgi_application(), taken, longest_body=longest, made_of=remembered.source()))
            stopped.wait()
