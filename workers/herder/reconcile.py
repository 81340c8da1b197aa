"""What has to change so that what is hosted becomes what is wanted. Pure."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from workers.herder.states import TargetState
from workers.herder.values import ConnectorEntry, InstanceId, TaskId


@dataclass(frozen=True, slots=True)
class Wanted:
    """An instance as it should be: `revision` names the record that its config came with."""

    revision: int
    target: TargetState


class Step(StrEnum):
    START = "start"
    #: Stop, then start with the new config.
    REPLACE = "replace"
    #: Same config, other target state.
    RETARGET = "retarget"
    #: Stop and delete the status.
    REMOVE = "remove"


def instances(entry: ConnectorEntry) -> list[InstanceId]:
    """A stopped connector keeps its own instance and has no tasks (KIP-875); a paused one keeps its tasks (KIP-52)."""
    return [entry.name, *(entry.task_ids() if entry.target_state is not TargetState.STOPPED else ())]


def wanted_instances(entry: ConnectorEntry | None) -> dict[InstanceId, Wanted]:
    """The `instances`, each as it should be."""
    if entry is None:
        return {}
    of_connector, of_tasks = (Wanted(revision, entry.target_state) for revision in (entry.revision, entry.tasks_revision))
    return {instance: of_tasks if isinstance(instance, TaskId) else of_connector for instance in instances(entry)}


def steps(wanted: Mapping[InstanceId, Wanted], hosted: Mapping[InstanceId, Wanted]) -> dict[InstanceId, Step]:
    """Removals first, so that what is freed is free when the rest starts."""
    changes: dict[InstanceId, Step] = {instance: Step.REMOVE for instance in hosted if instance not in wanted}
    for instance, want in wanted.items():
        have = hosted.get(instance)
        if have is None:
            changes[instance] = Step.START
        elif have.revision != want.revision:
            changes[instance] = Step.REPLACE
        elif have.target is not want.target:
            changes[instance] = Step.RETARGET
    return changes


def tasks_outdated(entry: ConnectorEntry, generated: list[dict[str, str]]) -> bool:
    """Whether freshly generated task configs have to be written: they differ from the committed ones, or the connector's
    config does from the one that those were committed under (a change of converter alone must reach the tasks too)."""
    return entry.inconsistent or [dict(c) for c in entry.task_configs()] != generated or entry.config != entry.applied_config


def counts_for(entry: ConnectorEntry | None, revision: int) -> bool:
    """Whether task configs that were generated from the config of `revision` are wanted: not where that was replaced since, nor
    where the connector is to have no tasks."""
    return entry is not None and entry.revision == revision and entry.target_state is not TargetState.STOPPED
