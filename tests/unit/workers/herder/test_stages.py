"""What a request that timed out is told of what the herder is at, in Kafka Connect's words."""

import pytest

from workers.herder.stages import Stage, Stages

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
