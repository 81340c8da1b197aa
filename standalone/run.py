"""A standalone worker's life, from its parts to its end."""

import logging
import threading
from collections.abc import Sequence

from django.conf import settings
from django.core.wsgi import get_wsgi_application

from config.listeners import url
from connect_api import board, herder, remembered
from standalone.connector_files import ConnectorFile
from web.server import Door, serving
from workers import assembly
from workers.config import WorkerConfig
from workers.herder.errors import HerderError
from workers.herder.standalone import StandaloneHerder

logger = logging.getLogger(__name__)


class ConnectorRefused(Exception):
    """A connector of the command line cannot be created, or its start failed; the message names its file."""


def run(config: WorkerConfig, doors: Sequence[Door], connectors: Sequence[ConnectorFile]) -> None:
    """Until KeyboardInterrupt, which it passes on when everything has been stopped. Raises ConnectorRefused, and one of
    `assembly.START_FAILURES`."""
    worker = assembly.standalone(config, config.offsets_file)
    try:
        worker.start()
        herder.use(worker.herder)
        board.use(worker.board)
        longest = settings.DATA_UPLOAD_MAX_MEMORY_SIZE
        with serving(get_wsgi_application(), doors, longest_body=longest, made_of=remembered.source()):
            # The REST API says that it is starting, as Kafka Connect's does.
            for connector in connectors:
                _create(worker.herder, connector)
            worker.herder.ready()
            where = ", ".join(url(listener) for listener in settings.LISTENERS)
            logger.info("Standalone worker %s answers at %s", config.worker_id, where)
            threading.Event().wait()
    finally:
        logger.info("Stopping connectors and tasks")
        worker.stop()


def _create(worker: StandaloneHerder, file: ConnectorFile) -> None:
    if file.ignored:
        logger.warning("%s: not known, and without effect: %s", file.path, ", ".join(file.ignored))
    try:
        worker.create_connector(file.name, file.config, file.initial_state)  # type: ignore[arg-type]
    except HerderError as error:
        raise ConnectorRefused(f"{file.path}: {error.message}") from error
    logger.info("Created connector %s of %s", file.name, file.path)
