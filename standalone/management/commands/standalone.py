"""`manage.py standalone worker.properties [connector files ...]`: Kafka Connect's standalone mode, in one process."""

import os
from argparse import ArgumentParser
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from local import jars, java, preflight, processes
from local.console import Console
from local.installation import this_installation
from local.start import Refused, catch_signals, fetch_jars, ignore_signals
from standalone import connector_files, run
from web import doors, server, tls
from workers import assembly, properties_option
from workers.config import worker_config

EXPECTED = (
    connector_files.FileRefused,
    java.JavaUnusable,
    jars.FetchFailed,
    Refused,
    server.CannotListen,
    tls.TlsRefused,
    *assembly.START_FAILURES,
)
# As Kafka Connect's.
CONNECTOR_REFUSED = 3


class Command(BaseCommand):
    help = "Runs one worker by itself, with the REST API: no Redis, no database, no topics of its own. Ctrl-C stops it."
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        add = parser.add_argument
        add("properties", metavar="worker.properties", help="the worker's settings, as Kafka Connect's")
        add("connectors", nargs="*", metavar="connector", help="a file with a connector: properties or JSON")
        add("--insecure", action="store_true", help="let other machines reach the REST API, which asks nobody to sign in")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            self._handle([Path(file) for file in options["connectors"]], options["properties"], options["insecure"])
        except EXPECTED as error:
            raise CommandError(str(error)) from error
        except run.ConnectorRefused as error:
            raise CommandError(str(error), returncode=CONNECTOR_REFUSED) from error
        except KeyboardInterrupt:
            self.stdout.write("Stopped.")

    def _handle(self, connectors: list[Path], properties: str, insecure: bool) -> None:
        found = java.find()
        environment = processes.for_spark(found, os.environ)
        properties_option.use(properties, {**environment, "DJANGO_SETTINGS_MODULE": "standalone.settings"})
        read = connector_files.read_all(connectors)
        if problem := preflight.host_problem(this_installation(), insecure):
            raise Refused(problem)
        # Before anything of another worker's is touched that may be running here.
        with ExitStack() as stack:
            taken = doors.take(stack)
            fetch_jars(this_installation(), found, (processes.WORKER,), Console())
            catch_signals()
            try:
                run.run(worker_config(), taken, read)
            finally:
                ignore_signals()
