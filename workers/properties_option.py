"""What commands do with a file of Kafka Connect's worker settings."""

import logging
import os
from argparse import ArgumentParser
from collections.abc import Mapping
from pathlib import Path

from django.core.exceptions import ImproperlyConfigured
from django.core.management.base import CommandError

from config import again
from config.declared import unknown
from workers import worker_properties
from workers.config import CannotStart, worker_config
from workers.provider_settings import config_transformer
from workers.rest_config import rest_config

logger = logging.getLogger(__name__)


def add_option(parser: ArgumentParser) -> None:
    parser.add_argument("--properties", metavar="FILE", help="of Kafka Connect's, whose settings win over the environment's")


def use(file: str | None, variables: Mapping[str, str] = {}) -> None:
    """Makes this process's settings those of the file, and over them `variables`; the process starts again for that. Tells what
    in the file has no effect. Raises CommandError."""
    try:
        properties = worker_properties.read(Path(file)) if file else None
    except worker_properties.PropertiesRefused as error:
        raise CommandError(str(error)) from error
    again.start_again_with({**(properties.variables if properties else {}), **variables})
    # What `up` has told its processes need not repeat.
    if unknown.SUPERVISED not in os.environ:
        for warning in unknown.warnings(os.environ):
            logger.warning("%s", warning)
    if properties is None:
        return
    for warning in properties.warnings:
        logger.warning("%s", warning)
    try:
        worker_config()
        rest_config()
        config_transformer()
    except (ImproperlyConfigured, CannotStart) as error:
        raise CommandError(properties.explained(str(error))) from error
