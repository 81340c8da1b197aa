"""What a request that timed out is told of what the herder is at, in Kafka Connect's words."""

import pytest

from tests.fakes import Herding, until
from workers.herder import distributed
from workers.herder.stages import Stage, Stages
from workers.herder.states import TargetState
from workers.herder.values import RestartRequest

BEGAN = 1_700_000_000.25


@pytest.mark.parametrize(
    ("stage", "text"),
    [
        (
            Stage("reading to the end of the config topic", BEGAN),
            "The worker is currently reading to the end of the config topic, which began at 2023-11-14T22:13:20.250Z.",
        ),
        (
            Stage("writing a config for connector a to the config topic", BEGAN, BEGAN + 1.5),
            "The last operation the worker completed was writing a config for connector a to the config topic, "
            "which began at 2023-11-14T22:13:20.250Z and completed at 2023-11-14T22:13:21.750Z.",
        ),
        (Stage("x", 0.0), "The worker is currently x, which began at 1970-01-01T00:00:00.000Z."),
    ],
)
def test_the_texts(stage: Stage, text: str) -> None:
    assert str(stage) == text


def test_a_stage_goes_on_until_it_is_over() -> None:
    stages = Stages()
    assert stages.current is None
    with stages.during("writing"):
        current = stages.current
    assert current is not None
    assert (current.description, current.completed) == ("writing", None)
    last = stages.current
    assert last is not None
    assert (last.description, last.began) == ("writing", current.began)
    assert last.completed is not None
    assert last.completed >= last.began


def test_one_that_fails_is_over_too() -> None:
    stages = Stages()
    with pytest.raises(OSError, match="no"), stages.during("writing"):
        raise OSError("no")
    assert stages.current is not None
    assert stages.current.completed is not None


def test_one_within_another_is_told_until_it_is_over() -> None:
    stages = Stages()
    told = []
    with stages.during("joining"):
        with stages.during("reading"):
            told.append(stages.current)
        told.append(stages.current)
    told.append(stages.current)
    assert [(stage.description, stage.completed is None) for stage in told if stage] == [
        ("reading", True),
        ("joining", True),
        ("joining", False),
    ]


def test_what_goes_on_behind_others_is_told_between_them() -> None:
    stages = Stages()
    stages.begin("joining")
    with stages.during("writing"):
        pass
    current = stages.current
    assert current is not None
    assert current.description == "joining"
    stages.end("joining")
    stages.end("joining")
    last = stages.current
    assert last is not None
    assert last.completed is not None


# --- what a worker tells ----------------------------------------------------------------------------------------------


class Told(Stages):
    """All stages that there were, in order."""

    def __init__(self) -> None:
        super().__init__()
        self.all: list[str] = []

    def begin(self, description: str) -> None:
        self.all.append(description)
        super().begin(description)


def test_a_worker_that_starts_leads_and_serves_says_what_it_is_at(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(distributed, "Stages", Told)
    with Herding().started() as herding:
        herding.settle()
        told = herding.herder.stages
        assert isinstance(told, Told)
        assert told.all[:3] == [
            "awaiting startup",
            "initializing and reading to the end of internal topics",
            "ensuring membership in the cluster",
        ]
        assert told.all[3:5] == ["reclaiming write privileges for the config topic", "reading to the end of the config topic"]
        told.all.clear()
        actions = herding.herder.actions
        config = {"name": "a", "connector.class": "fake.Source"}
        herding.call(lambda: actions.create_connector("a", config, None))
        herding.settle()
        herding.call(lambda: actions.restart_connector(RestartRequest("a", include_tasks=True)))
        herding.settle()
        herding.call(lambda: actions.set_target_state("a", TargetState.STOPPED))
        herding.settle()
        herding.call(lambda: actions.delete_connector("a"))
        herding.settle()
        wanted = [
            "writing a config for connector a to the config topic",
            "writing 1 task configs for connector a to the config topic",
            "writing restart request for connector a to the config topic",
            "handling restart request for connector a",
            "writing the STOPPED target stage for connector a to the config topic",
            "removing the config for connector a from the config topic",
        ]
        assignment = "writing the assignment of 2 connectors and tasks to the membership topic"
        assert assignment in told.all
        assert [stage for stage in told.all if "assignment" not in stage] == wanted
        last = told.current
        assert last is not None
        assert last.completed is not None


def test_one_that_is_cut_off_is_ensuring_its_membership() -> None:
    with Herding().started() as herding:
        herding.settle()
        herding.membership.cut_off()
        until(lambda: "currently ensuring membership in the cluster" in str(herding.herder.stages.current))
        herding.membership.come_back()
        until(lambda: "currently" not in str(herding.herder.stages.current))
