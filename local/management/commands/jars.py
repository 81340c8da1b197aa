"""`manage.py jars`: fetches the jars that `up` would, or the peer's for tests and benchmarks."""

import sys
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError

from local import jars, java
from local.console import Console


class Command(BaseCommand):
    help = "Fetches the jars named in ivy.xml into .jars/, where they are not there yet."
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "confs", nargs="*", metavar="CONF", help=f"which of {', '.join(jars.CONFIGURATIONS)} (default: spark broker)"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        confs = options["confs"] or ["spark", "broker"]
        if unknown := [conf for conf in confs if conf not in jars.CONFIGURATIONS]:
            raise CommandError(f"ivy.xml has the configurations {', '.join(jars.CONFIGURATIONS)}, not {', '.join(unknown)}.")
        console = Console(sys.stdout)
        try:
            fetched = jars.fetch(Path(settings.BASE_DIR), java.find(), confs, console.fetched)
        except (jars.FetchFailed, java.JavaUnusable) as error:
            raise CommandError(str(error)) from error
        console.end_progress()
        console.line(f"Fetched {', '.join(fetched)}." if fetched else "All there.")
