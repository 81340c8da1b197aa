"""JVMs of the tests' own, beside the one of a Spark session in the same process."""

from collections.abc import Iterator
from contextlib import contextmanager
from unittest.mock import patch

from py4j.protocol import get_return_value


@contextmanager
def own_errors() -> Iterator[None]:
    """Errors are those of the JVM that is asked.

    A Spark session, also one that has ended, makes PySpark look up the objects of every error in Spark's own JVM, where they are
    others or none.
    """
    with patch("py4j.java_gateway.get_return_value", get_return_value):
        yield
