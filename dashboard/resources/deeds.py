"""What is asked of a cluster for a connector. Each is written down before it is asked for as far as it may not be done twice, and
noted as an activity."""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, TypeVar

from connect_client import ConnectClient, ConnectError, ConnectNotFound, PartitionOffset, calls
from connect_client.calls import Call
from connect_client.features import Feature, supports
from connect_client.secrets import is_secret, scrubbed, without_secrets
from dashboard import clusters, plugins, versions
from dashboard.activity import Who, note
from dashboard.configs import pairs
from dashboard.configs.passwords import password_keys
from dashboard.models import Cluster, Resource, ResourceConnector
from dashboard.resources import conditions, config_maps, spec
from dashboard.resources.conditions import Condition
from dashboard.resources.config_maps import CannotUse
from dashboard.resources.decide import Change, Configure, Seen
from dashboard.resources.orders import ManageOffsets, Restart, RestartTask
from dashboard.resources.spec import Wanted
from dashboard.restarting.rearm import rearm

T = TypeVar("T")
_NOT_STOPPED = "Encountered error {} connector offsets. Connector is not in STOPPED state"


class Trouble(Exception):
    """The cluster did not do it. `error` is what it ended in, `condition` what is told of it, without secrets."""

    def __init__(self, condition: Condition, error: ConnectError) -> None:
        super().__init__(condition.message)
        self.condition = condition
        self.error = error


@dataclass
class Work:
    """A connector that a resource wants, and where. `hold` raises LostClaim where another process is at it by now."""

    resource: Resource
    owned: ResourceConnector
    wanted: Wanted
    cluster: Cluster
    hold: Callable[[], None]
    clock: Callable[[], datetime]

    @property
    def name(self) -> str:
        return self.wanted.name

    @property
    def client(self) -> ConnectClient:
        return clusters.client(self.cluster)

    @property
    def who(self) -> Who:
        return acting(self.resource)

    def hidden(self) -> frozenset[str]:
        return password_keys(self.wanted.config, plugins.passwords(self.cluster))

    def ask(self, call: Call, act: Callable[[], T]) -> T:
        """Raises Trouble."""
        try:
            return act()
        except ConnectError as error:
            told = conditions.trouble(error, call)
            hidden = self.hidden()
            secrets = [value for key, value in self.wanted.config.items() if is_secret(key, value, hidden)]
            raise Trouble(Condition(told.type, told.reason, scrubbed(told.message, secrets)), error) from None

    def keep(self, **fields: Any) -> None:
        for name, value in fields.items():
            setattr(self.owned, name, value)
        self.owned.save(update_fields=tuple(fields))

    def noted(self, verb: str, task: int | None = None, refused: str = "", **more: Any) -> None:
        note(self.who, verb, cluster=self.cluster.name, connector=self.name, task=task, refused=refused, **more)


def acting(resource: Resource) -> Who:
    return Who(str(resource)[:150], "automation")


# --- looking ----------------------------------------------------------------------------------------------------------


def look(work: Work) -> Seen:
    """Raises Trouble."""
    config = work.ask(calls.config(work.name), lambda: _or_none(lambda: work.client.config(work.name)))
    if config is None:
        return Seen(None, None)
    return Seen(config, work.ask(calls.status(work.name), lambda: _or_none(lambda: work.client.status(work.name))))


def topics(work: Work) -> list[str]:
    """None where the cluster does not tell."""
    if not supports(clusters.version(work.cluster), Feature.TOPICS):
        return []
    try:
        return work.client.topics(work.name)
    except ConnectError:
        return []


def _or_none(act: Callable[[], T]) -> T | None:
    try:
        return act()
    except ConnectNotFound:
        return None


# --- configs and states -----------------------------------------------------------------------------------------------


def create(work: Work) -> None:
    """Never started first where it is not to run, if the cluster can do that. Raises Trouble."""
    config, state = work.wanted.config, work.wanted.state
    initial = None if state == spec.RUNNING else state.upper()
    if not supports(clusters.version(work.cluster), Feature.INITIAL_STATE):
        initial = None
    if initial:
        work.keep(state_asked=state, state_asked_at=work.clock())
    call = calls.create(work.name, config, initial_state=initial)
    _write(work, call, "create", None, lambda: work.client.create(work.name, config, initial_state=initial).config)


def configure(work: Work, deed: Configure, current: Mapping[str, str | None]) -> None:
    """Raises Trouble."""
    config = work.wanted.config
    versions.seen(work.cluster, {work.name: current}, work.clock())
    if deed.drift:
        keys = sorted(key for key in {*config, *current} if config.get(key) != current.get(key))
        work.keep(drift_at=work.clock(), drift_keys=keys)
    remark = "Put back: it was changed by hand" if deed.drift else ""
    call = calls.put_config(work.name, config)
    _write(work, call, "config", current, lambda: work.client.put_config(work.name, config).config, remark)


