"""Pauses and resumes that come together are written together."""

import threading
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import Future
from contextlib import contextmanager
from functools import partial

import pytest

from tests.fakes import Herding, until
from workers.herder.actions import Done
from workers.herder.errors import Conflict, HerderError, NotFound
from workers.herder.futures import attempted, chain
from workers.herder.states import TargetState
from workers.storage.config_store import TargetStateSet
from workers.storage.log import Fenced, LogError, Part, Positions

NAMES = ("a", "b", "c")


@pytest.fixture
def three(herding: Herding) -> Herding:
    for name in NAMES:
        config = {"name": name, "connector.class": "fake.Source"}
        herding.call(partial(herding.herder.actions.create_connector, name, config, None))
    herding.settle()
    return herding


@contextmanager
def busy(herding: Herding) -> Iterator[None]:
    """The herder's thread is at something else meanwhile."""
    gate = threading.Event()
    held = herding.ask(lambda: gate.wait(10))
    yield
    gate.set()
    held.result(10)


def asked(herding: Herding, name: str, state: TargetState = TargetState.PAUSED, seconds: float = 10.0) -> Future[Done]:
    answer: Future[Done] = Future()
    wanted = TargetStateSet(name, state, f"of {name}")

    def ask() -> None:
        chain(attempted(lambda: herding.herder.set_target_state(wanted, time.monotonic() + seconds)), answer)

    waiting = len(herding.herder._target_states._waiting)
    threading.Thread(target=ask).start()
    until(lambda: len(herding.herder._target_states._waiting) > waiting)
    return answer


def writes(herding: Herding) -> list[int]:
    """How many records each write had from now on."""
    counts: list[int] = []
    write = herding.writer.write

    def counted(parts: Sequence[Part]) -> list[Positions]:
        counts.append(sum(len(lines) for _, lines in parts))
        return write(parts)

    herding.writer.write = counted  # type: ignore[method-assign]
    return counts


def test_all_that_wait_are_one_write(three: Herding) -> None:
    counts = writes(three)
    with busy(three):
        answers = [asked(three, name) for name in NAMES]
    positions = {tuple(answer.result(10).configs.items()) for answer in answers}
    assert counts[:1] == [3]
    assert positions == {((0, len(three.config_topic.records)),)}
    assert all(three.herder.has_carried_out(f"of {name}") for name in NAMES), "each bears the mark of its own request"
    three.settle()
    assert [three.state(name) for name in NAMES] == ["PAUSED"] * 3


def test_one_that_is_refused_leaves_the_others_as_they_are(three: Herding) -> None:
    with busy(three):
        no, yes, late = asked(three, "nobody"), asked(three, "b"), asked(three, "c", seconds=0.0)
    with pytest.raises(NotFound, match="Unknown connector nobody"):
        no.result(10)
    with pytest.raises(HerderError):
        late.result(10)
    assert yes.result(10).configs
    three.settle()
    assert [three.state(name) for name in NAMES] == ["RUNNING", "PAUSED", "RUNNING"]


def test_for_one_connector_the_last_that_came_counts(three: Herding) -> None:
    with busy(three):
        answers = [asked(three, "a", state) for state in (TargetState.STOPPED, TargetState.STARTED, TargetState.PAUSED)]
    for answer in answers:
        answer.result(10)
    three.settle()
    assert three.state("a") == "PAUSED"


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (LogError("full"), "Error writing target state to Kafka"),
        (Fenced("another leads"), "Failed to write to config topic; this may be due to a transient error"),
    ],
)
def test_a_write_that_fails_is_told_to_all(three: Herding, error: LogError, said: str) -> None:
    three.writer.errors.append(error)
    with busy(three):
        answers = [asked(three, name) for name in NAMES]
    for answer in answers:
        with pytest.raises(HerderError, match=said):
            answer.result(10)
    assert three.led[:2] == ([True, False] if isinstance(error, Fenced) else [True])


def test_what_comes_too_late_is_not_begun(three: Herding) -> None:
    before = len(three.config_topic.records)
    with busy(three):
        future = three.herder._target_states.call(TargetStateSet("a", TargetState.PAUSED), time.monotonic() - 1)
    with pytest.raises(Conflict, match="time was over before its turn"):
        future.result(10)
    assert len(three.config_topic.records) == before


def test_a_herder_that_is_going_refuses(herding: Herding) -> None:
    herding.herder.stop()
    with pytest.raises(HerderError, match="shutting down"):
        herding.herder.set_target_state(TargetStateSet("a", TargetState.PAUSED), time.monotonic() + 10)
