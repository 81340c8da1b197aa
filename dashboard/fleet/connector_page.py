"""The page of one connector as values, ready for its template."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from shlex import quote

from connect_client import Connector, ConnectorStatus, InstanceStatus, TaskStatus
from connect_client.calls import Call
from dashboard.fleet.clusters import ClusterView
from dashboard.fleet.rows import class_of, short_class, type_of
from dashboard.fleet.secrets import without_secrets
from dashboard.fleet.states import State, own_state
from dashboard.fleet.traces import Link, chain
from dashboard.fleet.verbs import CALLS, Offer, offers


class Tab(StrEnum):
    TASKS = "tasks"
    CONFIG = "config"


# What is looked for first comes first; the rest by name.
_FIRST_KEYS = ("name", "connector.class", "tasks.max", "topics", "topics.regex", "topic", "file")


@dataclass(frozen=True, slots=True)
class Instance:
    """The connector instance or one of its tasks."""

    state: State
    worker: str
    version: str
    trace: str
    chain: tuple[Link, ...]
    task: int | None = None

    @property
    def cause(self) -> str:
        return self.chain[0].headline if self.chain else ""

    @property
    def failed(self) -> bool:
        return self.state is State.FAILED


@dataclass(frozen=True, slots=True)
class Curl:
    """What a button sends, for a shell."""

    label: str
    command: str


@dataclass(frozen=True, slots=True)
class ConnectorPage:
    id: int
    cluster: ClusterView
    name: str
    type: str
    class_name: str
    state: State
    since: datetime | None
    instance: Instance | None
    tasks: tuple[Instance, ...]
    config: tuple[tuple[str, str | None], ...]
    offers: tuple[Offer, ...]
    curls: tuple[Curl, ...]
    tab: Tab

    @property
    def key(self) -> str:
        return f"{self.cluster.name}/{self.name}"

    @property
    def troubled(self) -> tuple[ClusterView, ...]:
        return () if self.cluster.live else (self.cluster,)

    @property
    def short_class(self) -> str:
        return short_class(self.class_name)

    @property
    def version(self) -> str:
        return self.instance.version if self.instance else ""

    @property
    def first_failed(self) -> int | None:
        """The task whose trace is open from the start."""
        return next((task.task for task in self.tasks if task.failed), None)


def connector_page(
    id: int, cluster: ClusterView, connector: Connector, state: State, since: datetime | None, *, tab: Tab
) -> ConnectorPage:
    status, info = connector.status, connector.info
    fitting = offers(status, connector.name)
    return ConnectorPage(
        id=id,
        cluster=cluster,
        name=connector.name,
        type=type_of(connector),
        class_name=class_of(connector),
        state=state,
        since=since,
        instance=_instance(status.connector) if status else None,
        tasks=_tasks(status),
        config=_config(dict(info.config)) if info else (),
        offers=fitting,
        curls=tuple(Curl(offer.label, curl(cluster.url, CALLS[offer.verb](connector.name))) for offer in fitting),
        tab=tab,
    )


def curl(url: str, call: Call) -> str:
    return f"curl -X {call.method} {quote(url.rstrip('/') + call.target)}"


def _tasks(status: ConnectorStatus | None) -> tuple[Instance, ...]:
    return tuple(_instance(task, task.id) for task in status.tasks) if status else ()


def _instance(told: InstanceStatus | TaskStatus, task: int | None = None) -> Instance:
    """A trace is shown with the failure that it belongs to: a restarting task still carries that of the failure before."""
    state = own_state(told.state)
    trace = (told.trace or "") if state is State.FAILED else ""
    return Instance(state, told.worker_id, told.version or "", trace, chain(trace), task)


def _config(config: dict[str, str | None]) -> tuple[tuple[str, str | None], ...]:
    first = {key: place for place, key in enumerate(_FIRST_KEYS)}
    return tuple(sorted(without_secrets(config).items(), key=lambda item: (first.get(item[0], len(first)), item[0])))
