"""The operations of the REST API, one method each, as the leader carries them out: check, write, read back.

They run on the herder's thread, one after another, so what they read cannot change under them. Each returns what has to
be done for its caller to see the effect: `Done`.
"""

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, TypeVar

from workers.herder import offsets, read_model
from workers.herder.errors import Conflict, HerderError, NotFound
from workers.herder.futures import attempted
from workers.herder.host import Host
from workers.herder.leader import Leader, OffsetParts, no_offsets
from workers.herder.ports import Plugins
from workers.herder.reconcile import wanted_instances
from workers.herder.restart import RestartPlan, restart_plan
from workers.herder.stages import Stages
from workers.herder.states import TargetState
from workers.herder.topics import ActiveTopics
from workers.herder.validation import Validation
from workers.herder.values import (
    Config,
    ConfigInfos,
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
from workers.storage.config_store import ConfigStore, TargetStateSet
from workers.storage.log import Fenced, Log, LogError, Part, Positions, TopicLost, faults
from workers.storage.status_store import StatusStore

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Done:
    """An action's result, and how far a reader must have read to see its effect."""

    result: Any = None
    configs: Positions = field(default_factory=dict)
    statuses: Positions = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Forward:
    """Not for the leader to do: `worker_id` runs the instance (KIP-52)."""

    worker_id: str


NO_LEADER = "Cannot complete request momentarily due to no known leader URL, likely because a rebalance was underway."
STALE = "Cannot complete request momentarily due to stale configuration (typically caused by a concurrent config change)"
_PUTS = ("create_connector", "create_connector_at", "put_connector_config", "patch_connector_config")
MOVED = "Cannot complete request because of a conflicting operation (e.g. worker rebalance)"


class Actions:
    """`logs` tells those that tasks need, beside the stores'."""

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
        logs: Callable[[], Sequence[Log]] = tuple,
    ) -> None:
        self._configs = configs
        self._statuses = statuses
        self._assignments = assignments
        self._plugins = plugins
        self._host = host
        self._leader = leader
        self._stages = stages
        self._topics = topics
        self._logs = logs
        self._validation = Validation(plugins)
        #: Connectors whose offsets are being changed, and by whom: nobody else changes them.
        self._held: dict[str, object] = {}

    def validate(self, config: Mapping[str, str | None], deadline: float) -> None:
        """Runs the connector's own code and waits for it until `deadline` (monotonic), so never on the herder's thread. Raises
        BadRequest, or HerderError when it did not come to an end."""
        self._validation.check(config, deadline)

    def validated(self, config: Mapping[str, str | None], deadline: float) -> ConfigInfos:
        """All that is to be said of the config. As `validate`, but what is wrong is in the answer."""
        return self._validation.validate(config, deadline)

    def stop(self) -> None:
        self._validation.stop()

    def health(self) -> Done:
        """Raises HerderError that says what is wrong."""
        logs = (self._configs.log, self._statuses.log, self._assignments.log, *self._logs())
        if reason := faults(logs):
            raise HerderError(reason)
        return Done()

    def _written(self, stage: str, what: str, write: Callable[[], T]) -> T:
        """Raises HerderError in Kafka Connect's words when the config topic did not take the record."""
        try:
            with self._stages.during(f"{stage} the config topic"):
                return write()
        except Fenced as error:
            raise HerderError(
                "Failed to write to config topic; this may be due to a transient error and the request can be safely retried"
            ) from error
        except TopicLost as error:
            raise HerderError(f"Error {what} Kafka. {error}") from error
        except LogError as error:
            raise HerderError(f"Error {what} Kafka") from error

    def _require_lead(self, *, settled: bool = True) -> None:
        """Raises Conflict; with `settled` also while members come and go."""
        if not self._leader.leads:
            raise Conflict(NO_LEADER)
        if settled and not self._leader.settled:
            raise Conflict(STALE)

    def _require_free(self, name: str, by: object = None) -> None:
        """Raises Conflict while somebody else is changing the connector's offsets."""
        if self._held.get(name) is not by:
            raise Conflict(MOVED)

    def _require_new(self, name: str) -> None:
        if self._configs.entry(name) is not None:
            raise Conflict(f"Connector {name} already exists")

    def create_connector(
        self,
        name: str,
        config: Config,
        initial_state: TargetState | None,
        begin_at: OffsetParts = no_offsets,
        by: object = None,
    ) -> Done:
        """`begin_at` are a source's offsets, `by` is whoever holds the name (`begin_creation`)."""
        self._require_lead()
        self._require_free(name, by)
        self._require_new(name)
        return self._put(name, config, initial_state, self._leader.offset_parts(begin_at))

    def put_connector_config(self, name: str, config: Config) -> Done:
        self._require_lead()
        self._require_free(name)
        return self._put(name, config, None)

    def config(self, name: str) -> Config:
        """As the leader has it, which is the newest. Raises NotFound."""
        self._require_lead()
        return self._entry(name, "Connector {} not found").config or {}

    def replace_connector_config(self, name: str, before: Config, config: Config) -> Done | None:
        """None, and nothing is written, if the config is not `before` any more. Raises NotFound."""
        return self.put_connector_config(name, config) if self.config(name) == before else None

    def _put(self, name: str, config: Config, initial_state: TargetState | None, also: Sequence[Part] = ()) -> Done:
        before = self._configs.entry(name)
        positions = self._written(
            f"writing a config for connector {name} to",
            "writing connector configuration to",
            lambda: self._configs.put_connector(name, config, initial_state, also),
        )
        tasks = before.task_ids() if before else []
        return Done((before is None, ConnectorInfo(name, config, tasks, self._plugins.type_of(config))), positions)

    def delete_connector(self, name: str, reset: OffsetParts = no_offsets, by: object = None) -> Done:
        """`reset` are a source's offsets, `by` is whoever holds the connector (`begin_change`)."""
        self._require_lead()
        self._entry(name, "Connector {} not found")
        self._require_free(name, by)
        also = self._leader.offset_parts(reset)
        written = self._written(
            f"removing the config for connector {name} from",
            "removing connector configuration from",
            lambda: self._configs.remove_connector(name, also),
        )
        # At once: one of the same name may be created before anybody has met the deletion.
        self._topics.forget(name)
        return Done(None, written)

    def reset_topics(self, name: str) -> Done:
        self._topics.forget(name)
        with self._stages.during("flushing updates to the status topic"):
            return Done(statuses=self._statuses.flush())

    def set_target_state(self, name: str, state: TargetState) -> Done:
        return self.set_target_states([TargetStateSet(name, state)])[0].result()

    def set_target_states(self, wanted: Sequence[TargetStateSet]) -> list[Future[Done]]:
        """In one write; one that is refused leaves the others as they are. A pause or resume is accepted during a rebalance, and
        takes effect when its instances run somewhere (KIP-52)."""
        checks: list[Future[Any]] = [attempted(partial(self._check_target_state, one)) for one in wanted]
        accepted = [one for one, check in zip(wanted, checks, strict=True) if not check.exception()]
        written = attempted(partial(self._put_target_states, accepted))
        return [check if check.exception() else written for check in checks]

    def _check_target_state(self, wanted: TargetStateSet) -> None:
        self._require_lead(settled=wanted.state is TargetState.STOPPED)
        self._entry(wanted.name, "Unknown connector {}")
        self._require_free(wanted.name)

    def _put_target_states(self, wanted: Sequence[TargetStateSet]) -> Done:
        if not wanted:
            return Done()
        stage = f"writing the {wanted[0].state} target stage for connector {wanted[0].name} to"
        write = partial(self._configs.put_target_states, wanted)
        return Done(None, self._written(stage, "writing target state to", write))

    def set_cluster_level(self, namespace: str, level: str) -> Done:
        """Of loggers: all processes of the cluster follow when they meet the record (KIP-976)."""
        self._require_lead(settled=False)
        return Done(
            None,
            self._written(
                f"writing the level of logger {namespace} to",
                "writing logger level to",
                lambda: self._configs.put_logger_level(namespace, level),
            ),
        )

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
        if action in _PUTS:
            info = read_model.connector_info(read_model.entry(configs, arguments["name"]), self._plugins)
            return Done((self._configs.has_created(request), info), *positions)
        if action == "restart_connector":
            return Done(read_model.connector_status(configs, statuses, arguments["connector"], self._plugins), *positions)
        return Done(None, *positions)

    # --- offsets (KIP-875) ------------------------------------------------------------------------------------------------

    def begin_change(self, name: str, by: object) -> Config:
        """The connector's config; nobody but `by` changes the connector until `end_change`. Raises BadRequest unless it is
        stopped, Conflict while a task of it may still run."""
        self._require_lead()
        entry = self._entry(name, "Connector {} not found")
        offsets.require_stopped(entry)
        if self._assignments.holds_tasks(name):
            raise Conflict(STALE)
        self._require_free(name)
        self._held[name] = by
        return entry.config or {}

    def begin_creation(self, name: str, by: object) -> Config:
        """As `begin_change`, of a connector that is not there yet."""
        self._require_lead()
        self._require_new(name)
        self._require_free(name)
        self._held[name] = by
        return {}

    def end_change(self, name: str, by: object) -> None:
        if self._held.get(name) is by:
            del self._held[name]

    def check_change(self, name: str, by: object) -> None:
        """Whether `by` may still write the offsets, before `end_change`: another may have led meanwhile."""
        self._require_lead()
        self._require_free(name, by)
        if (entry := self._configs.entry(name)) is not None:
            offsets.require_stopped(entry)

    def write_offsets(self, name: str, wanted: OffsetParts, by: object) -> None:
        """A source's."""
        self.check_change(name, by)
        try:
            with self._stages.during(f"modifying offsets for connector {name}"):
                self._leader.write_offsets(wanted)
        except LogError as error:
            raise HerderError(f"Failed to modify offsets for source connector {name}") from error

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
        return self.restart_here(instance) if owner == self._leader.me else Forward(owner.worker_id)

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
