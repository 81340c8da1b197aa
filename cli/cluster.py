"""One Connect cluster as a target: any Connect REST API, through `connect_client`."""

import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict
from datetime import UTC, datetime
from functools import cached_property
from typing import Any

from cli import pace
from cli.bulk import Bulk
from cli.contexts import Context
from cli.ends import Cannot, NotFound
from cli.judging import cause, instances
from cli.target import Target
from cli.values import (
    Config,
    Described,
    Filter,
    Instance,
    Level,
    Options,
    PluginLine,
    Ref,
    Row,
    Run,
    Sight,
    Task,
    Verb,
)
from connect_client import ConnectClient, ConnectNotFound, Connector, ConnectUnreachable, Listing, PartitionOffset
from connect_client.features import Feature, lacking
from connect_client.retry import RetryPolicy
from connect_client.secrets import is_mask, without_secrets
from connect_client.states import State, failures, overall_state, own_state

# A minute, which outlasts a rebalance: somebody waits for the end, not for an answer.
_PATIENT = RetryPolicy(attempts=8, first_delay=0.5)
# Seconds for which a server that can holds a request while nothing changes.
_HOLD = 20


class OneCluster(Target):
    def __init__(self, context: Context) -> None:
        self._context = context
        self._client = self._connect(RetryPolicy())

    def _connect(self, retry: RetryPolicy, sleep: Callable[[float], Any] = pace.pause) -> ConnectClient:
        context = self._context
        return ConnectClient(context.urls, credentials=context.credentials(), tls=context.tls(), retry=retry, sleep=sleep)

    def close(self) -> None:
        self._client.close()

    @cached_property
    def _version(self) -> str:
        return self._client.root().version

    def clusters(self) -> list[dict[str, Any]]:
        number = len(self._client.connectors())
        return [{"name": self._client.url, "contact": "live", "version": self._version, "connectors": number, "error": ""}]

    def connectors(self, wanted: Filter) -> list[Row]:
        _only_here(wanted)
        return _fitting(self._client.connectors(), wanted)

    def find(self, name: str, cluster: str = "") -> Row:
        _only_here(Filter(clusters=(cluster,) if cluster else ()))
        return _row(self._one(name))

    def _one(self, name: str) -> Connector:
        """Raises NotFound."""
        try:
            info = self._client.connector(name)
        except ConnectNotFound as error:
            raise NotFound(f"There is no connector {name}.") from error
        try:
            return Connector(name, info, self._client.status(name))
        except ConnectNotFound:
            # It was created just now.
            return Connector(name, info, None)

    def watch(self, wanted: Filter) -> Iterator[Sight]:
        _only_here(wanted)
        rows: list[Row] = []
        etag: str | None = None
        while True:
            holds = False
            try:
                told = self._client.changes(etag, _HOLD)
                holds = told.holds
                if isinstance(told, Listing):
                    etag, rows = told.etag, _fitting(told.connectors(), wanted)
                yield Sight(rows)
            except ConnectUnreachable as error:
                yield Sight(rows, str(error))
            if not holds:
                pace.pause(pace.LOOK)

    def describe(self, row: Row) -> Described:
        found = self._one(row.ref.name)
        seen = instances(found.status)
        traces = {
            "connector" if key is None else f"task {key}": one.trace
            for key, one in seen.items()
            if one.trace and own_state(one.state) is State.FAILED
        }
        return Described(_row(found), without_secrets(found.info.config) if found.info else None, traces)

    def act(self, verb: Verb, rows: Sequence[Row], options: Options) -> Run:
        if verb is Verb.STOP and (why_not := lacking(self._version, Feature.STOP)):
            raise Cannot(why_not)
        return self._bulk(verb, [row.ref.name for row in rows], options)

    def restart_failed(self, wanted: Filter, *, everywhere: bool) -> Run:
        if everywhere:
            raise Cannot("This context is one Connect cluster: --all-clusters takes the context of a control room.")
        _only_here(wanted)
        failed = [name for name, one in self._client.connectors().items() if failures(one.status)]
        return self._bulk(Verb.RESTART, failed, Options())

    def _bulk(self, verb: Verb, names: Sequence[str], options: Options) -> Run:
        ended = threading.Event()
        with self._connect(_PATIENT, sleep=ended.wait) as client:
            there = client.connectors()
            statuses = {name: there[name].status for name in names if name in there}
            yield from Bulk(client, self._version, verb, options, statuses, ended).run()

    def plugins(self) -> list[PluginLine]:
        versions: dict[tuple[str, str], list[str]] = {}
        for one in self._client.plugins():
            versions.setdefault((one.class_name, one.type or ""), []).append(one.version or "")
        return [PluginLine(name, kind, {"": told}) for (name, kind), told in sorted(versions.items())]

    def plugin_keys(self, class_name: str, cluster: str) -> list[dict[str, Any]]:
        if why_not := lacking(self._version, Feature.PLUGIN_CONFIGS):
            raise Cannot(why_not)
        return [asdict(key) for key in self._client.plugin_config(class_name)]

    def config(self, ref: Ref) -> Config:
        return Config(self._client.config(ref.name))

    def put_config(self, ref: Ref, config: Config) -> None:
        _unmasked(config.values)
        self._client.put_config(ref.name, config.values)

    def create(self, ref: Ref, config: Mapping[str, str | None], initial_state: str) -> None:
        if initial_state and (why_not := lacking(self._version, Feature.INITIAL_STATE)):
            raise Cannot(why_not)
        _unmasked(config)
        self._client.create(ref.name, config, initial_state=initial_state or None)

    def home(self, cluster: str) -> str:
        _only_here(Filter(clusters=(cluster,) if cluster else ()))
        return ""

    def loggers(self, cluster: str) -> list[Level]:
        self.home(cluster)
        return [Level(one.name, one.level, _moment(one.last_modified)) for one in self._client.loggers()]

    def set_level(self, cluster: str, logger: str, level: str, *, whole: bool) -> Sequence[str] | None:
        self.home(cluster)
        return self._client.set_level(logger, level, cluster=whole)

    def offsets(self, ref: Ref) -> list[PartitionOffset]:
        if why_not := lacking(self._version, Feature.OFFSETS):
            raise Cannot(why_not)
        return self._client.offsets(ref.name)

    def alter_offsets(self, ref: Ref, offsets: Sequence[PartitionOffset]) -> str:
        self._may_change_offsets()
        return self._client.alter_offsets(ref.name, offsets)

    def reset_offsets(self, ref: Ref) -> str:
        self._may_change_offsets()
        return self._client.reset_offsets(ref.name)

    def _may_change_offsets(self) -> None:
        if why_not := lacking(self._version, Feature.CHANGE_OFFSETS):
            raise Cannot(why_not)


