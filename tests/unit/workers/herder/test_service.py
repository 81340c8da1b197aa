"""The answering side of a request: one message in, one answer out."""

import itertools
import threading
from typing import Any

import pytest

from tests.fakes import Herding, until
from workers.herder import wire
from workers.herder.actions import Done
from workers.herder.errors import HerderError
from workers.herder.requests import Claim
from workers.herder.service import HerderService
from workers.herder.values import TaskId

CONFIG = {"name": "a", "connector.class": "fake.Source"}
CREATE = {"name": "a", "config": CONFIG, "initial_state": None}


class Answers:
    """Takes the place of `Replies`. `held` is who claimed the request before, if anybody did."""

    def __init__(self) -> None:
        self.sent: list[tuple[str, bytes]] = []
        self.forwarded: list[tuple[str, str]] = []
        self.held = Claim.OURS

    def claim(self, request: str) -> Claim:
        return self.held

    def forward(self, request: str, queue: str, action: str, arguments: dict[str, Any], timeout: float) -> None:
        self.forwarded.append((queue, action))

    def send(self, request: str, answer: bytes) -> None:
        self.sent.append((request, answer))


class Service:
    def __init__(self, herding: Herding) -> None:
        self.answers = Answers()
        self._numbers = itertools.count(1)
        self.newest = ""
        self.service = HerderService(herding.herder, self.answers, "queue.of.{}".format)  # type: ignore[arg-type]

    def handle(
        self, action: str, arguments: dict[str, Any], seconds: float = 5.0, forwarded: bool = False, request: str = ""
    ) -> None:
        """A new request, unless it is one that has come before."""
        self.newest = request or f"r{next(self._numbers)}"
        self.service.handle(self.newest, action, arguments, seconds, forwarded)

    def ask(self, action: str, **arguments: Any) -> Done:
        self.handle(action, arguments)
        assert [request for request, _ in self.answers.sent] == [self.newest], "one answer, to the request that was asked"
        return wire.opened(self.answers.sent.pop()[1])

    def refusal(self, action: str, **arguments: Any) -> tuple[int, str]:
        with pytest.raises(HerderError) as raised:
            self.ask(action, **arguments)
        return raised.value.status, raised.value.message


@pytest.fixture
def service(herding: Herding) -> Service:
    return Service(herding)


def test_every_action_is_carried_out(herding: Herding, service: Service) -> None:
    assert service.ask("health") == Done()
    created, info = service.ask("create_connector", name="a", config=CONFIG, initial_state="PAUSED").result
    assert (created, wire.connector_info(info).name) == (True, "a")
    herding.settle()
    assert herding.state() == "PAUSED"
    created, info = service.ask("put_connector_config", name="a", config={**CONFIG, "x": "1"}).result
    assert (created, info["config"]["x"]) == (False, "1")
    created, info = service.ask("patch_connector_config", name="a", patch={"x": None, "y": "2"}).result
    assert (created, info["config"]) == (False, {**CONFIG, "y": "2"})
    service.ask("set_target_state", name="a", state="STARTED")
    herding.settle()
    assert herding.state(TaskId("a", 0)) == "RUNNING"
    assert service.ask("restart_task", connector="a", task=0).result is None
    planned = service.ask("restart_connector", connector="a", only_failed=False, include_tasks=True).result
    assert wire.connector_status(planned).tasks[0].state == "RESTARTING"
    herding.settle()
    assert service.ask("restart_connector", connector="a", only_failed=False, include_tasks=False).result is None
    assert service.ask("delete_connector", name="a").configs == {0: len(herding.config_topic.records)}
    assert herding.entry() is None


def test_a_request_that_was_withdrawn_is_dropped_without_an_answer(herding: Herding, service: Service) -> None:
    """Its caller was told of a time-out: after that nothing may be recorded."""
    service.answers.held = Claim.WITHDRAWN
    service.handle("create_connector", CREATE)
    assert (service.answers.sent, herding.config_keys(), herding.plugins.calls) == ([], [], [])


def test_a_request_whose_time_is_over_before_its_turn_changes_nothing(herding: Herding, service: Service) -> None:
    gate = threading.Event()
    held = herding.ask(lambda: gate.wait(5))
    service.handle("create_connector", CREATE, seconds=0.05)
    gate.set()
    held.result(5)
    herding.settle()
    assert herding.config_keys() == []
    assert len(service.answers.sent) == 1


def test_a_connector_that_hangs_does_not_keep_the_thread_that_asked(herding: Herding, service: Service) -> None:
    service.ask("create_connector", **CREATE)
    herding.settle()
    release = threading.Event()
    herding.plugins.on["start", "a"] = lambda: release.wait(5)
    request = {"connector": "a", "only_failed": False, "include_tasks": False}
    asking = threading.Thread(target=service.handle, args=("restart_connector", request, 0.1), daemon=True)
    asking.start()
    asking.join(3)
    answered = not asking.is_alive()
    release.set()
    assert answered
    until(lambda: herding.state() == "RUNNING")


