"""Many connectors to each of which a record comes every second: how long it takes on its way, and what that costs."""

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from bench.figures import Goal, at_most, percentile
from bench.herd import Herd
from bench.many import HOSTS
from bench.setting import Setting, fresh_name
from bench.sides import Side, sink, source
from bench.statuses import STARTED, following, with_tasks
from bench.usage import Usage, measure, total
from bench.waiting import POLL_SECONDS, Stuck

_CALLERS = 16
_PATIENCE = 300.0
_LEAST_SECONDS, _WARM_UP_SECONDS = 5.0, 20.0
_GOAL_MS = 3000


@dataclass(slots=True)
class Copy:
    """A file, its way through a topic of its own, and the file at the end. Lines hold the moment at which they were written."""

    source: str
    sink: str
    topic: str
    input: Path
    output: Path
    sent: int = 0
    arrived: int = 0
    _read: int = 0

    def append(self) -> None:
        self.sent += 1
        with self.input.open("ab", buffering=0) as file:
            file.write(b"%d\n" % time.time_ns())

    def arrivals(self) -> Iterator[float]:
        """Of each line that has come since the last look: the moment (`time.time`) at which it was written."""
        try:
            if self.output.stat().st_size == self._read:
                return
        except FileNotFoundError:
            return
        with self.output.open("rb") as file:
            file.seek(self._read)
            new = file.read()
        whole = new[: new.rfind(b"\n") + 1]
        self._read += len(whole)
        for line in whole.splitlines():
            self.arrived += 1
            yield int(line) / 1e9


@dataclass(frozen=True, slots=True)
class Flow:
    """One side: milliseconds of each line, from before it was appended until it was seen in the last file, and what each process
    took meanwhile."""

    milliseconds: list[float]
    usages: Mapping[str, Usage]

    def of_hosts(self, side: str) -> Usage:
        return total(self.usages[part] for part in HOSTS[side])


@dataclass(frozen=True, slots=True)
class Trickle:
    """`connectors` are half sources and half sinks; by side."""

    connectors: int = 0
    flows: dict[str, Flow] = field(default_factory=dict)

    def goals(self) -> list[Goal]:
        latency = percentile(self.flows["Drover"].milliseconds, 99)
        text = f"{self.connectors} connectors, a record a second each: source to target, ms (p99)"
        return [at_most(text, latency, _GOAL_MS)]


def run(setting: Setting, connectors: int, seconds: float, say: Callable[[str], None]) -> Trickle:
    """One side after the other. Raises Stuck."""
    found = Trickle(connectors)
    for side in setting.sides:
        with _copies(setting, side, connectors // 2) as copies:
            _flow(side, copies, _WARM_UP_SECONDS)
            flow = found.flows[side.name] = _flow(side, copies, max(seconds, _LEAST_SECONDS))
        taken = flow.of_hosts(side.name)
        p50, p99 = (percentile(flow.milliseconds, percent) for percent in (50, 99))
        say(f"{side.name:<8} p50 {p50:,.0f} ms, p99 {p99:,.0f} ms, {taken.cores:.2f} cores, {taken.memory:,.0f} MiB")
    return found


@contextmanager
def _copies(setting: Setting, side: Side, count: int) -> Iterator[Sequence[Copy]]:
    """All running. Raises Stuck."""
    name = fresh_name(f"trickle-{side.name.lower()}")
    made = [_copy(setting.folder, f"{name}-{number}") for number in range(count)]
    configs = {copy.source: source(copy.input, copy.topic) for copy in made}
    configs |= {copy.sink: sink(copy.output, copy.topic) for copy in made}
    topics = setting.topics
    with topics.all_fresh([copy.topic for copy in made]), following(topics, side.status_topic) as statuses:
        herd = Herd(side, statuses, list(configs), list(configs.values()))
        herd.create(_CALLERS)
        try:
            statuses.wait(with_tasks(herd.names), STARTED, _PATIENCE)
            yield made
        finally:
            herd.delete(_CALLERS)


def _copy(folder: Path, name: str) -> Copy:
    copy = Copy(f"{name}-source", f"{name}-sink", name, folder / f"{name}.in", folder / f"{name}.out")
    copy.input.touch()
    return copy


def _flow(side: Side, copies: Sequence[Copy], seconds: float) -> Flow:
    """A line a second into each file, spread over the second; until the last of them has arrived."""
    found: list[float] = []
    with ThreadPoolExecutor(1) as pool:
        usages = pool.submit(measure, side.processes(), seconds)
        began = time.monotonic()
        lines = round(seconds) * len(copies)
        for number in range(lines):
            due = began + number / len(copies)
            while (left := due - time.monotonic()) > 0:
                time.sleep(min(left, POLL_SECONDS))
                found += _arrived(copies)
            copies[number % len(copies)].append()
        deadline = time.monotonic() + _PATIENCE
        while len(found) < lines:
            time.sleep(POLL_SECONDS)
            found += _arrived(copies)
            if time.monotonic() > deadline:
                _check(side, copies)
                raise Stuck(f"{side.name}: {lines - len(found)} of {lines} lines did not arrive")
        return Flow(found, usages.result())


def _arrived(copies: Sequence[Copy]) -> list[float]:
    """Milliseconds of each line that has arrived since the last look."""
    now = time.time()
    return [(now - sent) * 1000 for copy in copies if copy.arrived < copy.sent for sent in copy.arrivals()]


def _check(side: Side, copies: Sequence[Copy]) -> None:
    """Raises Stuck where a connector has failed."""
    for copy in copies:
        side.assert_runs(copy.source)
        side.assert_runs(copy.sink)
