"""What the benchmark makes of its measurements."""

import pytest

from bench.copying import FILE_TO_TOPIC, TOPIC_TO_FILE, Copying, Rates
from bench.figures import Spread, at_least, at_most, percentile
from bench.herding import CALLS, PAUSE, Herding, Times
from bench.idle import Idle
from bench.latency import Latency
from bench.many import ASKED, Load, Many
from bench.starting import Starting
from bench.usage import Usage


def test_a_spread_has_its_middle_and_its_ends() -> None:
    assert Spread.of([5.0, 1.0, 2.0]) == Spread(2.0, 1.0, 5.0)


@pytest.mark.parametrize(("percent", "expected"), [(50, 2), (75, 3), (76, 4), (99, 4), (100, 4), (0, 1)])
def test_a_percentile_is_one_of_the_values(percent: float, expected: float) -> None:
    assert percentile([4, 1, 3, 2], percent) == expected


@pytest.mark.parametrize(
    ("value", "reached_from_below", "reached_from_above"), [(1.9, True, False), (2, True, True), (2.1, False, True)]
)
def test_a_goal_is_reached_at_its_bound(value: float, reached_from_below: bool, reached_from_above: bool) -> None:
    assert at_most("", value, 2).reached is reached_from_below
    assert at_least("", value, 2).reached is reached_from_above


def test_the_first_round_is_the_cold_one() -> None:
    assert Rates.of([10.0, 30.0, 20.0, 40.0]) == Rates(10.0, Spread(30.0, 20.0, 40.0))


def test_a_ratio_compares_warm_medians() -> None:
    def rates(drover: float, connect: float) -> dict[str, Rates]:
        return {"Drover": Rates.of([1.0, drover]), "Connect": Rates.of([100.0, connect])}

    copying = Copying(1, 1, {FILE_TO_TOPIC: rates(300.0, 100.0), TOPIC_TO_FILE: rates(50.0, 100.0)})
    assert [(goal.value, goal.reached) for goal in copying.goals()] == [(3.0, True), (0.5, False)]


def test_the_poll_is_not_counted_against_a_line() -> None:
    (goal,) = Latency(200.0, {"Drover": [120.0, 450.0], "Connect": [900.0]}).goals()
    assert (goal.value, goal.reached) == (250.0, True)


def test_the_most_of_all_idle_situations_counts() -> None:
    def drover(memory: float, cores: float) -> dict[str, dict[str, Usage]]:
        return {"Drover": {"web": Usage(memory, cores), "spark": Usage(1000.0, 0.01)}, "Connect": {"connect": Usage(9000.0, 9.0)}}

    memory, cores = Idle({"new": drover(1000.0, 0.3), "later": drover(1600.0, 0.1)}).goals()
    assert (memory.value, memory.reached) == (2600.0, False)
    assert (round(cores.value, 3), cores.reached) == (0.31, False)


def test_starts_are_judged_by_the_median() -> None:
    (goal,) = Starting([40.0, 15.0, 16.0]).goals()
    assert (goal.value, goal.reached) == (16.0, True)


def test_herding_is_judged_by_ratios() -> None:
    def times(each: float, whole: float) -> Times:
        calls = {what: [each, each, 100 * each] for what in CALLS}
        return Times(calls, {**calls, PAUSE: [3 * each]}, whole, 2 * whole, [each, each], [100.0, whole, whole])

    goals = Herding(3, {"Drover": times(6.0, 1.0), "Connect": times(10.0, 10.0)}).goals()
    assert [round(goal.value, 3) for goal in goals] == [0.1, 0.6, 0.1, 0.1, *[0.6] * 8]
    assert [goal.reached for goal in goals] == [True, False, True, True, *[True] * 8]


def test_an_idle_task_is_what_it_adds_to_those_that_run_it() -> None:
    def load(took: float, **idle: Usage) -> Load:
        before = dict.fromkeys(idle, Usage(100.0, 0.125))
        answers = {path: {1: [took, took], 16: [took, 6 * took]} for path in ASKED}
        return Load(1000, 1.0, 2.0, 3.0, answers, before, {**before, **idle})

    drover = load(6.0, worker=Usage(130.0, 0.25), spark=Usage(90.0, 0.125), web=Usage(900.0, 2.0))
    assert drover.of_tasks("worker", "spark") == Usage(20.0, 0.125)
    *answers, memory, cores = Many({"source": {"Drover": drover, "Connect": load(10.0, connect=Usage(140.0, 0.2))}}).goals()
    assert [round(goal.value, 3) for goal in answers] == [0.6] * 8
    assert [goal.reached for goal in answers] == [True] * 4 + [False] * 4
    assert (memory.value, memory.bound, memory.reached) == (20.0, 40.0, True)
    assert (cores.value, round(cores.bound, 3), cores.reached) == (0.125, 0.075, False)
