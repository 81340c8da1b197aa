"""When an idle task is looked at again."""

import pytest

from workers.runtime.pace import LOOKS, ends_age, next_look


@pytest.mark.parametrize(
    ("interval", "tasks", "pause"),
    [
        (0.2, 1, 0.2),
        (0.2, 200, 0.2),
        (0.2, 201, 0.4),
        (0.2, 1000, 1.0),
        (0.2, 1001, 1.2),
        (0.2, 10_000, 10.0),
        (0.01, 10, 0.01),
        (0.01, 1000, 1.0),
        (2.0, 1000, 2.0),
        (2.0, 2001, 4.0),
    ],
)
def test_a_pause_is_the_interval_or_as_many_of_it_as_many_tasks_need(interval: float, tasks: int, pause: float) -> None:
    """By no more than a twentieth longer: what is due at nearly the same time is due at once."""
    for now in (0.0, 12345.678):
        looked = next_look(now, interval, tasks) - now
        assert pause * 0.999 <= looked <= pause * 1.051


@pytest.mark.parametrize("tasks", [1, 150, 950, 1000, 5000])
def test_all_together_are_not_looked_at_more_often_than_agreed(tasks: int) -> None:
    assert tasks / next_look(0.0, 0.2, tasks) <= LOOKS * 1.001


def test_those_that_are_due_at_nearly_the_same_time_are_due_together() -> None:
    looks = {next_look(77.0 + number / 1000, 0.2, 1000) for number in range(1000)}
    assert len(looks) <= 21


@pytest.mark.parametrize(
    ("least", "partitions", "age"),
    [
        (0.15, 0, 0.15),
        (0.15, 1, 0.15),
        (0.15, 500, 0.15),
        (0.15, 1000, 0.4),
        (0.15, 10_200, 5.0),
        (1.0, 1000, 1.0),
        (-1.0, 1, -0.0995),
    ],
)
def test_the_ends_of_very_many_partitions_are_asked_for_less_often(least: float, partitions: int, age: float) -> None:
    assert ends_age(least, partitions) == pytest.approx(age)