def change(work: Work, deed: Change) -> None:
    """Raises Trouble."""
    asked = {"pause": calls.pause, "resume": calls.resume, "stop": calls.stop}[deed.verb](work.name)
    act = {"pause": work.client.pause, "resume": work.client.resume, "stop": work.client.stop}[deed.verb]
    work.keep(state_asked=work.wanted.state, state_asked_at=work.clock())
    _noting(work, deed.verb, lambda: work.ask(asked, lambda: act(work.name)))


def delete(work: Work) -> None:
    """Raises Trouble. One that is not there is deleted."""
    asked = calls.delete(work.name)
    _noting(work, "delete", lambda: work.ask(asked, lambda: _or_none(lambda: work.client.delete(work.name))))


def _write(
    work: Work,
    call: Call,
    verb: str,
    current: Mapping[str, str | None] | None,
    act: Callable[[], Mapping[str, str | None]],
    remark: str = "",
) -> None:
    config, hidden = work.wanted.config, work.hidden()
    shown = {"before": None if current is None else without_secrets(current, hidden), "after": without_secrets(config, hidden)}
    answer = _noting(work, verb, lambda: work.ask(call, act), **shown)
    work.keep(written=pairs.digest(config), told=pairs.digest(answer))
    kept = pairs.ordered(answer, config)
    versions.saved(work.cluster, work.name, kept, work.who.name, remark, work.clock())


def _noting(work: Work, verb: str, act: Callable[[], T], **more: Any) -> T:
    """What a cluster refuses again and again in the same words is noted once."""
    try:
        answer = act()
    except Trouble as trouble:
        refused = f"{verb}: {trouble}"
        if work.owned.refused != refused:
            work.keep(refused=refused)
            work.noted(verb, refused=str(trouble), **more)
        raise
    if work.owned.refused:
        work.keep(refused="")
    work.noted(verb, **more)
    return answer


# --- what annotations ask for -----------------------------------------------------------------------------------------


def restart(work: Work, deed: Restart) -> None:
    """Raises Trouble."""
    one_call = supports(clusters.version(work.cluster), Feature.RESTART_IN_ONE_CALL)
    call = calls.restart(work.name, only_failed=deed.only_failed, include_tasks=deed.include_tasks)

    def act() -> None:
        if deed.include_tasks:
            work.client.restart(work.name, only_failed=deed.only_failed, in_one_call=one_call)
        else:
            work.client.restart_connector(work.name, only_failed=deed.only_failed)

    work.ask(call, act)
    _restarted(work)


def restart_task(work: Work, deed: RestartTask) -> None:
    """Raises Trouble."""
    work.ask(calls.restart_task(work.name, deed.task), lambda: work.client.restart_task(work.name, deed.task))
    _restarted(work, deed.task)


def _restarted(work: Work, task: int | None = None) -> None:
    """Somebody has asked for it: whoever gave it up begins anew."""
    rearm(work.cluster.pk, [work.name], work.clock())
    work.noted("restart", task=task)


def manage_offsets(work: Work, deed: ManageOffsets, seen: Seen) -> None:
    """Raises Trouble, CannotUse, CannotUnseal."""
    if deed.verb == "list":
        _list_offsets(work)
        return
    doing = "altering" if deed.verb == "alter" else "resetting"
    if seen.status is None or seen.status.connector.state != "STOPPED":
        raise CannotUse(_NOT_STOPPED.format(doing))
    if deed.verb == "alter":
        wanted = _offsets(work)
        work.ask(calls.alter_offsets(work.name, wanted), lambda: work.client.alter_offsets(work.name, wanted))
    else:
        work.ask(calls.reset_offsets(work.name), lambda: work.client.reset_offsets(work.name))
    work.noted(f"{deed.verb}-offsets")


def _list_offsets(work: Work) -> None:
    if not work.wanted.list_to:
        raise CannotUse(_missing("list", "listOffsets", work))
    found = work.ask(calls.offsets(work.name), lambda: work.client.offsets(work.name))
    text = json.dumps({"offsets": [one.to_json() for one in found]}, indent=2, ensure_ascii=False)
    config_maps.write(work.wanted.list_to, work.wanted.offsets_key, text, work.resource)


def _offsets(work: Work) -> list[PartitionOffset]:
    if not work.wanted.alter_from:
        raise CannotUse(_missing("alter", "alterOffsets", work))
    key = work.wanted.offsets_key
    text = config_maps.read(work.wanted.alter_from, key, work.resource)
    try:
        return [PartitionOffset.from_json(one) for one in json.loads(text)["offsets"]]
    except ValueError:
        raise CannotUse(f"Failed to parse contents of {key} as JSON") from None
    except (KeyError, TypeError):
        raise CannotUse(f"{key} has no list of offsets, each with a partition and an offset") from None


def _missing(verb: str, field: str, work: Work) -> str:
    kind = "KafkaConnector" if work.resource.kind == Resource.Kind.CONNECTOR else "KafkaMirrorMaker2"
    return f"Failed to {verb} the connector offsets due to missing property {field} in {kind} CR."
