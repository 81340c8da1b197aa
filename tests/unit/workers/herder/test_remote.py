"""The herder as a web process sees it. What it answers over HTTP is tested in `tests/api`."""

from collections.abc import Callable, Iterator
from types import SimpleNamespace
from typing import Any

import pytest

from tests.fakes import FakePlugins, until
from workers.herder import remote as module
from workers.herder.actions import Done
from workers.herder.errors import HerderError, Unavailable
from workers.herder.remote import RemoteHerder
from workers.herder.requests import TimedOut
from workers.herder.states import State, TargetState
from workers.herder.values import RestartRequest, Status, TaskId
from workers.storage.assignment_store import AssignmentStore
from workers.storage.config_store import ConfigStore
from workers.storage.log import LogError, LogRecord, Positions
from workers.storage.memory_log import MemoryLog
from workers.storage.records import connector_record
from workers.storage.status_store import StatusStore

INFO = {"name": "a", "config": {"name": "a"}, "tasks": [], "type": "source"}


class LaggingLog(MemoryLog):
    """Notes what is waited for; cannot be read before its topic exists."""

    def __init__(self) -> None:
        super().__init__()
        self.waited: list[Positions] = []
        self.missing = 0

    def start(self, on_record: Callable[[LogRecord], None]) -> None:
        if self.missing:
            self.missing -= 1
            raise LogError("Topic connect-configs cannot be read: unknown topic")
        super().start(on_record)

    def wait_for(self, positions: Positions, timeout: float) -> bool:
        self.waited.append(positions)
        return True


class Leader:
    """Takes the place of `Requests`: gives the answer it is told to give."""

    def __init__(self) -> None:
        self.asked: list[tuple[str, dict[str, Any]]] = []
        self.result: Any = None

    def ask(self, action: str, arguments: dict[str, Any], timeout: float | None = None, *, worker_id: str | None = None) -> Done:
        self.asked.append((action, arguments))
        return Done(self.result, {0: 7}, {0: 3, 1: 4})


class Web:
    def __init__(self) -> None:
        self.configs, self.statuses, self.leader = LaggingLog(), LaggingLog(), Leader()
        self.clusters: Iterator[str] = iter(["one", "two"])
        self.config_store, self.status_store = ConfigStore(self.configs), StatusStore(self.statuses)
        self.herder = RemoteHerder(
            self.config_store,
            self.status_store,
            AssignmentStore(MemoryLog()),
            FakePlugins(),
            self.leader,  # type: ignore[arg-type]
            lambda: next(self.clusters),
        )

    def started(self) -> "Web":
        self.herder.start()
        until(self.herder._ready.is_set)
        return self


@pytest.fixture
def web() -> Web:
    return Web().started()


WRITES: list[tuple[Callable[[RemoteHerder], object], Any, str, dict[str, Any]]] = [
    (
        lambda herder: herder.create_connector("a", {"k": "v"}, TargetState.PAUSED),
        [True, INFO],
        "create_connector",
        {"name": "a", "config": {"k": "v"}, "initial_state": "PAUSED"},
    ),
    (
        lambda herder: herder.put_connector_config("a", {"k": "v"}),
        [False, INFO],
        "put_connector_config",
        {"name": "a", "config": {"k": "v"}},
    ),
    (
        lambda herder: herder.patch_connector_config("a", {"k": "v", "l": None}),
        [False, INFO],
        "patch_connector_config",
        {"name": "a", "patch": {"k": "v", "l": None}},
    ),
    (lambda herder: herder.delete_connector("a"), None, "delete_connector", {"name": "a"}),
    (
        lambda herder: herder.set_target_state("a", TargetState.STOPPED),
        None,
        "set_target_state",
        {"name": "a", "state": "STOPPED"},
    ),
    (
        lambda herder: herder.restart_connector(RestartRequest("a", only_failed=True)),
        None,
        "restart_connector",
        {"connector": "a", "only_failed": True, "include_tasks": False},
    ),
    (lambda herder: herder.restart_task(TaskId("a", 2)), None, "restart_task", {"connector": "a", "task": 2}),
]


@pytest.mark.parametrize(("write", "result", "action", "arguments"), WRITES)
def test_a_write_asks_the_leader_and_returns_once_it_shows_here(
    web: Web, write: Callable[[RemoteHerder], object], result: Any, action: str, arguments: dict[str, Any]
) -> None:
    web.leader.result = result
    write(web.herder)
    assert web.leader.asked == [(action, arguments)]
    assert (web.configs.waited, web.statuses.waited) == ([{0: 7}], [{0: 3, 1: 4}])


