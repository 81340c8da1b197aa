"""Reading and changing where connectors stand (KIP-875), for callers who wait: Kafka and plug-ins are asked on the caller's own
thread or in a lane, never on the herder's, which only checks and writes what is the leader's to write.

While a connector's offsets are being changed nobody else changes the connector: it cannot be resumed, given another config or
deleted in between (`Actions.begin_change`).
"""

import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from typing import Any, Protocol, TypeVar

from workers.herder import offsets
from workers.herder.actions import STALE, Actions, Done
from workers.herder.errors import Conflict, HerderError, NotFound
from workers.herder.lanes import Lanes
from workers.herder.leader import OffsetParts, no_offsets
from workers.herder.loop import in_time
from workers.herder.offsets import Change, Verb
from workers.herder.ports import GroupError, GroupInUse, GroupsOf, Plugins
from workers.herder.stages import Stages, timed_out
from workers.herder.states import TargetState
from workers.herder.values import Config, ConnectorEntry, PartitionOffset, Position
from workers.storage.config_store import ConfigStore
from workers.storage.log import LogError
from workers.storage.offset_stores import ConnectorOffsets, OffsetStores

T = TypeVar("T")

_THREADS = 4
_TOPICS = ("topics", "topics.regex")
_PATIENCE = 1.0


class OnHerder(Protocol):
    """Runs an action on the herder's thread, for a request if it is named (`DistributedHerder.call`)."""

    def __call__(self, action: Callable[[], Any], request: str | None = None) -> Future[Any]: ...


