"""The answering side of a request: one message in, one answer out."""

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
        self.held: tuple[Claim, str] = (Claim.OURS, "")

    def claim(self, request: str) -> tuple[Claim, str]:
        return self.held

    def forward(self, request: str, queue: str, action: str, arguments: dict[str, Any], timeout: float) -> None:
        self.forwarded.append((queue, action))

    def send(self, request: str, answer: bytes) -> None:
        self.sent.append((request, answer))


class Service:
    def __init__(self, herding: Herding) -> None:
        self.answers = Answers()
        self.service = HerderService(herding.herder, self.answers, str(herding.me), "queue.of.{}".format)  # type: ignore[arg-type]

    def handle(self, action: str, arguments: dict[str, Any], seconds: float = 5.0, forwarded: bool = False) -> None:
        self.service.handle("r1", action, arguments, seconds, forwarded)

    def ask(self, action: str, **arguments: Any) -> Done:
        self.handle(action, arguments)
        assert [request for request, _ in self.answers.sent] == ["r1"], "one answer, to the request that was asked"
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
    service.answers.held = (Claim.WITHDRAWN, "withdrawn")
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
