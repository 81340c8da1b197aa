"""`manage.py room_openapi [FILE]`: what is served at `/api/v1/openapi.json`, as YAML."""

from pathlib import Path

from django.core.management.base import BaseCommand, CommandParser

from dashboard.api import openapi


class Command(BaseCommand):
    help = "Writes the OpenAPI document of the control room's API, as YAML."
    requires_system_checks = ()

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file", nargs="?", type=Path, help="where to; to standard output if left out")

    def handle(self, *args: object, file: Path | None, **options: object) -> None:
        if file is None:
            self.stdout.write(openapi.as_yaml().decode(), ending="")
        else:
            file.write_bytes(openapi.as_yaml())
