"""One worker and the assignments of a leader that the test plays: what the worker says it has stopped, and when."""

from collections.abc import Iterator, Mapping

import orjson
import pytest

from tests.fakes import Herding, another_hand, until
from tests.unit.workers.herder.group import CONFIG, Hold, all_of
from workers.herder.assignment import Place, Release
from workers.herder.membership import Member
from workers.herder.states import State
from workers.herder.values import InstanceId, Status, TaskId
from workers.storage.assignment_store import AssignmentStore
from workers.storage.memory_log import MemoryLog, MemoryTopic, MemoryWriter
from workers.storage.records import KeyValue, status_record

BOSS, OTHER = Member("boss", "1"), Member("other", "1")


class Led:
    """A worker of a group that somebody else leads."""

    def __init__(self) -> None:
        self.herding = Herding(worker_id="me")
        self.me = self.herding.me
        self.topic = self.herding.cluster.assignment_topic
        self.herding.cluster.group.join(BOSS, lambda view: None)
        self.configs = another_hand(self.herding.config_topic)
        for name in "ab":
            self.configs.put_connector(name, {**CONFIG, "name": name, "tasks": "1"})
            self.configs.put_tasks(name, [{"n": "0", "color": ""}])
        self.herding.herder.start()

    def assigned(self, epoch: int, places: Mapping[InstanceId, Place], *changed: str) -> list[KeyValue]:
        """The records of an assignment, in their order, not yet in the topic."""
        topic, writer = MemoryTopic(), MemoryWriter()
        writer.claim()
        AssignmentStore(MemoryLog(topic), writer).put(epoch, BOSS, frozenset({BOSS, self.me, OTHER}), places, set(changed))
        return [KeyValue(record.key, record.value, tuple(record.headers.items())) for record in topic.records]

    def assign(self, epoch: int, places: Mapping[InstanceId, Place], *changed: str) -> None:
        self.topic.append(self.assigned(epoch, places, *changed))

    def released(self) -> int:
        """What the leader knows of it by now."""
        key = f"worker-{self.me}".encode()
        said = [orjson.loads(record.value)["released"] for record in self.topic.records if record.key == key and record.value]
        assert said == sorted(said)
        return int(said[-1])


@pytest.fixture
def led() -> Iterator[Led]:
    """It runs connectors a and b with one task each."""
    made = Led()
    made.assign(1, dict.fromkeys([*all_of("a", 1), *all_of("b", 1)], Place(made.me)), "a", "b")
    made.herding.settle()
    assert made.herding.runner.running == {TaskId("a", 0): False, TaskId("b", 0): False}
    yield made
    made.herding.herder.stop()


def moved(led: Led, *names: str) -> dict[InstanceId, Place]:
    """Epoch 2 takes those connectors and their tasks away."""
    stay = {i: Place(led.me) for name in "ab" for i in all_of(name, 1) if name not in names}
    return stay | {i: Place(OTHER, Release(led.me, 2)) for name in names for i in all_of(name, 1)}


def test_it_starts_what_is_its_own_only() -> None:
    led = Led()
    led.assign(1, {"a": Place(OTHER), TaskId("a", 0): Place(led.me), "b": Place(led.me, Release(OTHER, 1))}, "a", "b")
    led.herding.settle()
    assert (led.herding.runner.running, led.herding.plugins.calls) == ({TaskId("a", 0): False}, [])
    led.herding.herder.stop()


def test_what_is_taken_is_stopped_before_that_is_said(led: Led) -> None:
    hold = Hold()
    led.herding.runner.on["stop", TaskId("a", 0)] = hold
    led.assign(2, moved(led, "a"), "a")
    assert hold.entered.wait(5)
    led.herding.call(lambda: None)
    assert led.released() < 2
    hold.release.set()
    until(lambda: led.released() == 2)
    assert (led.herding.state("a"), led.herding.state(TaskId("a", 0))) == ("UNASSIGNED", "UNASSIGNED")
    assert led.herding.runner.running == {TaskId("b", 0): False}


