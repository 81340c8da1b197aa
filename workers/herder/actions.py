"""The operations of the REST API, one method each, as the leader carries them out: check, write, read back.

They run on the herder's thread, one after another, so what they read cannot change under them. Each returns what has to
be done for its caller to see the effect: `Done`.
"""

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar

from workers.herder import read_model
from workers.herder.errors import BadRequest, Conflict, HerderError, NotFound
from workers.herder.host import Host
from workers.herder.leader import Leader
from workers.herder.membership import Member
from workers.herder.ports import Plugins
from workers.herder.reconcile import wanted_instances
from workers.herder.restart import RestartPlan, restart_plan
from workers.herder.stages import Stages
from workers.herder.states import TargetState
from workers.herder.topics import ActiveTopics
from workers.herder.values import (
    Config,
    ConnectorEntry,
    ConnectorInfo,
    ConnectorStatus,
    InstanceId,
    RestartRequest,
    Status,
    TaskId,
    connector_of,
)
from workers.storage import records
from workers.storage.assignment_store import AssignmentStore
from workers.storage.config_store import ConfigStore
from workers.storage.log import Fenced, LogError, Part, Positions
from workers.storage.status_store import StatusStore

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Done:
    """An action's result, and how far a reader must have read to see its effect."""

    result: Any = None
    configs: Positions = field(default_factory=dict)
    statuses: Positions = field(default_factory=dict)


def invalid_config(errors: Sequence[str]) -> BadRequest:
    return BadRequest(
        f"Connector configuration is invalid and contains the following {len(errors)} error(s):\n"
        + "\n".join(errors)
        + "\nYou can also find the above list of errors at the endpoint `/connector-plugins/{connectorType}/config/validate`"
    )


@dataclass(frozen=True, slots=True)
class Forward:
    """Not for the leader to do: `worker_id` runs the instance (KIP-52)."""

    worker_id: str


NO_LEADER = "Cannot complete request momentarily due to no known leader URL, likely because a rebalance was underway."
STALE = "Cannot complete request momentarily due to stale configuration (typically caused by a concurrent config change)"
MOVED = "Cannot complete request because of a conflicting operation (e.g. worker rebalance)"


