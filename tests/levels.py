"""Levels of this process's own loggers."""

import logging
from collections.abc import Iterator
from contextlib import contextmanager


def own_levels() -> dict[str, int]:
    found = {name: logger.level for name, logger in logging.root.manager.loggerDict.items() if isinstance(logger, logging.Logger)}
    return {"root": logging.root.level, **found}


@contextmanager
def kept() -> Iterator[None]:
    """At the end they are what they were."""
    before = own_levels()
    yield
    for name in own_levels():
        logging.getLogger(None if name == "root" else name).setLevel(before.get(name, logging.NOTSET))
