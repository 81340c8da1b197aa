"""What has to change so that what is hosted becomes what is wanted. Pure."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from workers.herder.states import TargetState
from workers.herder.values import ConnectorEntry, InstanceId


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


def wanted_instances(entry: ConnectorEntry | None) -> dict[InstanceId, Wanted]:
    """A stopped connector keeps its own instance and has no tasks (KIP-875); a paused one keeps its tasks (KIP-52)."""
    if entry is None:
        return {}
    wanted: dict[InstanceId, Wanted] = {entry.name: Wanted(entry.revision, entry.target_state)}
    if entry.target_state is not TargetState.STOPPED:
        wanted |= {task: Wanted(entry.tasks_revision, entry.target_state) for task in entry.task_ids()}
    return wanted


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
