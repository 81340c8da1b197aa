"""Which instances a restart request means (KIP-745). Pure."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, replace

from workers.herder.states import State
from workers.herder.values import ConnectorStatus, InstanceId, RestartRequest, TaskId


def restarts_connector(request: RestartRequest, state: State) -> bool:
    return not request.only_failed or state is State.FAILED


def restarts_task(request: RestartRequest, state: State) -> bool:
    return request.include_tasks and (not request.only_failed or state is State.FAILED)


@dataclass(frozen=True, slots=True)
class RestartPlan:
    """`status` is what a reader should see while the plan is carried out: RESTARTING for each instance in it."""

    request: RestartRequest
    status: ConnectorStatus
    instances: frozenset[InstanceId]

    def __str__(self) -> str:
        tasks = sum(isinstance(instance, TaskId) for instance in self.instances)
        connector = "connector and " if self.request.connector in self.instances else ""
        return f"plan to restart {connector}{tasks} of {len(self.status.tasks)} tasks for {self.request}"


def restart_plan(request: RestartRequest, status: ConnectorStatus, wanted: Collection[InstanceId] | None = None) -> RestartPlan:
    """The plan from what was last seen, of what is `wanted`: a status may outlive its task, and nobody would restart that.
    Worker, version and old trace stay in the answer, as in Kafka Connect."""
    states: dict[InstanceId, State] = {status.name: status.connector.state}
    states |= {TaskId(status.name, number): task.state for number, task in status.tasks.items()}
    chosen = chosen_instances([request], states)
    if wanted is not None:
        chosen = chosen.intersection(wanted)
    connector = status.connector
    if status.name in chosen:
        connector = replace(connector, state=State.RESTARTING)
    tasks = {
        number: replace(task, state=State.RESTARTING) if TaskId(status.name, number) in chosen else task
        for number, task in status.tasks.items()
    }
    return RestartPlan(request, replace(status, connector=connector, tasks=tasks), chosen)


@dataclass(frozen=True, slots=True)
class PendingRestart:
    """A request that a worker has met and not yet carried out. `here` is what the worker ran when it met it."""

    request: RestartRequest
    promised: frozenset[InstanceId]
    here: frozenset[InstanceId]

    def instances(self, states: Mapping[InstanceId, State]) -> frozenset[InstanceId]:
        """What it means by now, of what is still here."""
        return (chosen_instances([self.request], states) | self.promised) & self.here & states.keys()


def chosen_instances(requests: Iterable[RestartRequest], states: Mapping[InstanceId, State]) -> frozenset[InstanceId]:
    """The instances that at least one of several pending requests for one connector means, each of them once.

    Kafka Connect keeps the request of highest rank only, and so can drop tasks whose restart it has promised.
    """
    return frozenset(
        instance
        for request in requests
        for instance, state in states.items()
        if (restarts_task if isinstance(instance, TaskId) else restarts_connector)(request, state)
    )
