"""Parts of the control process, started and stopped with its Celery worker."""

from typing import Protocol

from celery import bootsteps


class Part(Protocol):
    def start(self) -> None: ...

    def stop(self) -> None: ...


def step_of(part: type[Part]) -> type[bootsteps.StartStopStep]:
    """Before the consumer, which waits for the broker: all of them work whether Redis is there or not."""
    return type(
        part.__name__,
        (bootsteps.StartStopStep,),
        {"__module__": __name__, "requires": ("celery.worker.components:Pool",), "create": lambda _step, _worker: part()},
    )
