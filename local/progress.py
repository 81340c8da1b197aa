"""How far a start has come, and what follows from that. Pure."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from supervisor.states import ProcessStates

from local.processes import ProcessSpec

# One death may be a race with a part that is not quite ready; so often is a fault.
DEATHS_ALLOWED = 3


class StartFailed(Exception):
    """A process did not come up. `name` is whose log tells why; None where no process is to blame."""

    def __init__(self, name: str | None, reason: str) -> None:
        super().__init__(reason)
        self.name = name


@dataclass
class Progress:
    """How far a start has come."""

    started: dict[str, float] = field(default_factory=dict)
    ready: dict[str, float] = field(default_factory=dict)
    deaths: dict[str, set[int]] = field(default_factory=dict)


def startable(plan: Iterable[ProcessSpec], progress: Progress) -> list[ProcessSpec]:
    """Those whose time has come: not started, and all that they need is ready."""
    return [spec for spec in plan if spec.name not in progress.started and all(name in progress.ready for name in spec.after)]


def failure(plan: Iterable[ProcessSpec], progress: Progress, now: float, timeout: float) -> StartFailed | None:
    """Why this start will come to nothing, if it will."""
    for spec in plan:
        if len(progress.deaths.get(spec.name, ())) >= DEATHS_ALLOWED:
            return StartFailed(spec.name, f"{spec.name} keeps dying")
        started = progress.started.get(spec.name)
        if started is not None and spec.name not in progress.ready and now - started > timeout:
            return StartFailed(spec.name, f"{spec.name} was not ready within {timeout:.0f} s")
    return None


def awaited(plan: Iterable[ProcessSpec], progress: Progress) -> list[ProcessSpec]:
    """Those that were started and are not ready yet."""
    return [spec for spec in plan if spec.name in progress.started and spec.name not in progress.ready]


def note_deaths(progress: Progress, processes: Mapping[str, Mapping[str, Any]]) -> None:
    """Counts each death once, by the start that it ended."""
    for name, info in processes.items():
        if info["state"] in {ProcessStates.BACKOFF, ProcessStates.EXITED, ProcessStates.FATAL}:
            progress.deaths.setdefault(name, set()).add(info["start"])
            progress.ready.pop(name, None)
