"""The operations of the REST API, one method each, as the leader carries them out: check, write, read back.

They run on the herder's thread, one after another, so what they read cannot change under them. Each returns what has to
be done for its caller to see the effect: `Done`.
"""

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field
from typing import Any, TypeVar

from workers.herder import read_model
from workers.herder.errors import BadRequest, Conflict, HerderError, NotFound
from workers.herder.host import Host
from workers.herder.ports import Plugins
from workers.herder.restart import restart_plan
from workers.herder.states import TargetState
from workers.herder.topics import ActiveTopics
from workers.herder.values import Config, ConnectorInfo, ConnectorStatus, RestartRequest, Status, TaskId
from workers.storage.config_store import ConfigStore
from workers.storage.log import Fenced, LogError, Positions
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


def _written(what: str, write: Callable[[], Positions]) -> Positions:
    """Raises HerderError in Kafka Connect's words when the config topic did not take the record."""
    try:
        return write()
    except Fenced as error:
        raise HerderError(
            "Failed to write to config topic; this may be due to a transient error and the request can be safely retried"
        ) from error
    except LogError as error:
        raise HerderError(f"Error {what} Kafka") from error


class Actions:
    def __init__(self, configs: ConfigStore, statuses: StatusStore, plugins: Plugins, host: Host, topics: ActiveTopics):
        self._configs = configs
        self._statuses = statuses
        self._plugins = plugins
        self._host = host
        self._topics = topics

    def validate(self, config: Mapping[str, str | None]) -> None:
        """Raises BadRequest. Runs the connector's own code, so never on the herder's thread."""
        if any(value is None for value in config.values()):
            raise BadRequest("Null value can not be supplied as the configuration value.")
        errors = self._plugins.errors({key: value for key, value in config.items() if value is not None})
        if errors:
            raise invalid_config(errors)

    def create_connector(self, name: str, config: Config, initial_state: TargetState | None) -> Done:
        if name in self._configs.snapshot().connectors:
            raise Conflict(f"Connector {name} already exists")
        return self._put(name, config, initial_state)

    def put_connector_config(self, name: str, config: Config) -> Done:
        return self._put(name, config, None)

    def _put(self, name: str, config: Config, initial_state: TargetState | None) -> Done:
        before = self._configs.snapshot().connectors.get(name)
        positions = _written(
            "writing connector configuration to", lambda: self._configs.put_connector(name, config, initial_state)
        )
        tasks = before.task_ids() if before else []
        return Done((before is None, ConnectorInfo(name, config, tasks, self._plugins.type_of(config))), positions)

    def delete_connector(self, name: str) -> Done:
        read_model.entry(self._configs.snapshot(), name)
        positions = _written("removing connector configuration from", lambda: self._configs.remove_connector(name))
        # At once: one of the same name may be created before anybody has met the deletion.
        self._topics.forget(name)
        return Done(None, positions)

    def set_target_state(self, name: str, state: TargetState) -> Done:
        read_model.entry(self._configs.snapshot(), name, "Unknown connector {}")
        return Done(None, _written("writing target state to", lambda: self._configs.put_target_state(name, state)))

    def reset_topics(self, name: str) -> Done:
        self._topics.forget(name)
        return Done(statuses=self._statuses.flush())

    def restart_connector(self, request: RestartRequest) -> Done | Future[Done]:
        entry = read_model.entry(self._configs.snapshot(), request.connector, "Unknown connector: {}")
        if not request.only_failed and not request.include_tasks:
            return self._when_started(
                self._host.restart(request.connector, entry), f"Failed to start connector: {request.connector}"
            )
        return self._plan_restart(request)

    def _plan_restart(self, request: RestartRequest) -> Done:
        configs = _written(f"writing {request} to", lambda: self._configs.put_restart(request))
        try:
            status = read_model.connector_status(
                self._configs.snapshot(), self._statuses.snapshot(), request.connector, self._plugins
            )
        except NotFound as error:
            raise NotFound(f"Status for connector {request.connector} not found") from error
        plan = restart_plan(request, status)
        for instance in plan.instances:
            self._statuses.put(instance, _planned(plan.status, instance))
        return Done(plan.status, configs, self._statuses.flush())

    def restart_task(self, task: TaskId) -> Done | Future[Done]:
        entry = read_model.entry(self._configs.snapshot(), task.connector, "Unknown connector: {}")
        if task.task not in entry.tasks:
            raise NotFound(f"Unknown task: {task}")
        if task not in self._host.hosted(task.connector):
            raise Conflict(
                "Cannot complete request momentarily due to no known leader URL, likely because a rebalance was underway."
            )
        return self._when_started(self._host.restart(task, entry), f"Failed to start task: {task}")

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


def _planned(status: ConnectorStatus, instance: str | TaskId) -> Status:
    return status.tasks[instance.task] if isinstance(instance, TaskId) else status.connector
