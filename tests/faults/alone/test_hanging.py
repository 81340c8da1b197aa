"""Connectors whose own code blocks for ever, raises, or means to end the process: F19, and F20 as far as one process goes."""

import time
import uuid
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

import httpx
import pytest

from tests.faults.alone.conftest import REQUEST_TIMEOUT, Alone, Copying
from tests.faults.plugins.misbehaving import SINK_CALLS, SOURCE_CALLS
from tests.topics import produce
from tests.waiting import eventually

#: Those that come with the end of a connector or task.
STOPS = ("stop", "stop task")
EVERYWHERE = [
    *(("source", call) for call in SOURCE_CALLS),
    *(("sink", call) for call in SINK_CALLS if call.endswith(("task", "write"))),
]


@dataclass(frozen=True)
class Misbehaving:
    """A connector that does so in one call. `round` tells what it does from what another of its name does."""

    crew: "Crew"
    kind: str
    call: str
    how: str = "hang"
    round: str = "1"

    @property
    def name(self) -> str:
        return f"{self.kind} {self.call} {self.how} {self.crew.unique}"

    @property
    def topic(self) -> str:
        return f"of-{self.name.replace(' ', '-')}"

    @property
    def out(self) -> Path:
        return self.crew.folder / self.topic

    def create(self, *, well_behaved: bool = False) -> None:
        its_own = {"topic": self.topic} if self.kind == "source" else {"topics": self.crew.topic, "out": str(self.out)}
        config = {
            "connector.class": f"Misbehaving{self.kind.title()}",
            "where": "" if well_behaved else self.call,
            "how": self.how,
            "gate": str(self.crew.gate),
            "notes": str(self.crew.folder),
            "round": self.round,
            **its_own,
        }
        self.crew.alone.client.create(self.name, {"name": self.name, **config})

    def noted(self, call: str) -> bool:
        return (self.crew.folder / f"{self.name} {self.round} {call}").exists()

    def came_to(self) -> bool:
        """The call in which it misbehaves; or, if that is to come only at its end, it runs."""
        if self.call in STOPS:
            return self.crew.alone.states(self.name) == ["RUNNING", "RUNNING"]
        return self.noted(self.call)

    def written(self) -> list[str]:
        """By what it wrote: the rounds."""
        if self.kind == "sink":
            return self.out.read_text().split() if self.out.exists() else []
        return [(value or b"").decode() for value in self.crew.alone.records(self.topic)]


@dataclass
class Crew:
    """Connectors that misbehave, each in another call, all at once."""

    alone: Alone
    folder: Path
    unique: str = field(default_factory=lambda: uuid.uuid4().hex[:6])

    @property
    def gate(self) -> Path:
        return self.folder / "gate"

    @property
    def topic(self) -> str:
        """What the sinks read."""
        return f"for-{self.unique}"

    def create(self, connectors: Sequence[Misbehaving], *, well_behaved: bool = False) -> Sequence[Misbehaving]:
        produce(self.alone.bootstrap, self.topic, ("key", "value"))
        with ThreadPoolExecutor(4) as pool:
            list(pool.map(lambda connector: connector.create(well_behaved=well_behaved), connectors))
        return connectors

    def hang_everywhere(self) -> Sequence[Misbehaving]:
        crew = self.create([Misbehaving(self, kind, call) for kind, call in EVERYWHERE])
        for connector in crew:
            eventually(connector.came_to, connector.name)
        return crew

    def let_go(self) -> None:
        self.gate.touch()

    def delete(self, connectors: Sequence[Misbehaving]) -> None:
        for connector in connectors:
            asked = time.monotonic()
            self.alone.client.delete(connector.name)
            assert time.monotonic() - asked < 5, connector.name
        for connector in connectors:
            self.alone.await_states(connector.name)


@pytest.fixture
def crew(alone: Alone, tmp_path: Path) -> Iterator[Crew]:
    ends = alone.drover.log("supervisord").count("exited: worker")
    made = Crew(alone, tmp_path)
    yield made
    made.let_go()
    assert alone.drover.log("supervisord").count("exited: worker") == ends, "the worker did not end by itself"


def test_a_validation_that_hangs_is_answered_in_time_and_leads_to_nothing(alone: Alone, tmp_path: Path, copying: Copying) -> None:
    name, gate = f"never-{uuid.uuid4().hex[:6]}", tmp_path / "gate"
    config = {"name": name, "connector.class": "MisbehavingSource", "gate.of.validation": str(gate)}
    asked = time.monotonic()
    with ThreadPoolExecutor(6) as pool:
        asking = [
            pool.submit(httpx.post, f"{alone.drover.url}/connectors", json={"name": name, "config": config}, timeout=60)
            for _ in range(6)
        ]
        # Meanwhile.
        copying.goes_on()
        alone.client.pause(copying.name)
        alone.client.resume(copying.name)
        answers = [future.result() for future in asking]
    assert time.monotonic() - asked < REQUEST_TIMEOUT + 3
    for answer in answers:
        expected = "Request timed out. The worker is currently validating source connector-specific properties for the connector"
        assert (answer.status_code, answer.json()["message"].startswith(expected)) == (500, True), answer.text
    gate.touch()
    copying.goes_on()
    assert name not in alone.client.connectors()


