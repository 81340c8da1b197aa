"""The offset stores of a worker: the group's, and one for each topic of its own that a source names (`offsets.storage.topic`).

As in Kafka Connect: a source with a topic of its own is read there first, for each partition, and written there and to the
group's topic: whoever takes the setting away goes on from where it was.
"""

import logging
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from workers.herder.values import Fields, PartitionOffset
from workers.storage.log import Log, LogError, Part
from workers.storage.offset_store import OffsetStore, canonical

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class ConnectorOffsets:
    """What one source is read from and written to; the first of the stores is the one that counts."""

    stores: Sequence[OffsetStore]

    def refresh(self) -> None:
        """See `OffsetStore.refresh`."""
        for store in self.stores:
            store.refresh()

    def offsets(self, connector: str) -> list[PartitionOffset]:
        found = [item for store in reversed(self.stores) for item in store.offsets(connector)]
        return list({canonical(item.partition): item for item in found}.values())

    def offset(self, connector: str, partition: Fields) -> Fields | None:
        found = (store.offset(connector, partition) for store in self.stores)
        return next((offset for offset in found if offset is not None), None)

    def commit(self, connector: str, partition: Fields, offset: Fields, epoch: int) -> None:
        """Durable on return in the store that counts. Raises LogError."""
        self.commit_all(connector, [(partition, offset)], epoch)

    def commit_all(self, connector: str, offsets: Sequence[tuple[Fields, Fields]], epoch: int) -> None:
        """Several at once, as one of them."""
        first, *others = self.stores
        first.commit_all(connector, offsets, epoch)
        for store in others:
            try:
                store.commit_all(connector, offsets, epoch)
            except LogError as error:
                logger.warning("Offsets of connector %s are in its own topic only: %s", connector, error)

    def alteration(self, connector: str, offsets: Sequence[PartitionOffset], epoch: int) -> list[Part]:
        """See `OffsetStore.alteration`: in all stores, for one write."""
        return [Part(store.log, lines) for store in self.stores if (lines := store.alteration(connector, offsets, epoch))]


class OffsetStores:
    """`own` is the group's, of `own_topic`; `open_topic` makes the store of another one, started. Without it there are no others.
    Thread-safe."""

    def __init__(
        self, own: OffsetStore, open_topic: Callable[[str], OffsetStore] | None = None, *, own_topic: str | None = None
    ) -> None:
        self._own = own
        self._own_topic = own_topic
        self._open_topic = open_topic
        self._opened: dict[str, OffsetStore] = {}
        self._opening = threading.Lock()
        self._on_disowned: Callable[[], None] = lambda: None

    def start(self) -> None:
        """Reads the group's to its end. Raises LogError."""
        self._own.start()

    def of(self, topic: str | None) -> ConnectorOffsets:
        """For a source with that `offsets.storage.topic`. Waits for Kafka, and raises what `open_topic` does, where it is new."""
        if topic in (None, self._own_topic) or self._open_topic is None:
            return ConnectorOffsets([self._own])
        with self._opening:
            if topic not in self._opened:
                self._opened[topic] = self._open_topic(topic)
                self._opened[topic].watch(self._on_disowned)
            return ConnectorOffsets([self._opened[topic], self._own])

    # --- for the leader -----------------------------------------------------------------------------------------------

    def refresh(self) -> None:
        for store in self._all():
            store.refresh()

    @property
    def newest_epoch(self) -> int:
        return max(store.newest_epoch for store in self._all())

    def watch(self, on_disowned: Callable[[], None]) -> None:
        """See `OffsetStore.watch`."""
        self._on_disowned = on_disowned
        for store in self._all():
            store.watch(on_disowned)

    def restatements(self) -> list[Part]:
        """See `OffsetStore.restatements`."""
        return [Part(store.log, lines) for store in self._all() if (lines := store.restatements())]

    @property
    def logs(self) -> list[Log]:
        return [store.log for store in self._all()]

    def _all(self) -> list[OffsetStore]:
        return [self._own, *list(self._opened.values())]

    def stop(self) -> None:
        for store in self._all():
            store.stop()