class OffsetRequests:
    """`deadline` (monotonic) is when the caller's time is over. `await_stop` waits until no task of a connector may run
    anywhere, so many seconds at most, and says whether that is so. Every method raises HerderError, in Kafka Connect's words."""

    def __init__(
        self,
        configs: ConfigStore,
        stores: OffsetStores,
        groups: GroupsOf,
        plugins: Plugins,
        actions: Actions,
        stages: Stages,
        on_herder: OnHerder,
        await_stop: Callable[[str, float], bool],
    ) -> None:
        self._configs = configs
        self._stores = stores
        self._groups = groups
        self._plugins = plugins
        self._actions = actions
        self._stages = stages
        self._on_herder = on_herder
        self._await_stop = await_stop
        self._lanes = Lanes(_THREADS, "offsets", _PATIENCE)

    def stop(self) -> None:
        self._lanes.stop(0)

    # --- reading ------------------------------------------------------------------------------------------------------

    def read(self, name: str) -> list[PartitionOffset]:
        """In any state, also on a worker that does not lead."""
        config = self._entry(name).config or {}
        if self._plugins.type_of(config) == "sink":
            return self._group_offsets(name, config, f"Failed to retrieve consumer group offsets for sink connector {name}")
        return self._source_offsets(name, config, f"Failed to retrieve offsets for source connector {name}")

    def positions(self, name: str, time: int | None) -> Sequence[Position]:
        """Of the partitions that a sink reads; a source has none. Also on a worker that does not lead."""
        config = self._entry(name).config or {}
        if self._plugins.type_of(config) != "sink":
            return []
        try:
            places = self._places(config, _TOPICS)
            return self._groups(places).positions(offsets.group_of(name, places), places, time)
        except GroupError as error:
            raise HerderError(f"Failed to retrieve the positions of sink connector {name}") from error

    def _entry(self, name: str) -> ConnectorEntry:
        entry = self._configs.entry(name)
        if entry is None:
            raise NotFound(f"Connector {name} not found")
        return entry

    def _group_offsets(self, name: str, config: Config, message: str) -> list[PartitionOffset]:
        places = self._places(config)
        try:
            found = self._groups(places).offsets(offsets.group_of(name, places))
        except GroupError as error:
            raise HerderError(message) from error
        return offsets.from_sink_offsets(found)

    def _source_offsets(self, name: str, config: Config, message: str) -> list[PartitionOffset]:
        try:
            of_it = self._of(config)
            of_it.refresh()
        except LogError as error:
            raise HerderError(message) from error
        return of_it.offsets(name)

    def _of(self, config: Config) -> ConnectorOffsets:
        """Raises LogError."""
        return self._stores.of(offsets.topic_of(self._places(config)))

    def _places(self, config: Config, more: Sequence[str] = ()) -> Config:
        """Only what says where its offsets are, and `more`: other variables may have no value at the moment."""
        wanted = {key: config[key] for key in more if key in config}
        return self._plugins.resolved({**offsets.places(config), **wanted})

    # --- changing -----------------------------------------------------------------------------------------------------

    def alter(self, name: str, wanted: Sequence[PartitionOffset], deadline: float) -> str:
        """What the caller is told."""
        with self._changing(name, deadline) as held:
            return self._change(self._alteration(name, held.config, wanted), held.by, deadline)

    def reset(self, name: str, deadline: float) -> str:
        with self._changing(name, deadline) as held:
            return self._change(self._reset(name, held.config), held.by, deadline)

    def _change(self, change: Change, by: object, deadline: float) -> str:
        parts = self._parts(change)
        handled = self._ask_plugin(change, deadline)
        if change.kind == "sink":
            self._write_group(change, by, deadline)
        else:
            self._herder(partial(self._actions.write_offsets, change.connector, parts, by), deadline)
        return change.message(handled)

    def create(
        self,
        request: str | None,
        name: str,
        config: Config,
        initial_state: TargetState | None,
        wanted: Sequence[PartitionOffset],
        deadline: float,
    ) -> Done:
        """A connector that begins at these offsets. A source's come in one write with it. A sink's group comes first: whoever
        dies in between leaves a group without a connector."""
        with self._held(name, self._actions.begin_creation, deadline) as held:
            change = self._alteration(name, config, wanted)
            parts = self._parts(change)
            self._ask_plugin(change, deadline)
            if change.kind == "sink":
                self._write_group(change, held.by, deadline)
            create = partial(self._actions.create_connector, name, config, initial_state, parts, held.by)
            return self._herder(create, deadline, request)

    def delete(self, request: str | None, name: str, deadline: float) -> Done:
        """A connector with its offsets: stopped first, then reset, then deleted. Whoever dies in between leaves it stopped."""
        if not offsets.is_stopped(self._entry(name)):
            self._herder(partial(self._actions.set_target_state, name, TargetState.STOPPED), deadline)
        with self._changing(name, deadline) as held:
            change = self._reset(name, held.config)
            parts = self._parts(change)
            self._ask_plugin(change, deadline)
            if change.kind == "sink":
                self._write_group(change, held.by, deadline)
            delete = partial(self._actions.delete_connector, name, parts, held.by)
            return self._herder(delete, deadline, request)

    # --- steps --------------------------------------------------------------------------------------------------------

    @contextmanager
    def _changing(self, name: str, deadline: float) -> Iterator["_Held"]:
        # Just stopped, perhaps: its tasks take a moment.
        if offsets.is_stopped(self._entry(name)) and not self._await_stop(name, deadline - time.monotonic()):
            raise Conflict(STALE)
        with self._held(name, self._actions.begin_change, deadline) as held:
            yield held

    @contextmanager
    def _held(self, name: str, begin: Callable[[str, object], Config], deadline: float) -> Iterator["_Held"]:
        by = object()
        try:
            yield _Held(by, self._herder(partial(begin, name, by), deadline))
        finally:
            # Also of one who was not waited for any longer.
            self._on_herder(partial(self._actions.end_change, name, by))

    def _herder(self, action: Callable[[], T], deadline: float, request: str | None = None) -> T:
        future: Future[T] = self._on_herder(partial(in_time, action, deadline), request)
        try:
            return future.result(max(0.0, deadline - time.monotonic()))
        except TimeoutError as error:
            raise timed_out(self._stages.current) from error

    def _alteration(self, name: str, config: Config, wanted: Sequence[PartitionOffset]) -> Change:
        return offsets.alteration(name, config, self._plugins.type_of(config), wanted)

    def _reset(self, name: str, config: Config) -> Change:
        kind = self._plugins.type_of(config)
        if kind == "sink":
            message = f"Failed to list offsets prior to resetting offsets for sink connector {name}"
            return offsets.reset(name, config, kind, self._group_offsets(name, config, message))
        message = "Timed out while trying to read to the end of the offsets topic prior to modifying offsets for source connector"
        return offsets.reset(name, config, kind, self._source_offsets(name, config, f"{message} {name}"))

    def _ask_plugin(self, change: Change, deadline: float) -> bool:
        """The plug-in's own code, which may hang: nobody waits for it for longer than for the request."""
        asked = self._lanes.run(object(), partial(self._alter_offsets, change))
        try:
            return bool(asked.result(max(0.0, deadline - time.monotonic())))
        except TimeoutError as error:
            raise change.timed_out() from error

    def _alter_offsets(self, change: Change) -> bool:
        try:
            return self._plugins.create(change.config).alter_offsets(change.given)
        except NotImplementedError as error:
            raise change.unsupported() from error
        except HerderError:
            raise
        except BaseException as error:
            # Also one that means to end the process: it would end the thread that asks.
            raise change.failed() from error

    def _parts(self, change: Change) -> OffsetParts:
        """What the leader writes: a sink's offsets are in its group."""
        if change.kind == "sink":
            return no_offsets
        try:
            of_it = self._of(change.config)
        except LogError as error:
            raise change.failed() from error
        return partial(of_it.alteration, change.connector, change.given)

    def _write_group(self, change: Change, by: object, deadline: float) -> None:
        places = self._places(change.config)
        groups, group = self._groups(places), offsets.group_of(change.connector, places)
        # Kafka takes it from anybody: whether this is still the one who leads is asked just before.
        self._herder(partial(self._actions.check_change, change.connector, by), deadline)
        try:
            if change.verb is Verb.RESET:
                groups.delete(group)
            else:
                groups.alter(group, change.sink)
        except GroupInUse as error:
            raise change.group_in_use() from error
        except GroupError as error:
            raise change.group_refused() from error


@dataclass(frozen=True, slots=True)
class _Held:
    """A connector that nobody else changes, `by` whom it is held, and its config."""

    by: object
    config: Config
