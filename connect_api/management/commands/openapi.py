"""`manage.py openapi [FILE]`: the document that is served at `/api/openapi.yaml`."""

from pathlib import Path

from django.core.management.base import BaseCommand, CommandParser

from connect_api.openapi import document


class Command(BaseCommand):
    help = "Writes the REST API's OpenAPI document, as YAML."
    requires_system_checks = ()

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file", nargs="?", type=Path, help="where to; to standard output if left out")

    def handle(self, *args: object, file: Path | None, **options: object) -> None:
        if file is None:
            self.stdout.write(document.as_yaml().decode(), ending="")
        else:
            file.write_bytes(document.as_yaml())