def test_before_the_topics_have_been_read_a_write_waits_for_nothing() -> None:
    web = Web()
    web.herder.delete_connector("a")
    assert (web.configs.waited, web.statuses.waited) == ([], [])
    with pytest.raises(Unavailable):
        web.herder.view()


def test_topics_that_are_not_there_yet_are_asked_for_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "time", SimpleNamespace(sleep=lambda seconds: None))
    web = Web()
    web.statuses.missing, web.configs.missing = 2, 3
    web.started()
    assert web.herder.view().infos == {}


def test_a_view_is_made_once_for_each_state_of_the_topics(web: Web) -> None:
    first = web.herder.view()
    assert web.herder.view() is first
    web.configs.write([connector_record("a", {"name": "a"})])
    second = web.herder.view()
    web.status_store.put("a", Status(State.RUNNING, "w"))
    third = web.herder.view()
    assert (list(first.infos), list(second.infos), list(second.statuses), list(third.statuses)) == ([], ["a"], [], ["a"])
    assert len({first.etag, second.etag, third.etag}) == 3


def test_waiting_ends_with_the_time_or_at_once_for_what_is_old(web: Web) -> None:
    etag = web.herder.view().etag
    web.herder.wait_for_change(etag, 0.001)
    assert web.herder.view().etag == etag
    web.herder.wait_for_change("old", 60)


def test_the_cluster_is_asked_for_its_id_once(web: Web) -> None:
    assert (web.herder.kafka_cluster_id(), web.herder.kafka_cluster_id()) == ("one", "one")


def test_a_process_that_has_lost_a_topic_is_unhealthy_and_shows_what_it_knew(web: Web, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its leader may have been started anew meanwhile, and be well."""

    monkeypatch.setattr(web.configs, "fault", "Topic connect-configs was deleted")
    health = web.herder.health()
    assert (health.status, health.message.endswith("Topic connect-configs was deleted")) == ("unhealthy", True)
    assert web.herder.view().infos == {}


def test_a_leader_that_cannot_be_asked_is_unhealthy(web: Web, monkeypatch: pytest.MonkeyPatch) -> None:
    def gone(*_: object) -> Done:
        raise HerderError("Request timed out")

    monkeypatch.setattr(web.leader, "ask", gone)
    health = web.herder.health()
    assert health.status == "unhealthy"
    assert health.message.endswith("may be unable to handle other requests. Request timed out")


# --- time-outs --------------------------------------------------------------------------------------------------------

BUSY = "The worker is currently writing a config for connector a to the config topic, which began at 2026-01-01T00:00:00.000Z."


@pytest.mark.parametrize(
    ("stage", "message"),
    [
        (Done(BUSY), f"Request timed out. {BUSY}"),
        (Done(""), "Request timed out"),
        (TimedOut("Request timed out"), "Request timed out"),
        (Unavailable("Redis is gone"), "Request timed out"),
    ],
)
def test_one_that_timed_out_is_told_what_the_leader_is_at(
    web: Web, monkeypatch: pytest.MonkeyPatch, stage: Done | HerderError, message: str
) -> None:
    def ask(action: str, *_: object) -> Done:
        answer = stage if action == "stage" else TimedOut("Request timed out")
        if isinstance(answer, HerderError):
            raise answer
        return answer

    monkeypatch.setattr(web.leader, "ask", ask)
    with pytest.raises(HerderError) as raised:
        web.herder.delete_connector("a")
    assert (raised.value.status, raised.value.message) == (500, message)
    health = web.herder.health()
    assert health.status == "unhealthy"
    assert health.message.endswith(BUSY) is (BUSY in message)


def test_one_that_timed_out_because_nobody_can_lead_is_told_why(web: Web, monkeypatch: pytest.MonkeyPatch) -> None:
    def ask(action: str, *_: object) -> Done:
        assert action != "stage", "nobody is there to be asked"
        raise TimedOut("Request timed out")

    monkeypatch.setattr(web.leader, "ask", ask)
    monkeypatch.setattr(web.configs, "fault", "Topic connect-configs was deleted")
    with pytest.raises(HerderError, match=r"^Request timed out\. Topic connect-configs was deleted$"):
        web.herder.delete_connector("a")
