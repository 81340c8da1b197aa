"""What a job would do, before it is begun: exactly which connectors, and which not and why."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from connect_client import ConnectorStatus
from connect_client.features import Feature, lacking
from connect_client.states import State
from dashboard.fleet.sentence import count
from dashboard.jobs.verbs import JobVerb, Nothing, Options, What, what_of
from dashboard.rights.roles import Rights


@dataclass(frozen=True, slots=True)
class Candidate:
    """A connector that may be seen by whoever asks."""

    id: int
    cluster: str
    reachable: bool
    name: str
    state: State
    status: ConnectorStatus | None
    #: What its cluster tells to be.
    version: str = ""

    @property
    def key(self) -> str:
        return f"{self.cluster}/{self.name}"


@dataclass(frozen=True, slots=True)
class Line:
    candidate: Candidate
    what: What

    @property
    def words(self) -> str:
        """`the connector, tasks 0, 3 and 4`"""
        tasks = [str(task) for task in self.what.tasks]
        own = ["the connector"] if self.what.connector else []
        if not tasks:
            return "".join(own)
        if len(tasks) > 6:
            return ", ".join([*own, count(len(tasks), "task")])
        listed = " and ".join([", ".join(tasks[:-1]), tasks[-1]] if len(tasks) > 1 else tasks)
        return ", ".join([*own, f"task{'s' if len(tasks) > 1 else ''} {listed}"])


@dataclass(frozen=True, slots=True)
class LeftOut:
    """Connectors that the job would leave alone for one reason."""

    reason: str
    candidates: tuple[Candidate, ...]

    @property
    def count(self) -> int:
        return len(self.candidates)


@dataclass(frozen=True, slots=True)
class Preview:
    verb: JobVerb
    options: Options
    lines: tuple[Line, ...]
    left_out: tuple[LeftOut, ...]

    @property
    def connectors(self) -> int:
        return len(self.lines)

    @property
    def tasks(self) -> int:
        return sum(len(line.what.tasks) for line in self.lines)

    @property
    def instances(self) -> int:
        return sum(line.what.count for line in self.lines)

    @property
    def clusters(self) -> tuple[tuple[str, int], ...]:
        return tuple(sorted(Counter(line.candidate.cluster for line in self.lines).items()))

    @property
    def ids(self) -> str:
        """As a form sends them back."""
        return ",".join(str(line.candidate.id) for line in self.lines)

    @property
    def forbidden(self) -> bool:
        """Whether something was left out because it may not be done."""
        return any(out.reason == _needs(self.verb) for out in self.left_out)

    @property
    def only_failed(self) -> bool:
        return self.verb is JobVerb.RESTART and self.options.only_failed

    @property
    def button(self) -> str:
        """`Restart 5 failed`, `Pause 3`."""
        if self.only_failed:
            return f"Restart {self.instances:,} failed"
        return f"{self.verb.capitalize()} {count(self.connectors, 'connector')}"

    @property
    def about(self) -> str:
        """`Restart 5 failed in 3 connectors`."""
        return f"{self.button} in {count(self.connectors, 'connector')}" if self.only_failed else self.button

    @property
    def typed(self) -> str:
        """What has to be typed first where nothing brings it back."""
        return f"delete {count(self.connectors, 'connector')}" if self.verb is JobVerb.DELETE else ""


def preview(verb: JobVerb, options: Options, candidates: Iterable[Candidate], rights: Rights) -> Preview:
    lines: list[Line] = []
    left_out: dict[str, list[Candidate]] = {}
    for candidate in candidates:
        found = _line(verb, options, candidate, rights)
        if isinstance(found, Line):
            lines.append(found)
        else:
            left_out.setdefault(found.reason, []).append(candidate)
    return Preview(verb, options, tuple(lines), tuple(LeftOut(reason, tuple(those)) for reason, those in left_out.items()))


def _line(verb: JobVerb, options: Options, candidate: Candidate, rights: Rights) -> Line | Nothing:
    what = what_of(verb, options, candidate.status)
    if isinstance(what, Nothing):
        return what
    if not rights.may(verb.role, candidate.cluster, candidate.name):
        return Nothing(_needs(verb))
    why_not = lacking(candidate.version, Feature.STOP) if verb is JobVerb.STOP else ""
    if why_not:
        return Nothing(f"cannot be stopped. {why_not.rstrip('.')}")
    if not candidate.reachable:
        return Nothing(f"is in cluster {candidate.cluster}, which cannot be reached")
    return Line(candidate, what)


def _needs(verb: JobVerb) -> str:
    return f"needs the role {verb.role.name.lower()}"
