"""What a task's job knows of the life that it belongs to."""

from contextlib import AbstractContextManager
from typing import Protocol

from pyspark.sql import SparkSession


class Life(Protocol):
    """`check` and `committing` raise when this life of the task may write and commit no more."""

    def joins(self, common: str | None) -> None:
        """Its next batch is done by the job of this name, for several tasks; None: by one of its own."""
        ...

    def session(self) -> SparkSession:
        """Spark, for a job that follows at once: the one that it has joined, or its own."""
        ...

    def cancel(self) -> None:
        """Ends the job that it is in, for all that are."""
        ...

    def check(self) -> None:
        """Before a write."""
        ...

    def committing(self) -> AbstractContextManager[None]:
        """Around a commit: who gives the task up comes before it, and it is not made, or waits a moment until it is over."""
        ...


class Stepwise:
    """A job that does nothing between its steps."""

    def halt(self, timeout: float) -> bool:
        """Ends what goes on between two steps, for the task is paused or stopped. Whether it came to an end of its own within
        `timeout` seconds; else it was cut short."""
        return True

    def cut_off(self) -> None:
        """This worker may write no more: what goes on between two steps ends at once."""
