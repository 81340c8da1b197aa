"""Kafka Connect's rules for reading the config topic (facts §10.3), record by record."""

import pytest

from workers.herder.states import TargetState
from workers.herder.values import ConnectorEntry, RestartRequest, TaskId
from workers.storage import records
from workers.storage.config_tables import Change, ConfigEvent, ConfigTables
from workers.storage.log import LogRecord
from workers.storage.records import KeyValue

STARTED, PAUSED, STOPPED = TargetState.STARTED, TargetState.PAUSED, TargetState.STOPPED


class Tables:
    """Tables fed with records at offsets 0, 1, 2 …; the events that they told of."""

    def __init__(self, *given: KeyValue) -> None:
        self.tables = ConfigTables()
        self.offset = 0
        self.events: list[ConfigEvent] = []
        self.read(*given)

    def read(self, *given: KeyValue) -> list[ConfigEvent]:
        told = []
        for key, value, headers in given:
            event = self.tables.apply(LogRecord(0, self.offset, key, value, dict(headers)))
            self.offset += 1
            told += [event] if event is not None else []
        self.events += told
        return told

    def __getitem__(self, name: str) -> ConnectorEntry:
        return self.tables.live()[name]


def connector(name: str = "a", **config: str) -> KeyValue:
    return records.connector_record(name, {"name": name, **config})


def tasks(*configs: str, name: str = "a", numbers: tuple[int, ...] | None = None) -> list[KeyValue]:
    chosen = range(len(configs)) if numbers is None else numbers
    return [records.task_record(TaskId(name, n), {"t": config}) for n, config in zip(chosen, configs, strict=True)]


def commit(count: int, name: str = "a") -> KeyValue:
    return records.commit_record(name, count)


def target(state: TargetState | None, name: str = "a") -> KeyValue:
    return records.target_state_record(name, state)


DELETED = records.connector_record("a", None)


def raw(key: str, value: bytes | None) -> KeyValue:
    return KeyValue(key.encode(), value)


# --- connectors -------------------------------------------------------------------------------------------------------


def test_a_connector_record_creates_and_its_offset_is_the_revision() -> None:
    seen = Tables(raw("other", b"{}"), connector(x="1"))
    assert seen["a"] == ConnectorEntry("a", {"name": "a", "x": "1"}, revision=1)
    assert seen.events == [ConfigEvent("a", Change.CONFIG)]


def test_an_identical_config_is_a_new_revision() -> None:
    seen = Tables(connector(), connector())
    assert seen["a"].revision == 1
    assert seen.events == [ConfigEvent("a", Change.CONFIG)] * 2


def test_a_tombstone_removes_the_connector_and_all_that_belongs_to_it() -> None:
    seen = Tables(connector(), *tasks("0"), commit(1), target(PAUSED), *tasks("1"))
    assert seen.read(DELETED) == [ConfigEvent("a", Change.REMOVED)]
    assert seen.tables.live() == {}
    seen.read(connector(x="2"))
    assert seen["a"] == ConnectorEntry("a", {"name": "a", "x": "2"}, revision=6)
    seen.read(commit(1))
    assert seen["a"].inconsistent, "task configs from before the deletion do not count"


def test_a_tombstone_for_nobody_says_nothing() -> None:
    assert Tables(DELETED).events == []


@pytest.mark.parametrize(
    "record",
    [
        raw("connector-a", b"not json"),
        raw("connector-a", b"[]"),
        raw("connector-a", b"{}"),
        raw("connector-a", b'{"properties":[]}'),
        raw("target-state-a", b"oops"),
        raw("target-state-a", b'{"state":"BOGUS"}'),
        raw("target-state-a", b'{"state":"PAUSED","state.v2":"BOGUS"}'),
        raw("task-a-0", None),
        raw("task-a-x", b'{"properties":{}}'),
        raw("task-a", b'{"properties":{}}'),
        raw("task-a-0", b'{"properties":1}'),
        raw("commit-a", b'{"tasks":"1"}'),
        raw("commit-a", b'{"tasks":true}'),
        raw("commit-a", b'{"tasks":-1}'),
        raw("commit-a", b'{"tasks":1.5}'),
        raw("commit-a", b"{}"),
        raw("commit-a", b"?"),
        raw("commit-a", None),
        raw("restart-connector-a", None),
        raw("restart-connector-a", b"[]"),
        raw("session-key", b'{"key":"x"}'),
        raw("tasks-fencing-a", b'{"task-count":1}'),
        raw("logger-cluster-root", b'{"level":"DEBUG"}'),
        raw("", b"{}"),
        KeyValue(b"\xff\xfe", b"{}"),
    ],
    ids=lambda record: f"{record.key!r} {record.value!r}",
)
def test_what_cannot_be_read_changes_nothing(record: KeyValue, caplog: pytest.LogCaptureFixture) -> None:
    seen = Tables(connector(), *tasks("0"), commit(1))
    before = seen["a"]
    assert seen.read(record) == []
    assert seen["a"] == before
    silent = record.key.startswith((b"session", b"tasks-fencing", b"logger")) or record == raw("restart-connector-a", None)
    assert ("ignored" in caplog.text) is not silent


# --- tasks ------------------------------------------------------------------------------------------------------------


def test_task_configs_wait_for_their_commit() -> None:
    seen = Tables(connector(x="1"), *tasks("0", "1"))
    assert (seen["a"].task_configs(), seen["a"].task_ids()) == ([], [])
    assert seen.read(commit(2)) == [ConfigEvent("a", Change.TASKS)]
    assert seen["a"].task_configs() == [{"t": "0"}, {"t": "1"}]
    assert seen["a"].task_ids() == [TaskId("a", 0), TaskId("a", 1)]
    assert (seen["a"].tasks_revision, seen["a"].applied_config) == (3, {"name": "a", "x": "1"})