def test_others_go_on_while_connectors_hang_everywhere(alone: Alone, crew: Crew, copying: Copying, tmp_path: Path) -> None:
    hanging = crew.hang_everywhere()
    copying.goes_on(40)
    other = Copying(alone, f"other-{crew.unique}", tmp_path / "other")
    client = alone.client
    other.begin()
    other.goes_on()
    client.pause(other.name)
    alone.await_states(other.name, "PAUSED", "PAUSED")
    client.resume(other.name)
    alone.await_states(other.name, "RUNNING", "RUNNING")
    client.restart(other.name, only_failed=False)
    alone.await_states(other.name, "RUNNING", "RUNNING")
    client.restart_task(other.name, 0)
    other.goes_on()
    client.delete(other.name)
    alone.await_states(other.name)
    assert alone.healthy()
    # Also what hangs can be looked at, and asked for more.
    for connector in hanging:
        client.config(connector.name)
        client.pause(connector.name)
    assert set(client.connectors()) >= {connector.name for connector in hanging}
    copying.goes_on()


def test_each_that_hangs_is_deleted_another_of_its_name_runs_and_who_comes_back_late_does_nothing(
    alone: Alone, crew: Crew, copying: Copying
) -> None:
    hanging = crew.hang_everywhere()
    crew.delete(hanging)
    for connector in hanging:
        assert connector.noted(connector.call), f"{connector.name} hung"
        assert not connector.noted(f"{connector.call} over"), f"{connector.name} hangs"
    another = crew.create([Misbehaving(crew, kind, call, round="2") for kind, call in EVERYWHERE], well_behaved=True)
    for connector in another:
        alone.await_states(connector.name, "RUNNING", "RUNNING")
        eventually(lambda connector=connector: connector.written()[-1:] == ["2"], what=connector.name)  # type: ignore[misc]
    written = {connector.name: connector.written() for connector in another}
    crew.let_go()
    for connector in hanging:
        # What runs in Spark's own processes has been ended there.
        if connector.call != "executor":
            eventually(lambda connector=connector: connector.noted(f"{connector.call} over"), what=connector.name)  # type: ignore[misc]
    for connector in hanging:
        if connector.call in ("start", "task_configs", "start task"):
            stop = "stop task" if connector.call == "start task" else "stop"
            eventually(lambda c=connector, stop=stop: c.noted(f"{stop} over"), what=f"{connector.name} is stopped")  # type: ignore[misc]
    copying.goes_on()
    for connector in another:
        assert alone.states(connector.name) == ["RUNNING", "RUNNING"], connector.name
        assert connector.written() == written[connector.name], connector.name


def test_a_worker_in_which_connectors_hang_ends_in_time_and_starts_again(alone: Alone, crew: Crew, copying: Copying) -> None:
    hanging = crew.hang_everywhere()
    stopping = time.monotonic()
    alone.stop("worker")
    assert time.monotonic() - stopping < 20
    assert "killing 'worker'" not in alone.drover.log("supervisord")
    alone.start("worker")
    eventually(alone.healthy)
    copying.goes_on(40)
    crew.delete(hanging)


FAILURES = {
    **dict.fromkeys(("create", "start", "task_configs"), ("FAILED",)),
    **dict.fromkeys(("create task", "start task", "next_range", "read", "executor", "write"), ("RUNNING", "FAILED")),
    **dict.fromkeys(STOPS, ("RUNNING", "RUNNING")),
}


def test_what_connectors_raise_fails_them_and_nobody_else(alone: Alone, crew: Crew, copying: Copying) -> None:
    failing = crew.create(
        [
            *(Misbehaving(crew, kind, call, how="SystemExit") for kind, call in EVERYWHERE),
            *(Misbehaving(crew, kind, call, how="MemoryError") for kind, call in EVERYWHERE if call not in STOPS),
        ]
    )
    for connector in failing:
        alone.await_states(connector.name, *FAILURES[connector.call])
        if connector.call not in STOPS:
            status = alone.client.status(connector.name)
            trace = status.connector.trace or status.tasks[0].trace or ""
            assert f"{connector.how}: as {connector.name} was told" in trace, trace
    copying.goes_on()
    crew.delete(failing)
    another = crew.create([Misbehaving(crew, c.kind, c.call, c.how, round="2") for c in failing], well_behaved=True)
    for connector in another:
        alone.await_states(connector.name, "RUNNING", "RUNNING")
