"""Many connectors of one side, with one task each, for which nothing comes; and calls for each of them."""

import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass

from bench import mirroring
from bench.setting import Setting, fresh_name
from bench.sides import Side, sink, source
from bench.statuses import Statuses, following
from bench.waiting import until
from connect_client import ConnectConflict

#: Kafka Connect answers 409 while it rebalances: a caller asks again.
_AGAIN = 0.05
_PATIENCE = 120.0

SOURCE, SINK, MIRROR, REALTIME = "source", "sink", "mirror", "real-time mirror"


@dataclass(frozen=True, slots=True)
class Called:
    """Calls that were made: from before the first one until after the last one, and what each took. `began` is a
    `time.monotonic`."""

    began: float
    seconds: float
    milliseconds: list[float]


@dataclass(frozen=True, slots=True)
class Herd:
    """Not created yet. `statuses` are the side's."""

    side: Side
    statuses: Statuses
    names: Sequence[str]
    configs: Sequence[dict[str, str]]

    def create(self, callers: int = 1) -> Called:
        configs = dict(zip(self.names, self.configs, strict=True))
        return self.each(lambda name: self.side.client.create(name, configs[name]), callers)

    def each(self, call: Callable[[str], object], callers: int = 1, names: Sequence[str] = ()) -> Called:
        """Calls for every connector, or for `names`; each of the callers makes the next call when its last one was taken."""
        self.statuses.forget()

        def timed(name: str) -> float:
            began = time.monotonic()
            _until_taken(lambda: call(name))
            return (time.monotonic() - began) * 1000

        began = time.monotonic()
        with ThreadPoolExecutor(callers) as pool:
            milliseconds = list(pool.map(timed, names or self.names))
        return Called(began, time.monotonic() - began, milliseconds)

    def delete(self, callers: int = 1) -> Called:
        """Returns when they are gone; that is not counted. Raises Stuck."""
        called = self.each(self.side.client.delete, callers)
        until(lambda: all(map(self.side.is_gone, self.names)), f"{self.side.name}: the deletions", seconds=_PATIENCE)
        return called


def _until_taken(call: Callable[[], object]) -> None:
    deadline = time.monotonic() + _PATIENCE
    while True:
        try:
            call()
        except ConnectConflict:
            if time.monotonic() > deadline:
                raise
            time.sleep(_AGAIN)
        else:
            return


def _config(setting: Setting, kind: str, name: str, topic: str) -> dict[str, str]:
    if kind in (MIRROR, REALTIME):
        # It means nothing to Kafka Connect.
        return mirroring.config(setting, f"{name}-from", topic) | ({"trigger": "realtime"} if kind == REALTIME else {})
    file = setting.folder / name
    file.touch()
    return source(file, topic) if kind == SOURCE else sink(file, topic)


@contextmanager
def herd(setting: Setting, side: Side, count: int, kind: str) -> Iterator[Herd]:
    """Each with a file of its own, which is empty; all but sources with a topic of their own, too, which has no records. Who
    creates them deletes them."""
    herd_name = fresh_name(f"{side.name.lower()}-{kind.replace(' ', '-')}")
    names = [f"{herd_name}-{number}" for number in range(count)]
    topics = [herd_name] * count if kind == SOURCE else names
    configs = [_config(setting, kind, name, topic) for name, topic in zip(names, topics, strict=True)]
    with setting.topics.all_fresh(sorted(set(topics))), following(setting.topics, side.status_topic) as statuses:
        yield Herd(side, statuses, names, configs)