def test_the_names_of_connectors_with_dashes_are_not_mixed_up() -> None:
    seen = Tables(connector("a"), connector("a-1"), *tasks("x", name="a-1"), commit(1, "a-1"), *tasks("y"), commit(1))
    assert (seen["a"].task_configs(), seen["a-1"].task_configs()) == ([{"t": "y"}], [{"t": "x"}])


def test_an_incomplete_commit_is_inconsistent_until_a_full_one() -> None:
    seen = Tables(connector(), *tasks("0"), commit(1))
    # Compaction has eaten task 0 of the second set.
    assert seen.read(*tasks("new", numbers=(1,)), commit(2)) == [ConfigEvent("a", Change.TASKS)]
    entry = seen["a"]
    assert (entry.inconsistent, entry.task_count, entry.task_configs(), entry.task_ids()) == (True, 2, [], [])
    assert entry.tasks == {0: {"t": "0"}}, "nothing of the incomplete set is applied"
    assert entry.tasks_revision == 4
    # What came with the incomplete commit is forgotten: task 1 has to come again.
    seen.read(*tasks("0b"), commit(2))
    assert seen["a"].inconsistent
    seen.read(*tasks("0c", "1c"), commit(2))
    assert (seen["a"].inconsistent, seen["a"].task_configs()) == (False, [{"t": "0c"}, {"t": "1c"}])


def test_an_incomplete_commit_leaves_the_applied_config() -> None:
    seen = Tables(connector(x="1"), *tasks("0"), commit(1), connector(x="2"), commit(3))
    assert seen["a"].applied_config == {"name": "a", "x": "1"}


def test_a_commit_to_nothing_is_complete() -> None:
    seen = Tables(connector(), *tasks("0"), commit(1), commit(0))
    assert (seen["a"].inconsistent, seen["a"].task_ids()) == (False, [])


def test_a_smaller_commit_shrinks_the_count_and_keeps_the_old_ids() -> None:
    seen = Tables(connector(), *tasks("0", "1", "2"), commit(3), *tasks("0b"), commit(1))
    assert seen["a"].task_configs() == [{"t": "0b"}]
    assert seen["a"].tasks == {0: {"t": "0b"}, 1: {"t": "1"}, 2: {"t": "2"}}


def test_a_commit_without_its_connector_drops_all_that_is_known() -> None:
    """The connector's record was deleted and compacted away; its tasks must not reach a new one of the same name."""
    seen = Tables(target(PAUSED), *tasks("old"), commit(1))
    assert (seen.events, seen.tables.connectors) == ([], {})
    seen.read(connector())
    assert (seen["a"].task_ids(), seen["a"].target_state) == ([], STARTED)
    seen.read(commit(1))
    assert seen["a"].inconsistent


def test_an_unreadable_commit_does_not_open_the_way_for_what_waited() -> None:
    seen = Tables(connector(), *tasks("0"), raw("commit-a", b'{"tasks":"1"}'), commit(1))
    assert seen["a"].task_configs() == []


# --- target states ----------------------------------------------------------------------------------------------------


def test_a_target_state_may_come_before_its_connector() -> None:
    seen = Tables(target(STOPPED))
    assert (seen.events, seen.tables.live()) == ([], {})
    assert seen.read(connector()) == [ConfigEvent("a", Change.CONFIG)]
    assert seen["a"].target_state is STOPPED


def test_only_a_change_of_target_state_is_told() -> None:
    seen = Tables(connector())
    assert seen.read(target(STARTED), target(PAUSED), target(PAUSED), target(STOPPED)) == [
        ConfigEvent("a", Change.TARGET_STATE),
        ConfigEvent("a", Change.TARGET_STATE),
    ]


def test_a_target_state_tombstone_goes_back_to_started_silently() -> None:
    seen = Tables(connector(), target(PAUSED))
    assert seen.read(target(None)) == []
    assert seen["a"].target_state is STARTED


def test_the_target_state_survives_a_new_config() -> None:
    seen = Tables(connector(), target(PAUSED), connector(x="2"))
    assert (seen["a"].target_state, seen["a"].config) == (PAUSED, {"name": "a", "x": "2"})


# --- restarts ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("value", "request_"),
    [
        (b'{"include-tasks":true,"only-failed":true}', RestartRequest("a", only_failed=True, include_tasks=True)),
        (b'{"include-tasks":false,"only-failed":true}', RestartRequest("a", only_failed=True)),
        (b'{"include-tasks":true}', RestartRequest("a", include_tasks=True)),
        (b'{"include-tasks":"true","only-failed":1}', RestartRequest("a")),
        (b"{}", RestartRequest("a")),
    ],
)
def test_a_restart_request_is_told_and_what_is_not_a_boolean_is_false(value: bytes, request_: RestartRequest) -> None:
    seen = Tables(connector())
    assert seen.read(raw("restart-connector-a", value)) == [ConfigEvent("a", restart=request_)]


def test_a_restart_of_an_unknown_connector_is_ignored() -> None:
    assert Tables(records.restart_record(RestartRequest("a"))).events == []


def test_a_restart_changes_no_entry() -> None:
    seen = Tables(connector(), *tasks("0"), commit(1))
    before = seen["a"]
    seen.read(records.restart_record(RestartRequest("a", include_tasks=True)))
    assert seen["a"] == before