def test_an_unknown_action_is_refused(service: Service) -> None:
    assert service.refusal("make_coffee") == (
        400,
        "This worker does not know the action make_coffee; do all workers run the same version?",
    )


@pytest.mark.parametrize("action", ["create_connector", "put_connector_config"])
def test_a_config_that_is_not_valid_is_refused_and_changes_nothing(herding: Herding, service: Service, action: str) -> None:
    status, message = service.refusal(action, **{**CREATE, "config": {**CONFIG, "invalid": "bad topic"}})
    assert status == 400
    assert "contains the following 1 error(s):\nbad topic\n" in message
    assert herding.config_keys() == []


def test_a_config_is_validated_away_from_the_herders_thread(herding: Herding, service: Service) -> None:
    """A connector that hangs in its validation must hold up nobody."""
    gate = threading.Event()
    held = herding.ask(lambda: gate.wait(5))
    assert service.refusal("put_connector_config", name="a", config={**CONFIG, "invalid": "x"})[0] == 400
    gate.set()
    held.result(5)


def test_a_validation_that_hangs_keeps_no_thread_that_asked_and_nobody_else(herding: Herding, service: Service) -> None:
    """However many of them there are; one that comes back late has changed nothing."""
    release = threading.Event()
    herding.plugins.on["validate", "a"] = lambda: release.wait(20)
    for _ in range(6):
        service.handle("create_connector", CREATE, seconds=0.1)
    told = []
    for _, answer in service.answers.sent:
        with pytest.raises(HerderError) as raised:
            wire.opened(answer)
        told.append(raised.value.message.partition(", which began at ")[0])
    validating, waiting = (
        f"Request timed out. The worker is currently {stage}"
        for stage in (
            "validating source connector-specific properties for the connector",
            "waiting for a new thread to become available for connector validation",
        )
    )
    assert told[:5] == [*[validating] * 4, waiting]
    assert len(service.answers.sent) == 6
    service.answers.sent.clear()
    service.ask("create_connector", name="b", config={**CONFIG, "name": "b"}, initial_state=None)
    release.set()
    herding.settle()
    assert herding.entry() is None


def test_a_validation_that_means_to_end_the_process_ends_its_own_request(herding: Herding, service: Service) -> None:
    def leave() -> None:
        raise SystemExit(3)

    herding.plugins.on["validate", "a"] = leave
    assert service.refusal("create_connector", **CREATE) == (500, "The validation ended with SystemExit(3)")


def test_an_existing_connector_is_found_only_after_validation(herding: Herding, service: Service) -> None:
    service.ask("create_connector", **CREATE)
    assert service.refusal("create_connector", **{**CREATE, "config": {**CONFIG, "invalid": "x"}})[0] == 400
    assert service.refusal("create_connector", **CREATE) == (409, "Connector a already exists")


def test_whatever_else_goes_wrong_is_told_as_500(service: Service) -> None:
    assert service.refusal("set_target_state", name="a", state="BOGUS") == (500, "'BOGUS' is not a valid TargetState")
    assert service.refusal("delete_connector")[0] == 500


def test_during_the_shutdown_requests_are_refused(herding: Herding, service: Service) -> None:
    herding.herder.stop()
    assert service.refusal("health") == (500, "Worker is shutting down")


# --- a request that comes again ---------------------------------------------------------------------------------------


def test_one_that_comes_twice_is_carried_out_once_and_answered_twice(herding: Herding, service: Service) -> None:
    for _ in range(2):
        service.handle("create_connector", CREATE, request="again")
    herding.settle()
    assert herding.config_keys().count("connector-a") == 1
    (first, answer), (second, same) = service.answers.sent
    assert (first, second, answer) == ("again", "again", same)


def test_one_that_comes_again_while_it_is_at_it_is_answered_once(herding: Herding, service: Service) -> None:
    gate = threading.Event()
    herding.ask(lambda: gate.wait(5))
    asking = threading.Thread(target=service.handle, args=("create_connector", CREATE), kwargs={"request": "again"})
    asking.start()
    until(lambda: "again" in service.service._answers)
    service.handle("create_connector", CREATE, request="again")
    gate.set()
    asking.join(5)
    assert [request for request, _ in service.answers.sent] == ["again"]


def test_one_whose_leader_died_after_the_write_is_answered_and_not_carried_out_again(herding: Herding, service: Service) -> None:
    service.handle("create_connector", CREATE, request="again")
    herding.settle()
    next_leader = Service(herding)
    next_leader.handle("create_connector", CREATE, request="again")
    herding.settle()
    ((_, answer),) = next_leader.answers.sent
    assert wire.opened(answer).result[0] is True
    assert herding.config_keys().count("connector-a") == 1
