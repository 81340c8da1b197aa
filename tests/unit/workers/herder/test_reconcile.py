"""What has to change so that what is hosted becomes what is wanted."""

from dataclasses import replace

import pytest

from workers.herder.reconcile import Step, Wanted, counts_for, steps, tasks_outdated, wanted_instances
from workers.herder.states import TargetState
from workers.herder.values import ConnectorEntry, InstanceId, TaskId

STARTED, PAUSED, STOPPED = TargetState.STARTED, TargetState.PAUSED, TargetState.STOPPED
T0, T1 = TaskId("a", 0), TaskId("a", 1)

ENTRY = ConnectorEntry(
    "a",
    config={"k": "v"},
    revision=5,
    tasks={0: {"t": "0"}, 1: {"t": "1"}, 2: {"t": "left over"}},
    task_count=2,
    tasks_revision=8,
    applied_config={"k": "v"},
)


@pytest.mark.parametrize(
    ("entry", "expected"),
    [
        (None, {}),
        (ENTRY, {"a": Wanted(5, STARTED), T0: Wanted(8, STARTED), T1: Wanted(8, STARTED)}),
        (replace(ENTRY, target_state=PAUSED), {"a": Wanted(5, PAUSED), T0: Wanted(8, PAUSED), T1: Wanted(8, PAUSED)}),
        (replace(ENTRY, target_state=STOPPED), {"a": Wanted(5, STOPPED)}),
        (replace(ENTRY, inconsistent=True), {"a": Wanted(5, STARTED)}),
        (replace(ENTRY, task_count=0), {"a": Wanted(5, STARTED)}),
        (ConnectorEntry("a", config={}, revision=0), {"a": Wanted(0, STARTED)}),
    ],
)
def test_wanted_instances(entry: ConnectorEntry | None, expected: dict[InstanceId, Wanted]) -> None:
    assert wanted_instances(entry) == expected


@pytest.mark.parametrize(
    ("wanted", "hosted", "expected"),
    [
        ({}, {}, {}),
        ({"a": Wanted(1, STARTED)}, {}, {"a": Step.START}),
        ({"a": Wanted(1, STARTED)}, {"a": Wanted(1, STARTED)}, {}),
        ({"a": Wanted(2, STARTED)}, {"a": Wanted(1, STARTED)}, {"a": Step.REPLACE}),
        # A log that was made anew counts from the beginning again.
        ({"a": Wanted(1, STARTED)}, {"a": Wanted(2, STARTED)}, {"a": Step.REPLACE}),
        ({"a": Wanted(1, PAUSED)}, {"a": Wanted(1, STARTED)}, {"a": Step.RETARGET}),
        ({"a": Wanted(2, PAUSED)}, {"a": Wanted(1, STARTED)}, {"a": Step.REPLACE}),
        ({}, {"a": Wanted(1, STARTED), T0: Wanted(1, STARTED)}, {"a": Step.REMOVE, T0: Step.REMOVE}),
        (
            {"a": Wanted(1, STOPPED)},
            {"a": Wanted(1, STARTED), T0: Wanted(3, STARTED)},
            {"a": Step.RETARGET, T0: Step.REMOVE},
        ),
        (
            {"a": Wanted(1, STARTED), T0: Wanted(9, STARTED)},
            {"a": Wanted(1, STARTED), T0: Wanted(3, STARTED), T1: Wanted(3, STARTED)},
            {T0: Step.REPLACE, T1: Step.REMOVE},
        ),
    ],
)
def test_steps(wanted: dict[InstanceId, Wanted], hosted: dict[InstanceId, Wanted], expected: dict[InstanceId, Step]) -> None:
    assert steps(wanted, hosted) == expected


def test_removals_come_first() -> None:
    assert list(steps({"a": Wanted(1, STARTED)}, {T0: Wanted(1, STARTED)}).values()) == [Step.REMOVE, Step.START]


@pytest.mark.parametrize(
    ("entry", "generated", "expected"),
    [
        (ENTRY, [{"t": "0"}, {"t": "1"}], False),
        (ENTRY, [{"t": "0"}, {"t": "other"}], True),
        (ENTRY, [{"t": "1"}, {"t": "0"}], True),
        (ENTRY, [{"t": "0"}], True),
        (ENTRY, [], True),
        (ENTRY, [{"t": "0"}, {"t": "1"}, {"t": "left over"}], True),
        # A change of converter alone must reach the tasks.
        (replace(ENTRY, config={"k": "new"}), [{"t": "0"}, {"t": "1"}], True),
        (replace(ENTRY, inconsistent=True), [{"t": "0"}, {"t": "1"}], True),
        (replace(ENTRY, applied_config=None), [{"t": "0"}, {"t": "1"}], True),
        (replace(ENTRY, task_count=0), [], False),
        # Never committed: even no tasks are a first commit.
        (ConnectorEntry("a", config={}), [], True),
    ],
)
def test_tasks_outdated(entry: ConnectorEntry, generated: list[dict[str, str]], expected: bool) -> None:
    assert tasks_outdated(entry, generated) is expected


@pytest.mark.parametrize(
    ("entry", "revision", "expected"),
    [
        (ENTRY, 5, True),
        (replace(ENTRY, target_state=PAUSED), 5, True),
        (replace(ENTRY, target_state=STOPPED), 5, False),
        (ENTRY, 4, False),
        (ENTRY, 6, False),
        (None, 5, False),
    ],
)
def test_which_generated_task_configs_count(entry: ConnectorEntry | None, revision: int, expected: bool) -> None:
    assert counts_for(entry, revision) is expected
