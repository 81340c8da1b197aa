"""How long a move waits for what."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Pace:
    """Seconds: between two looks, also while a cluster is away; until the same is asked for again; until a step that does not
    get on is given up. `quiet_*`: for how long offsets have to be the same, after tasks on one worker or on several (there it is
    Kafka Connect's `task.shutdown.graceful.timeout.ms` that has to pass). `steady`: of RUNNING."""

    poll: float = 0.3
    away: float = 2.0
    again: float = 5.0
    patience: float = 120.0
    quiet_one: float = 1.0
    quiet_several: float = 6.0
    steady: float = 5.0


PACE = Pace()
