"""What is wanted and what is seen, as two enums that never mix (design rule 4)."""

from enum import StrEnum


class TargetState(StrEnum):
    """What the user wants of a connector; lives in the config topic (KIP-52, KIP-875)."""

    STARTED = "STARTED"
    PAUSED = "PAUSED"
    STOPPED = "STOPPED"


class State(StrEnum):
    """What was last seen of a connector or task; lives in the status topic. Users see all but DESTROYED, which is a tombstone."""

    UNASSIGNED = "UNASSIGNED"
    RUNNING = "RUNNING"
    PAUSED = "PAUSED"
    STOPPED = "STOPPED"
    FAILED = "FAILED"
    RESTARTING = "RESTARTING"
    DESTROYED = "DESTROYED"


#: The state that an instance without a fault shows once it has done what was wanted.
SETTLED = {TargetState.STARTED: State.RUNNING, TargetState.PAUSED: State.PAUSED, TargetState.STOPPED: State.STOPPED}
