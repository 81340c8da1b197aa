"""What the leader refuses, and in which words."""

import time
from collections.abc import Callable

import pytest

from tests.fakes import Herding
from workers.herder.actions import Actions, Done
from workers.herder.errors import BadRequest, HerderError
from workers.herder.states import TargetState
from workers.herder.values import RestartRequest, TaskId
from workers.storage.log import LogError, TopicLost

CONFIG = {"name": "a", "connector.class": "fake.Source"}


def soon() -> float:
    return time.monotonic() + 5


@pytest.fixture
def hosting(herding: Herding) -> Herding:
    """Connector `a` with one task."""
    herding.call(lambda: herding.herder.actions.create_connector("a", CONFIG, None))
    herding.settle()
    return herding


@pytest.mark.parametrize(
    ("ask", "status", "message"),
    [
        (lambda actions: actions.create_connector("a", CONFIG, None), 409, "Connector a already exists"),
        (lambda actions: actions.delete_connector("no"), 404, "Connector no not found"),
        (lambda actions: actions.set_target_state("no", TargetState.PAUSED), 404, "Unknown connector no"),
        (lambda actions: actions.set_target_state("no", TargetState.STOPPED), 404, "Unknown connector no"),
        (lambda actions: actions.restart_connector(RestartRequest("no")), 404, "Unknown connector: no"),
        (lambda actions: actions.restart_connector(RestartRequest("no", True, True)), 404, "Unknown connector: no"),
        (lambda actions: actions.restart_task(TaskId("no", 0)), 404, "Unknown connector: no"),
        (lambda actions: actions.restart_task(TaskId("a", 9)), 404, "Unknown task: a-9"),
    ],
)
def test_refusals_are_in_kafka_connects_words_and_change_nothing(
    hosting: Herding, ask: Callable[[Actions], Done], status: int, message: str
) -> None:
    before = len(hosting.config_topic.records), len(hosting.status_topic.records)
    with pytest.raises(HerderError) as raised:
        hosting.call(lambda: ask(hosting.herder.actions))
    hosting.settle()
    assert (raised.value.status, raised.value.message) == (status, message)
    assert (len(hosting.config_topic.records), len(hosting.status_topic.records)) == before


def test_a_name_with_braces_is_said_as_it_is(hosting: Herding) -> None:
    with pytest.raises(HerderError, match=r"^Connector \{0\} not found$"):
        hosting.call(lambda: hosting.herder.actions.delete_connector("{0}"))


def test_a_task_of_a_stopped_connector_has_no_owner(hosting: Herding) -> None:
    hosting.call(lambda: hosting.herder.actions.set_target_state("a", TargetState.STOPPED))
    hosting.settle()
    with pytest.raises(HerderError) as raised:
        hosting.call(lambda: hosting.herder.actions.restart_task(TaskId("a", 0)))
    assert raised.value.status == 409
    assert raised.value.message == (
        "Cannot complete request momentarily due to no known leader URL, likely because a rebalance was underway."
    )


def test_a_connector_without_a_status_yet(hosting: Herding) -> None:
    hosting.plugins.on["create", "b"] = lambda: None
    hosting.configs.put_connector("b", {**CONFIG, "name": "b"})
    hosting.settle()
    hosting.statuses.put("b", None)
    with pytest.raises(HerderError) as raised:
        hosting.call(lambda: hosting.herder.actions.restart_connector(RestartRequest("b", include_tasks=True)))
    assert (raised.value.status, raised.value.message) == (404, "Status for connector b not found")
    assert "restart-connector-b" in hosting.config_keys(), "the request is on record already, as in Kafka Connect"


def boom() -> None:
    raise RuntimeError("boom")


@pytest.mark.parametrize(
    ("ask", "message"),
    [
        (lambda actions: actions.restart_connector(RestartRequest("a")), "Failed to start connector: a"),
        (lambda actions: actions.restart_task(TaskId("a", 0)), "Failed to start task: a-0"),
    ],
)
def test_a_restart_that_is_waited_for_tells_of_its_failure(
    hosting: Herding, ask: Callable[[Actions], Done], message: str
) -> None:
    hosting.plugins.on["start", "a"] = boom
    hosting.runner.on["start", TaskId("a", 0)] = boom
    with pytest.raises(HerderError) as raised:
        hosting.call(lambda: ask(hosting.herder.actions))
    assert (raised.value.status, raised.value.message) == (500, message)
    assert isinstance(raised.value.__cause__, RuntimeError)


def test_a_restart_whose_status_could_not_be_written_is_answered_all_the_same(
    hosting: Herding, monkeypatch: pytest.MonkeyPatch
) -> None:
    def lost() -> None:
        raise LogError("Kafka is gone")

    monkeypatch.setattr(hosting.statuses.log, "flush", lost)
    with pytest.raises(LogError, match="Kafka is gone"):
        hosting.call(lambda: hosting.herder.actions.restart_connector(RestartRequest("a")))
    monkeypatch.undo()


def test_a_topic_that_is_gone_is_named(hosting: Herding) -> None:
    hosting.writer.errors.append(TopicLost("Topic connect-configs was deleted"))
    with pytest.raises(HerderError) as raised:
        hosting.call(lambda: hosting.herder.actions.delete_connector("a"))
    assert (raised.value.status, raised.value.message) == (
        500,
        "Error removing connector configuration from Kafka. Topic connect-configs was deleted",
    )


@pytest.mark.parametrize("store", ["configs", "statuses", "assignments"])
def test_a_worker_is_not_well_without_its_topics(herding: Herding, monkeypatch: pytest.MonkeyPatch, store: str) -> None:
    assert herding.call(herding.herder.actions.health) == Done()

    monkeypatch.setattr(getattr(herding, store).log, "fault", "It was deleted.")
    with pytest.raises(HerderError, match=r"^It was deleted\.$"):
        herding.call(herding.herder.actions.health)


# --- validation -------------------------------------------------------------------------------------------------------


def test_all_errors_are_told_at_once(herding: Herding) -> None:
    with pytest.raises(BadRequest) as raised:
        herding.herder.actions.validate(
            {**CONFIG, "invalid": 'Missing required configuration "topic" which has no default value.'}, soon()
        )
    assert raised.value.message == (
        "Connector configuration is invalid and contains the following 1 error(s):\n"
        'Missing required configuration "topic" which has no default value.\n'
        "You can also find the above list of errors at the endpoint `/connector-plugins/{connectorType}/config/validate`"
    )


def test_a_null_in_a_config_is_refused(herding: Herding) -> None:
    with pytest.raises(BadRequest, match=r"\nNull value can not be supplied as the configuration value\.\n"):
        herding.herder.actions.validate({**CONFIG, "x": None}, soon())


def test_what_is_valid_passes(herding: Herding) -> None:
    herding.herder.actions.validate(CONFIG, soon())


# --- how far a reader has to read -------------------------------------------------------------------------------------


def test_an_answer_tells_how_far_to_read(hosting: Herding) -> None:
    done = hosting.call(lambda: hosting.herder.actions.put_connector_config("a", CONFIG))
    assert done.configs[0] <= len(hosting.config_topic.records)
    assert hosting.config_topic.records[done.configs[0] - 1].key == b"connector-a"
    restarted = hosting.call(lambda: hosting.herder.actions.restart_connector(RestartRequest("a", include_tasks=True)))
    assert restarted.statuses[0] <= len(hosting.status_topic.records)
    said = [record.value or b"" for record in hosting.status_topic.records[: restarted.statuses[0]]]
    assert b"RESTARTING" in said[-1]