def test_what_one_connector_released_does_not_speak_for_the_next_of_the_same_assignment(led: Led) -> None:
    """Records come one by one: the worker may be done with the first before it has even seen the second."""
    hold = Hold()
    led.herding.runner.on["stop", TaskId("b", 0)] = hold
    for record in led.assigned(2, moved(led, "a", "b"), "a", "b"):
        led.topic.append([record])
        until(led.herding.herder._loop.idle, "It has done what can be done without the rest")
        until(lambda: hold.entered.is_set() or led.herding.herder.idle(), "And so have its lanes")
        assert led.released() < 2, "task b-0 still runs here"
    assert hold.entered.wait(5)
    hold.release.set()
    until(lambda: led.released() == 2)
    assert led.herding.runner.running == {}


def test_an_assignment_that_is_written_again_is_answered_again_or_was_already(led: Led) -> None:
    led.assign(2, moved(led, "a"), "a")
    led.herding.settle()
    led.assign(3, moved(led, "a"), "a")
    led.herding.settle()
    assert led.released() >= 2


def test_what_it_gets_back_before_it_has_stopped_runs_again_there(led: Led) -> None:
    hold, task = Hold(), TaskId("a", 0)
    led.herding.runner.on["stop", task] = hold
    led.assign(2, moved(led, "a"), "a")
    assert hold.entered.wait(5)
    led.assign(3, moved(led), "a")
    led.herding.call(lambda: None)
    hold.release.set()
    led.herding.settle()
    assert (led.herding.runner.running, led.herding.state(task)) == ({task: False, TaskId("b", 0): False}, "RUNNING")
    assert (led.herding.runner.count("start", task), led.herding.runner.count("stop", task)) == (2, 1)


def test_a_deleted_connector_is_stopped_and_that_is_said(led: Led) -> None:
    led.configs.remove_connector("a")
    led.assign(2, {i: Place(None, Release(led.me, 2)) for i in all_of("a", 1)}, "a")
    until(lambda: led.released() == 2)
    # Its statuses are the leader's to delete, who has the last word.
    assert led.herding.runner.running == {TaskId("b", 0): False}


def test_what_is_taken_from_others_is_not_its_business(led: Led) -> None:
    led.assign(2, {i: Place(led.me, Release(OTHER, 2)) for i in all_of("a", 1)}, "a")
    led.herding.settle()
    assert led.released() < 2


def test_an_instance_is_never_started_under_an_assignment_older_than_its_own(led: Led) -> None:
    """Its status would be older than what is known of the one before, and nobody would believe it."""
    gates = [Hold(), Hold()]
    task = TaskId("a", 0)
    led.assign(2, moved(led, "a"), "a")
    led.herding.settle()
    # While its thread is busy, somebody changes the connector, its former worker dies, and it gets it.
    led.herding.ask(gates[0])
    assert gates[0].entered.wait(5)
    led.configs.put_connector("a", {**CONFIG, "name": "a", "tasks": "1", "color": "blue"})
    led.herding.ask(gates[1])
    led.herding.status_topic.append([status_record(task, Status(State.UNASSIGNED, "other", 9))])
    led.assign(9, moved(led), "a")
    gates[0].release.set()
    assert gates[1].entered.wait(5)
    until(led.herding.herder._host.idle)
    gates[1].release.set()
    led.herding.settle()
    assert led.herding.runner.running[task] is False
    seen = led.herding.status(task)
    assert seen is not None
    assert (seen.state, seen.worker_id, seen.generation) == ("RUNNING", "me", 9)


def test_records_of_the_past_are_no_orders() -> None:
    """What an earlier life of it had, or was told to stop, is not its own."""
    led = Led()
    former = Member("me", "0")
    led.assign(1, {"a": Place(former), TaskId("a", 0): Place(OTHER, Release(former, 1))}, "a")
    led.herding.settle()
    assert (led.herding.plugins.calls, led.herding.runner.calls, led.released()) == ([], [], -1)
    led.herding.herder.stop()