def _only_here(wanted: Filter) -> None:
    if wanted.clusters:
        raise Cannot("This context is one Connect cluster: --cluster takes the context of a control room.")
    if wanted.query:
        raise Cannot("This context is one Connect cluster, which has no search: --query takes the context of a control room.")


def _fitting(there: Mapping[str, Connector], wanted: Filter) -> list[Row]:
    rows = [_row(one) for _, one in sorted(there.items())]
    states = {state.upper() for state in wanted.states}
    if unknown := sorted(states - set(State)):
        raise Cannot(f"There is no state {', '.join(unknown)}; there are {', '.join(State)}.")
    return [row for row in rows if not states or row.state in states]


def _row(one: Connector) -> Row:
    status, config = one.status, one.info.config if one.info else {}
    return Row(
        Ref("", one.name),
        overall_state(status),
        (status and status.type) or (one.info and one.info.type) or "",
        config.get("connector.class") or "",
        Instance(status.connector.state, status.connector.worker_id) if status else None,
        tuple(Task(task.state, task.worker_id, task.id) for task in status.tasks) if status else (),
        cause(instances(status)),
    )


def _unmasked(config: Mapping[str, str | None]) -> None:
    """A cluster by itself would take a mask for the secret. Raises Cannot."""
    masked = sorted(key for key, value in config.items() if is_mask(value))
    if masked:
        raise Cannot(f"{', '.join(masked)}: this hides a secret and would be written in its place; write the secret itself.")


def _moment(milliseconds: int | None) -> datetime | None:
    return datetime.fromtimestamp(milliseconds / 1000, UTC) if milliseconds else None
