"""The list of all connectors: only what has changed is made anew, and nothing that has changed is shown as it was."""

from collections.abc import Callable

import pytest

from tests.fakes import FakePlugins
from workers.herder.interface import View
from workers.herder.states import State, TargetState
from workers.herder.values import Status, TaskId
from workers.herder.view_builder import ViewBuilder
from workers.storage.config_store import ConfigStore
from workers.storage.memory_log import MemoryLog, MemoryTopic, MemoryWriter
from workers.storage.status_store import StatusStore

CONFIG = {"connector.class": "fake.Source"}


class Stores:
    """Connectors a and b, each RUNNING with one task."""

    def __init__(self) -> None:
        writer = MemoryWriter()
        writer.claim()
        self.configs = ConfigStore(MemoryLog(MemoryTopic()), writer)
        self.statuses = StatusStore(MemoryLog(MemoryTopic()))
        self.configs.start()
        self.statuses.start()
        self._builder = ViewBuilder(FakePlugins())
        for name in "ab":
            self.configs.put_connector(name, {**CONFIG, "name": name})
            self.configs.put_tasks(name, [{"n": "0"}])
            self.say(name, State.RUNNING)
            self.statuses.put(TaskId(name, 0), Status(State.RUNNING, "w"))

    def say(self, name: str, state: State) -> None:
        self.statuses.put(name, Status(state, "w"))

    def view(self) -> View:
        return self._builder.view("etag", self.configs.snapshot(), self.statuses.snapshot())


def afresh(stores: Stores) -> View:
    return ViewBuilder(FakePlugins()).view("etag", stores.configs.snapshot(), stores.statuses.snapshot())


@pytest.mark.parametrize(
    ("change", "info", "status"),
    [
        (lambda stores: None, False, False),
        (lambda stores: stores.say("a", State.FAILED), False, True),
        (lambda stores: stores.statuses.put(TaskId("a", 0), Status(State.FAILED, "w", trace="why")), False, True),
        (lambda stores: stores.statuses.put(TaskId("a", 0), None), False, True),
        (lambda stores: stores.configs.put_connector("a", {**CONFIG, "name": "a", "color": "red"}), True, True),
        (lambda stores: stores.configs.put_tasks("a", [{"n": "0"}, {"n": "1"}]), True, True),
        (lambda stores: stores.configs.put_target_state("a", TargetState.PAUSED), True, True),
    ],
    ids=["nothing", "state", "task's state", "task's status deleted", "config", "tasks", "target state"],
)
def test_what_has_changed_is_made_anew_and_nothing_else(change: Callable[[Stores], None], info: bool, status: bool) -> None:
    stores = Stores()
    before = stores.view()
    change(stores)
    after = stores.view()
    assert after == afresh(stores)
    assert (after.infos["a"] is not before.infos["a"], after.statuses["a"] is not before.statuses["a"]) == (info, status)
    assert after.infos["b"] is before.infos["b"]
    assert after.statuses["b"] is before.statuses["b"]


def test_what_is_gone_is_gone_also_when_it_comes_back() -> None:
    stores = Stores()
    stores.view()
    stores.configs.remove_connector("a")
    stores.statuses.put("a", None)
    assert list(stores.view().infos) == ["b"]
    stores.configs.put_connector("a", {**CONFIG, "name": "a"})
    assert stores.view() == afresh(stores)
    assert "a" not in stores.view().statuses
