"""Requests in a group of workers: asked of the leader, handed on to an owner, and come again after somebody died in between.
Each of them is carried out once, and whoever waits for it is answered."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from tests.fakes import Herding
from tests.unit.workers.herder.group import CONFIG, Hold, Workers, tasks_of, workers
from tests.unit.workers.herder.post import Message, Post
from workers.herder import requests as module
from workers.herder import wire
from workers.herder.actions import MOVED
from workers.herder.errors import HerderError
from workers.herder.service import HerderService
from workers.herder.values import TaskId


class Office:
    """Workers x, y and z with a service each, and the queues between them. What waits for nobody stays in its queue."""

    def __init__(self, group: Workers) -> None:
        self.group = group
        self.post = Post()
        self.services: dict[str, HerderService] = {}
        for worker in group.present.values():
            self.serve(worker)
        self.queues: dict[str, list[Message]] = {}
        self.post.celery.on_send = self.take

    def serve(self, worker: Herding) -> None:
        replies = self.post.replies(str(worker.me))
        self.services[worker.worker_id] = HerderService(worker.herder, replies, "queue of {}".format)

    def take(self, message: Message) -> None:
        self.queues.setdefault(message.queue, []).append(message)

    def deliver(self) -> int:
        """Everything that lies in the queues, to who reads them now; how many messages that were."""
        delivered = 0
        while waiting := [(queue, message) for queue, of_it in self.queues.items() for message in of_it]:
            for queue, message in waiting:
                self.queues[queue].remove(message)
                self.handle(self.reader(queue), message)
                delivered += 1
        return delivered

    def reader(self, queue: str) -> str:
        return self.group.leader.worker_id if queue == "leader" else queue.removeprefix("queue of ")

    def handle(self, worker: str, message: Message) -> None:
        self.services[worker].handle(message.request, message.action, message.arguments, message.timeout, message.forwarded)

    def message(self, action: str, request: str = "r1", **arguments: Any) -> Message:
        return Message("leader", request, action, arguments, 5.0, False)

    def send(self, message: Message) -> None:
        self.take(message)
        self.deliver()
        self.group.settle()

    def answers(self, request: str = "r1") -> list[Any]:
        """What its asker finds; refusals as status and message."""
        found = []
        for body in reversed(self.post.redis.lists[module._reply_key(request)]):
            try:
                found.append(wire.opened(body).result)
            except HerderError as error:
                found.append((error.status, error.message))
        return found


@pytest.fixture
def office() -> Iterator[Office]:
    """x leads; connectors `a`, `b` and `c` have two tasks each."""
    with workers("x", "y", "z") as group:
        for name in "abc":
            group.create(name, tasks=2)
        yield Office(group)


def config(name: str, **more: str) -> dict[str, str]:
    return {**CONFIG, "name": name, "tasks": "2", **more}


#: An action, the record that it leads to, and whether an answer is what its asker may be told.
WRITES: list[tuple[str, dict[str, Any], str, Callable[[Any], bool]]] = [
    (
        "create_connector",
        {"name": "d", "config": config("d"), "initial_state": None},
        "connector-d",
        lambda answer: answer[0] is True and answer[1]["name"] == "d",
    ),
    (
        "put_connector_config",
        {"name": "a", "config": config("a", color="blue")},
        "connector-a",
        lambda answer: answer[0] is False and answer[1]["config"]["color"] == "blue",
    ),
    (
        "patch_connector_config",
        {"name": "a", "patch": {"color": "blue"}},
        "connector-a",
        lambda answer: answer[0] is False and answer[1]["config"]["color"] == "blue",
    ),
    ("delete_connector", {"name": "a"}, "connector-a", lambda answer: answer is None),
    ("set_target_state", {"name": "a", "state": "PAUSED"}, "target-state-a", lambda answer: answer is None),
    (
        "restart_connector",
        {"connector": "a", "only_failed": False, "include_tasks": True},
        "restart-connector-a",
        lambda answer: answer["name"] == "a" and len(answer["tasks"]) == 2,
    ),
]
ARGUMENTS = ("action", "arguments", "key", "right")
IDS = [write[0] for write in WRITES]


@pytest.mark.parametrize(ARGUMENTS, WRITES, ids=IDS)
def test_one_that_comes_again_is_answered_again_and_writes_nothing(
    office: Office, action: str, arguments: dict[str, Any], key: str, right: Callable[[Any], bool]
) -> None:
    office.send(office.message(action, **arguments))
    before = office.group.leader.config_keys().count(key)
    for _ in range(2):
        office.send(office.message(action, **arguments))
    assert office.group.leader.config_keys().count(key) == before
    assert len(office.answers()) == 3
    assert all(right(answer) for answer in office.answers())


@pytest.mark.parametrize("how", ["crash", "stop", "cut_off"])
@pytest.mark.parametrize(ARGUMENTS, WRITES, ids=IDS)
def test_one_that_a_leader_wrote_and_did_not_answer_is_answered_by_the_next(
    office: Office, how: str, action: str, arguments: dict[str, Any], key: str, right: Callable[[Any], bool]
) -> None:
    office.send(office.message(action, **arguments))
    before = office.group.leader.config_keys().count(key)
    office.post.redis.lists.clear()
    getattr(office.group, how)("x")
    office.send(office.message(action, **arguments))
    assert office.group.leader.config_keys().count(key) == before
    (answer,) = office.answers()
    assert right(answer)


@pytest.mark.parametrize(ARGUMENTS, WRITES, ids=IDS)
def test_one_that_a_leader_claimed_and_did_not_write_is_carried_out_by_the_next(
    office: Office, action: str, arguments: dict[str, Any], key: str, right: Callable[[Any], bool]
) -> None:
    before = office.group.leader.config_keys().count(key)
    office.post.replies(str(office.group["x"].me)).claim("r1")
    office.group.crash("x")
    office.send(office.message(action, **arguments))
    (answer,) = office.answers()
    assert right(answer)
    assert office.group.leader.config_keys().count(key) == before + 1


def test_a_put_that_created_is_answered_as_such_by_the_next_leader_too(office: Office) -> None:
    arguments: dict[str, Any] = {"name": "d", "config": config("d")}
    office.send(office.message("put_connector_config", **arguments))
    office.group.crash("x")
    office.send(office.message("put_connector_config", **arguments))
    first, second = office.answers()
    assert (first[0], second[0]) == (True, True)


@pytest.mark.parametrize(ARGUMENTS, WRITES, ids=IDS)
def test_one_that_was_withdrawn_is_carried_out_by_nobody(
    office: Office, action: str, arguments: dict[str, Any], key: str, right: Callable[[Any], bool]
) -> None:
    before = office.group.leader.config_keys()
    assert office.post.requests()._withdraw("r1")
    office.send(office.message(action, **arguments))
    office.group.crash("x")
    office.send(office.message(action, **arguments))
    assert office.group.leader.config_keys() == before
    assert office.answers() == []


def test_a_refusal_is_answered_again_and_not_tried_again(office: Office) -> None:
    arguments: dict[str, Any] = {"name": "a", "config": config("a"), "initial_state": None}
    for _ in range(2):
        office.send(office.message("create_connector", **arguments))
    assert office.answers() == [(409, "Connector a already exists")] * 2


# --- for one worker ---------------------------------------------------------------------------------------------------


def remote(office: Office) -> TaskId:
    """A task that the leader does not run."""
    group = office.group
    return next(task for name in "abc" for task in tasks_of(name, 2) if group.owner(task) is not group.leader)


def restart(office: Office, task: TaskId, request: str = "r1") -> Message:
    return office.message("restart_task", request, connector=task.connector, task=task.task)


def test_one_for_an_instance_elsewhere_is_carried_out_and_answered_there(office: Office) -> None:
    task = remote(office)
    owner = office.group.owner(task)
    office.send(restart(office, task))
    assert (owner.runner.count("start", task), office.answers()) == (2, [None])
    assert office.group.leader.states(task) == ["RUNNING", "RESTARTING", "RUNNING"]


def test_a_plain_restart_of_a_connector_elsewhere_too(office: Office) -> None:
    name = next(name for name in "abc" if office.group.owner(name) is not office.group.leader)
    owner = office.group.owner(name)
    office.send(office.message("restart_connector", connector=name, only_failed=False, include_tasks=False))
    assert (owner.plugins.count("start", name), office.answers()) == (2, [None])
    assert office.group.leader.config_keys().count(f"restart-connector-{name}") == 0


def test_one_that_comes_again_is_handed_on_again_and_carried_out_once(office: Office) -> None:
    task = remote(office)
    owner = office.group.owner(task)
    for _ in range(3):
        office.send(restart(office, task))
    assert owner.runner.count("start", task) == 2
    assert office.answers() == [None] * 3


def test_one_whose_instance_has_moved_on_the_way_is_refused_and_handed_to_nobody(office: Office) -> None:
    task = remote(office)
    owner = office.group.owner(task)
    office.handle("x", restart(office, task))
    office.group.cut_off(owner.worker_id)
    office.deliver()
    office.group.settle()
    assert office.answers() == [(409, MOVED)]
    assert all(not queue for queue in office.queues.values())


def test_one_whose_owner_died_on_the_way_is_asked_again_and_carried_out_elsewhere(office: Office) -> None:
    task = remote(office)
    owner = office.group.owner(task)
    office.handle("x", restart(office, task))
    office.group.crash(owner.worker_id)
    office.queues.clear()
    office.send(restart(office, task))
    assert office.answers() == [None]
    assert office.group.leader.states(task)[-2:] == ["RESTARTING", "RUNNING"]
    office.group.check()


def test_nobody_hands_on_what_was_handed_on(office: Office) -> None:
    """Two that hold each other for the owner would never end."""
    task = remote(office)
    owner = office.group.owner(task)
    other = next(worker for worker in office.group.present.values() if worker is not owner)
    message = Message(
        f"queue of {other.worker_id}", "r1", "restart_task", {"connector": task.connector, "task": task.task}, 5.0, True
    )
    office.handle(other.worker_id, message)
    assert office.answers() == [(409, MOVED)]
    assert office.queues == {}


def test_a_restart_that_hangs_at_its_owner_is_answered_when_its_time_is_over(office: Office) -> None:
    task = remote(office)
    owner = office.group.owner(task)
    hold = Hold()
    owner.runner.on["stop", task] = hold
    message = Message("leader", "r1", "restart_task", {"connector": task.connector, "task": task.task}, 0.1, False)
    office.take(message)
    office.deliver()
    ((status, text),) = office.answers()
    assert status == 500
    assert text.startswith(f"Request timed out. The worker is currently restarting task {task}, which began at ")
    hold.release.set()
    office.group.settle()
