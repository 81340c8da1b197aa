"""What a side says of its connectors and tasks while it says it: its status topic, followed.

REST shows only the newest state: a short RESTARTING would be missed, and a RUNNING could be that of before.
"""

import threading
import time
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager

from confluent_kafka import Message

from bench.topics import Topics
from bench.waiting import Stuck, until
from workers.herder.states import State
from workers.herder.values import InstanceId, TaskId
from workers.storage import records

#: Moment (`time.monotonic`) and state.
Seen = tuple[float, State]

STARTED: Sequence[State] = (State.RUNNING,)
RESTARTED: Sequence[State] = (State.RESTARTING, State.RUNNING)
PAUSED: Sequence[State] = (State.PAUSED,)

_POLL = 0.1


def reached(history: Sequence[Seen], way: Sequence[State]) -> float | None:
    """The moment at which the last state of `way` was seen after all before it, in order; None if it was not."""
    moment, left = None, list(way)
    for moment_of, state in history:
        if left and state is left[0]:
            moment = moment_of
            del left[0]
    return None if left else moment


def with_tasks(names: Collection[str]) -> list[InstanceId]:
    """The connectors, and the one task of each."""
    return [*names, *(TaskId(name, 0) for name in names)]


class Statuses:
    """Thread-safe."""

    def __init__(self) -> None:
        self._seen: dict[InstanceId, list[Seen]] = {}
        self._lock = threading.Lock()

    def note(self, instance: InstanceId, state: State) -> None:
        with self._lock:
            self._seen.setdefault(instance, []).append((time.monotonic(), state))

    def forget(self) -> None:
        """What was seen so far counts no more."""
        with self._lock:
            self._seen.clear()

    def wait(self, instances: Collection[InstanceId], way: Sequence[State], seconds: float) -> float:
        """The moment at which the last of them had come all the `way`, since the last `forget`. Raises Stuck."""
        moments: dict[InstanceId, float] = {}

        def all_there() -> bool:
            with self._lock:
                histories = [(instance, list(self._seen.get(instance, ()))) for instance in instances if instance not in moments]
            for instance, history in histories:
                if (moment := reached(history, way)) is not None:
                    moments[instance] = moment
                elif history and history[-1][1] is State.FAILED:
                    raise Stuck(f"{instance} failed")
            return len(moments) == len(instances)

        until(all_there, f"{way[-1]} of {len(instances)} connectors and tasks", seconds=seconds)
        return max(moments.values())


@contextmanager
def following(topics: Topics, topic: str) -> Iterator[Statuses]:
    """What is written to the topic from now on."""
    statuses, stop = Statuses(), threading.Event()
    consumer = topics.reader()
    consumer.assign(topics.ends(topic))

    def follow() -> None:
        while not stop.is_set():
            message = consumer.poll(_POLL)
            if message is not None and (found := _state(message)):
                statuses.note(*found)
        consumer.close()

    thread = threading.Thread(target=follow, name="statuses", daemon=True)
    thread.start()
    try:
        yield statuses
    finally:
        stop.set()
        thread.join()


def _state(message: Message) -> tuple[InstanceId, State] | None:
    key, value = message.key(), message.value()
    if not isinstance(key, bytes) or not isinstance(value, bytes):
        return None
    instance, status = records.status_instance(key), records.status_of(value)
    return (instance, status.state) if instance is not None and status is not None else None
