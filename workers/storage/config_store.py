"""The config store: connectors, task configs, target states and restart requests, in a log of one partition."""

import threading
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import NamedTuple

from workers.herder.states import TargetState
from workers.herder.values import Config, ConnectorEntry, InstanceId, RestartRequest, TaskId
from workers.storage import records
from workers.storage.config_tables import ConfigEvent, ConfigSnapshot, ConfigTables
from workers.storage.log import Fenced, Log, LogRecord, Part, Positions, SoleWriter
from workers.storage.records import KeyValue

Listener = Callable[[ConfigEvent], None]
#: Hears the namespace and the level that a record sets for its loggers (KIP-976).
OnLevel = Callable[[str, str], None]
_REQUESTS_REMEMBERED = 10_000


class TargetStateSet(NamedTuple):
    """`request`: whose mark its records bear."""

    name: str
    state: TargetState
    request: str | None = None


def _marked(lines: Sequence[KeyValue], request: str | None) -> Sequence[KeyValue]:
    if request is None:
        return lines
    mark = (records.REQUEST, request.encode())
    return [line._replace(headers=(*line.headers, mark)) for line in lines]


class ConfigStore:
    """Every write returns after the record is durable and has been read back: readers of `snapshot` see it from then on.

    All writes raise `LogError` when the record was not accepted and `Fenced` when another process leads.
    """

    def __init__(self, log: Log, writer: SoleWriter | None = None) -> None:
        self.log = log
        self._writer = writer
        self._request: str | None = None
        #: request → whether it made a connector
        self._requests: dict[str, bool] = {}
        self._tables = ConfigTables()
        self._lock = threading.Lock()
        self._version = 0
        self._snapshot: ConfigSnapshot | None = None
        self._listener: Listener | None = None
        self._on_level: OnLevel | None = None

    def start(self, listener: Listener | None = None, on_level: OnLevel | None = None) -> None:
        """Reads to the end, then tells `listener` of each change. What was there at the start is not told: a restart
        request of the past must not run again, nor a level be set once more, and the rest stands in the snapshot."""
        self.log.start(self._on_record)
        with self._lock:
            self._listener, self._on_level = listener, on_level

    def _on_record(self, record: LogRecord) -> None:
        with self._lock:
            event = self._tables.apply(record)
            self._remember(record.headers)
            self._version += 1
            self._snapshot = None
            listener, on_level = self._listener, self._on_level
        if on_level is not None and (level := records.logger_level(record.key, record.value)) is not None:
            on_level(*level)
        if event is not None and listener is not None:
            listener(event)

    def snapshot(self) -> ConfigSnapshot:
        with self._lock:
            if self._snapshot is None:
                self._snapshot = ConfigSnapshot(self._version, self._tables.live())
            return self._snapshot

    def entry(self, name: str) -> ConnectorEntry | None:
        """One connector as it is now; None if there is none."""
        with self._lock:
            entry = self._tables.connectors.get(name)
        return entry if entry is not None and entry.config is not None else None

    # --- requests that come again ---------------------------------------------------------------------------------------

    def _remember(self, headers: Mapping[str, bytes]) -> None:
        if (request := headers.get(records.REQUEST)) is not None:
            self._requests[request.decode(errors="replace")] = records.CREATED in headers
            if len(self._requests) > _REQUESTS_REMEMBERED:
                del self._requests[next(iter(self._requests))]

    def has_seen(self, request: str) -> bool:
        """Whether a record in the topic came of that request: its effect is there, whatever became of the answer."""
        with self._lock:
            return request in self._requests

    def has_created(self, request: str) -> bool:
        with self._lock:
            return self._requests.get(request, False)

    @contextmanager
    def on_behalf_of(self, request: str | None) -> Iterator[None]:
        """What is written meanwhile bears the request's mark. For the one thread that writes."""
        self._request = request
        try:
            yield
        finally:
            self._request = None

    # --- writing --------------------------------------------------------------------------------------------------------

    def _write(self, lines: Sequence[KeyValue], also: Sequence[Part] = ()) -> list[Positions]:
        lines = _marked(lines, self._request)
        if self._writer is None:
            raise Fenced("This process only reads")
        return self._writer.write([Part(self.log, lines), *also])

    def put_connector(
        self, name: str, config: Config, target_state: TargetState | None = None, also: Sequence[Part] = ()
    ) -> Positions:
        """In one write with `also`. The target state comes first, so that no reader sees the connector without it (KIP-980)."""
        before = [] if target_state is None else [records.target_state_record(name, target_state)]
        record = records.connector_record(name, config)
        if self._request is not None and self.entry(name) is None:
            record = record._replace(headers=((records.CREATED, b""),))
        return self._write([*before, record], also)[0]

    def remove_connector(self, name: str, also: Sequence[Part] = ()) -> Positions:
        return self._write([records.connector_record(name, None), records.target_state_record(name, None)], also)[0]

    def put_tasks(self, name: str, configs: Sequence[Config]) -> Positions:
        """The task configs and, after them, the commit that makes them count."""
        tasks = [records.task_record(TaskId(name, index), config) for index, config in enumerate(configs)]
        return self._write([*tasks, records.commit_record(name, len(configs))])[0]

    def put_target_state(self, name: str, state: TargetState) -> Positions:
        return self.put_target_states([TargetStateSet(name, state)])

    def put_target_states(self, wanted: Iterable[TargetStateSet]) -> Positions:
        """All in one write, in their order. STOPPED also commits to no tasks, before the state (KIP-875)."""
        lines: list[KeyValue] = []
        for name, state, request in wanted:
            before = [records.commit_record(name, 0)] if state is TargetState.STOPPED else []
            lines += _marked([*before, records.target_state_record(name, state)], request)
        return self._write(lines)[0]

    def put_restart(
        self, request: RestartRequest, promised: Collection[InstanceId] = (), also: Sequence[Part] = ()
    ) -> list[Positions]:
        """One write with `also`, in which the promised instances are shown as RESTARTING; the positions of each."""
        return self._write([records.restart_record(request, promised)], also)

    def put_logger_level(self, namespace: str, level: str) -> Positions:
        return self._write([records.logger_record(namespace, level)])[0]

    def stop(self) -> None:
        self.log.stop()
