"""`manage.py down`: ends what `manage.py up` started in this data folder."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from local import leftovers, supervise
from local.installation import at, this_installation


class Command(BaseCommand):
    help = "Stops everything that `up` started in this data folder."
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--data-dir", help="of the installation to stop (DROVER_DATA_DIR)")

    def handle(self, *args: Any, **options: Any) -> None:
        installation = at(this_installation(), options["data_dir"])
        was_up = supervise.is_up(installation)
        if was_up:
            supervise.ask_to_stop(installation)
            if not supervise.await_unlocked(installation):
                raise CommandError(f"Drover in {installation.data} does not stop; see {installation.logs}.")
        if leftovers.end(installation.data) or was_up:
            self.stdout.write("Stopped.")
        else:
            self.stdout.write(f"Nothing is running in {installation.data}.")