class Actions:
    def __init__(
        self,
        configs: ConfigStore,
        statuses: StatusStore,
        assignments: AssignmentStore,
        plugins: Plugins,
        host: Host,
        leader: Leader,
        stages: Stages,
        topics: ActiveTopics,
        me: Member,
    ):
        self._configs = configs
        self._statuses = statuses
        self._assignments = assignments
        self._plugins = plugins
        self._host = host
        self._leader = leader
        self._stages = stages
        self._topics = topics
        self._me = me

    def validate(self, config: Mapping[str, str | None]) -> None:
        """Raises BadRequest. Runs the connector's own code, so never on the herder's thread."""
        if any(value is None for value in config.values()):
            raise BadRequest("Null value can not be supplied as the configuration value.")
        errors = self._plugins.errors({key: value for key, value in config.items() if value is not None})
        if errors:
            raise invalid_config(errors)

    def _written(self, stage: str, what: str, write: Callable[[], T]) -> T:
        """Raises HerderError in Kafka Connect's words when the config topic did not take the record."""
        try:
            with self._stages.during(f"{stage} the config topic"):
                return write()
        except Fenced as error:
            raise HerderError(
                "Failed to write to config topic; this may be due to a transient error and the request can be safely retried"
            ) from error
        except LogError as error:
            raise HerderError(f"Error {what} Kafka") from error

    def _require_lead(self) -> None:
        if not self._leader.leads:
            raise Conflict(NO_LEADER)
        if not self._leader.settled:
            raise Conflict(STALE)

    def create_connector(self, name: str, config: Config, initial_state: TargetState | None) -> Done:
        self._require_lead()
        if self._configs.entry(name) is not None:
            raise Conflict(f"Connector {name} already exists")
        return self._put(name, config, initial_state)

    def put_connector_config(self, name: str, config: Config) -> Done:
        self._require_lead()
        return self._put(name, config, None)

    def _put(self, name: str, config: Config, initial_state: TargetState | None) -> Done:
        before = self._configs.entry(name)
        positions = self._written(
            f"writing a config for connector {name} to",
            "writing connector configuration to",
            lambda: self._configs.put_connector(name, config, initial_state),
        )
        tasks = before.task_ids() if before else []
        return Done((before is None, ConnectorInfo(name, config, tasks, self._plugins.type_of(config))), positions)

    def delete_connector(self, name: str) -> Done:
        self._require_lead()
        self._entry(name, "Connector {} not found")
        written = self._written(
            f"removing the config for connector {name} from",
            "removing connector configuration from",
            lambda: self._configs.remove_connector(name),
        )
        # At once: one of the same name may be created before anybody has met the deletion.
        self._topics.forget(name)
        return Done(None, written)

    def reset_topics(self, name: str) -> Done:
        self._topics.forget(name)
        return Done(statuses=self._statuses.flush())

    def set_target_state(self, name: str, state: TargetState) -> Done:
        self._require_lead()
        self._entry(name, "Unknown connector {}")
        stage = f"writing the {state} target stage for connector {name} to"
        return Done(None, self._written(stage, "writing target state to", lambda: self._configs.put_target_state(name, state)))

    def _entry(self, name: str, message: str) -> ConnectorEntry:
        """Raises NotFound with `message`; Kafka Connect words it in several ways."""
        found = self._configs.entry(name)
        if found is None:
            raise NotFound(message.format(name))
        return found

    def outcome(self, request: str, action: str, arguments: Mapping[str, Any]) -> Done:
        """The answer to a request that was carried out earlier: what it led to, as it is now. Raises NotFound."""
        configs, statuses = self._configs.snapshot(), self._statuses.snapshot()
        positions = self._configs.log.reached, self._statuses.log.reached
        if action in ("create_connector", "put_connector_config"):
            info = read_model.connector_info(read_model.entry(configs, arguments["name"]), self._plugins)
            return Done((self._configs.has_created(request), info), *positions)
        if action == "restart_connector":
            return Done(read_model.connector_status(configs, statuses, arguments["connector"], self._plugins), *positions)
        return Done(None, *positions)

    # --- restarts (KIP-745, KIP-52) ---------------------------------------------------------------------------------------

    def restart_connector(self, request: RestartRequest) -> Done | Forward | Future[Done]:
        self._require_lead()
        self._entry(request.connector, "Unknown connector: {}")
        if not request.only_failed and not request.include_tasks:
            return self._at_its_owner(request.connector)
        return self._plan_restart(request)

    def _plan_restart(self, request: RestartRequest) -> Done:
        name = request.connector
        try:
            status = read_model.connector_status(self._configs.snapshot(), self._statuses.snapshot(), name, self._plugins)
        except NotFound as error:
            # The request is on record all the same, as in Kafka Connect.
            self._written(*_restart_words(request), lambda: self._configs.put_restart(request))
            raise NotFound(f"Status for connector {name} not found") from error
        plan = restart_plan(request, status, wanted_instances(self._configs.entry(name)))
        configs, statuses = self._written(*_restart_words(request), lambda: self._put_plan(plan))
        return Done(plan.status, configs, statuses)

    def _put_plan(self, plan: RestartPlan) -> tuple[Positions, Positions]:
        """The request and RESTARTING for all that it means, in one write: neither is ever seen without the other to come."""
        # Whoever restarts them has acted on the request's own record, which comes after all that is there now.
        after = self._configs.log.reached[0] + 1
        lines = [
            records.status_record(instance, replace(_planned(plan.status, instance), trace=None, acted_on=after))
            for instance in plan.instances
        ]
        also = [Part(self._statuses.log, lines)] if lines else []
        configs, *statuses = self._configs.put_restart(plan.request, plan.instances, also)
        return configs, statuses[0] if statuses else {}

    def restart_task(self, task: TaskId) -> Done | Forward | Future[Done]:
        self._require_lead()
        entry = self._entry(task.connector, "Unknown connector: {}")
        if task.task not in entry.tasks:
            raise NotFound(f"Unknown task: {task}")
        return self._at_its_owner(task)

    def _at_its_owner(self, instance: InstanceId) -> Forward | Future[Done]:
        owner = self._assignments.owner(instance)
        if owner is None:
            raise Conflict(NO_LEADER)
        return self.restart_here(instance) if owner == self._me else Forward(owner.worker_id)

    def restart_here(self, instance: InstanceId) -> Future[Done]:
        """On the instance's owner, whether the request came to it or was forwarded: nobody forwards it again. Raises Conflict
        when it has moved on meanwhile."""
        entry = self._configs.entry(connector_of(instance))
        if entry is None or not self._host.hosts(instance):
            raise Conflict(MOVED)
        kind = "task" if isinstance(instance, TaskId) else "connector"
        return self._when_started(self._host.restart(instance, entry), f"Failed to start {kind}: {instance}")

    def _when_started(self, started: Future[Any], message: str) -> Future[Done]:
        answer: Future[Done] = Future()

        def finish(done: Future[Any]) -> None:
            error = done.exception()
            try:
                if error is not None:
                    raise HerderError(message) from error
                answer.set_result(Done(statuses=self._statuses.flush()))
            except Exception as failure:
                answer.set_exception(failure)

        started.add_done_callback(finish)
        return answer


def _restart_words(request: RestartRequest) -> tuple[str, str]:
    return f"writing restart request for connector {request.connector} to", f"writing {request} to"


def _planned(status: ConnectorStatus, instance: InstanceId) -> Status:
    return status.tasks[instance.task] if isinstance(instance, TaskId) else status.connector
