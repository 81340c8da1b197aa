"""The loggers of this Python process."""

import logging
from collections.abc import Iterator

from workers.loggers.levels import NUMBERS, ROOT, name_of, within


class PythonLoggers:
    def levels(self) -> dict[str, str]:
        return {logger.name: name_of(logger.getEffectiveLevel()) for logger in _all()}

    def create(self, name: str) -> None:
        logging.getLogger(_python(name))

    def set(self, namespace: str, level: str) -> None:
        """Those beneath that have none of their own follow."""
        own = [logger.name for logger in _all() if logger.level != logging.NOTSET and within(logger.name, namespace)]
        for name in {namespace, *own}:
            logging.getLogger(_python(name)).setLevel(NUMBERS[level])


def _python(name: str) -> str:
    return "" if name == ROOT else name


def _all() -> Iterator[logging.Logger]:
    yield logging.root
    # What only stands for the names below it is no logger.
    yield from (found for found in list(logging.root.manager.loggerDict.values()) if isinstance(found, logging.Logger))
