"""What PySpark itself logs of errors in SQL is not heard: whoever catches such an error tells of it."""

import logging

# PySparkException._log_exception, by the two names that it asks for.
_OF_ERRORS = ("SQLQueryContextLogger", "DataFrameQueryContextLogger")


def silence() -> None:
    """For the whole process, before PySpark asks for its loggers: what it would make of them writes to stderr, past what keeps
    secrets out of logs."""
    for name in _OF_ERRORS:
        logging.getLogger(name).exception = _unheard  # type: ignore[method-assign]


def _unheard(*args: object, **kwargs: object) -> None:
    """With keywords that no other logger knows."""
