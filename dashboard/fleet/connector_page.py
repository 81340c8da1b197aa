"""The page of one connector as values, ready for its template."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from shlex import quote

import orjson

from connect_client import Connector, ConnectorStatus, InstanceStatus, TaskStatus
from connect_client.calls import Call
from connect_client.states import State, own_state
from connect_client.traces import Link, chain
from dashboard.fleet.clusters import ClusterView
from dashboard.fleet.rows import class_of, short_class, type_of
from dashboard.fleet.verbs import Offer, offers, requests


class Tab(StrEnum):
    """The first is the one that an address without any means."""

    OVERVIEW = "overview"
    TASKS = "tasks"
    CONFIG = "config"
    OFFSETS = "offsets"
    ACTIVITY = "activity"


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
    #: How many keys its config has.
    keys: int
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
    fitting = offers(status, connector.name, cluster.version)
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
        keys=len(info.config) if info else 0,
        offers=fitting,
        curls=tuple(Curl(offer.label, _curls(offer, status, cluster, connector.name)) for offer in fitting if status),
        tab=tab,
    )


def _curls(offer: Offer, status: ConnectorStatus, cluster: ClusterView, name: str) -> str:
    return "\n".join(curl(cluster.url, call, cluster.flags) for call in requests(offer.verb, status, name, cluster.version))


def curl(url: str, call: Call, flags: str = "") -> str:
    """`flags`: what it takes to be let in, which names secrets and does not have them."""
    socket = url.removeprefix("unix:")
    to = f"--unix-socket {quote(socket)} {quote('http://localhost' + call.target)}"
    command = (
        f"curl {flags + ' ' if flags else ''}-X {call.method} {quote(url.rstrip('/') + call.target) if socket == url else to}"
    )
    if call.body is None:
        return command
    return f"{command} -H 'Content-Type: application/json' -d {quote(orjson.dumps(call.body).decode())}"


def _tasks(status: ConnectorStatus | None) -> tuple[Instance, ...]:
    return tuple(_instance(task, task.id) for task in status.tasks) if status else ()


def _instance(told: InstanceStatus | TaskStatus, task: int | None = None) -> Instance:
    """A trace is shown with the failure that it belongs to: a restarting task still carries that of the failure before."""
    state = own_state(told.state)
    trace = (told.trace or "") if state is State.FAILED else ""
    return Instance(state, told.worker_id, told.version or "", trace, chain(trace), task)
