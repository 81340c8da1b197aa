"""Figures: read, made rates of, thinned, laid out, and told why they are not there."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from dashboard.sampling.charts import Source, charts, number
from dashboard.sampling.exposition import Counter, Told, read
from dashboard.sampling.rates import Flow, Standing, flows
from dashboard.sampling.series import laid_out, thinned

NOW = datetime(2026, 11, 21, 12, 30, tzinfo=UTC)
HOUR = NOW.replace(minute=0)

TEXT = r"""# HELP drover_sink_task_record_lag Records that the task is behind
# TYPE drover_sink_task_record_lag gauge
drover_sink_task_record_lag{connector="orders",task="0",worker="w1:8083"} 12
drover_sink_task_record_lag{connector="orders",task="1",worker="w2:8083"} 30
drover_sink_task_record_lag{connector="a \"b\" {c}",task="0",worker="w2:8083"} 1
drover_sink_task_record_lag{connector="new",task="0",worker="w2:8083"} NaN
kafka_connect_sink_task_metrics_sink_record_read_total{connector="orders",task="0",worker="w1:8083"} 1000
kafka_connect_sink_task_metrics_sink_record_send_total{connector="orders",task="0",worker="w1:8083"} 990
kafka_connect_source_task_metrics_source_record_poll_total{connector="lake",task="0",worker="w1:8083"} 5e3
kafka_connect_sink_task_metrics_sink_record_lag_max{connector="orders",task="0",worker="w1:8083"} 7
drover_worker_up{worker="w1:8083"} 1
"""


def counter(connector: str = "orders", task: str = "0", worker: str = "w1:8083", *, outward: bool = False) -> Counter:
    return Counter(connector, task, worker, outward)


def test_reading() -> None:
    told = read(TEXT)
    assert told.lags == {"orders": 42, 'a "b" {c}': 1}
    assert told.counters == {counter(): 1000, counter(outward=True): 990, counter("lake"): 5000}
    assert read("") == Told()


def test_a_source_that_cannot_tell_how_many_records_it_reads_has_no_rate() -> None:
    """Zero records in seven batches are not none."""
    poll = 'kafka_connect_source_task_metrics_source_record_poll_total{connector="table",task="0",worker="w1:8083"} '
    batches = 'drover_task_batches_total{connector="table",task="0",worker="w1:8083"} '
    assert read(f"{poll}0\n{batches}7").counters == {}
    assert read(f"{poll}0\n{batches}0").counters == {counter("table"): 0}
    assert read(f"{poll}5\n{batches}7").counters == {counter("table"): 5}


def test_of_a_task_that_has_moved_two_workers_may_tell() -> None:
    lines = [f'drover_sink_task_record_lag{{connector="orders",task="0",worker="w{worker}"}} {worker}' for worker in (1, 2)]
    assert read("\n".join(lines)).lags == {"orders": 2}


@pytest.mark.parametrize(
    ("stood", "stands", "rate"),
    [
        ({counter(): 100}, {counter(): 700}, 10),
        ({counter(): 100}, {counter(): 100}, 0),
        # The worker has started anew.
        ({counter(): 1000}, {counter(): 60}, 1),
        # A task that moves begins at 0 elsewhere; where it was nobody tells of it any more.
        ({counter(): 1000}, {counter(worker="w2:8083"): 120}, 2),
        ({counter(): 0, counter(task="1"): 0}, {counter(): 60, counter(task="1"): 120}, 3),
    ],
)
def test_rates(stood: dict[Counter, float], stands: dict[Counter, float], rate: float) -> None:
    before = Standing({one: (value, 0.0) for one, value in stood.items()}, 0.0)
    found, _ = flows(before, stands, 60.0)
    assert found == {"orders": Flow(rate, 0)}


def test_in_and_out_are_two() -> None:
    before = Standing({counter(): (0, 0.0), counter(outward=True): (0, 0.0)}, 0.0)
    assert flows(before, {counter(): 60, counter(outward=True): 30}, 60.0)[0] == {"orders": Flow(1, 0.5)}


def test_there_is_no_rate_at_first_nor_for_who_is_silent() -> None:
    found, standing = flows(None, {counter(): 6000}, 0.0)
    assert found == {}
    # The worker is not heard for two minutes; what it did meanwhile is spread over them.
    found, standing = flows(standing, {}, 60.0)
    assert found == {}
    found, standing = flows(standing, {counter(): 6120}, 120.0)
    assert found == {"orders": Flow(1, 0)}
    # After more than an hour it is as good as new.
    _, standing = flows(standing, {}, 8000.0)
    assert standing.counters == {}


def test_thinning() -> None:
    points = [[minute * 60, float(minute), None, minute] for minute in (0, 1, 9, 10, 25)]
    assert thinned(points, 600) == [[0, 3.333, None, 9], [600, 10.0, None, 10], [1200, 25.0, None, 25]]
    assert thinned([], 600) == []


def test_layout() -> None:
    earlier = (HOUR - timedelta(hours=1), [[0, 1, 1, 1], [1800, 2, 2, 2]])
    hours: list[Any] = [earlier, (HOUR, [[60, 3, 3, 3], [120, 4, 4, None], [1860, 5, 5, 5]])]
    laid = laid_out(hours, NOW - timedelta(hours=1), NOW, 60)
    base = HOUR.timestamp() * 1000
    assert laid == [
        [base - 1_800_000, 2, 2, 2],
        # Nothing was sampled for half an hour: no line is drawn over it. And what is after the end is not of the window.
        [base - 1_740_000, None, None, None],
        [base + 60_000, 3, 3, 3],
        [base + 120_000, 4, 4, None],
    ]


POINTS = [[0, 5.0, 4.0, 100], [60_000, 2.5, 2.0, 1204]]
SOON = "Figures come once a minute; the first of them are still to come."
APACHE = Source("eu", True, False, "", False, "")


@pytest.mark.parametrize(
    ("type", "points", "source", "expected"),
    [
        (
            "sink",
            POINTS,
            APACHE,
            [("Lag", "1,204, at most 1,204 records", ""), ("Throughput", "in 2.5, at most 5; out 2, at most 4 records/s", "")],
        ),
        ("source", POINTS, APACHE, [("Throughput", "in 2.5, at most 5; out 2, at most 4 records/s", "")]),
        (
            "sink",
            [],
            APACHE,
            [
                ("Lag", "", "No lag: cluster eu has no bootstrap servers given."),
                ("Throughput", "", "No throughput: Kafka Connect tells it by JMX only, a Drover at its REST API."),
            ],
        ),
        ("source", [], Source("eu", False, None, "", False, ""), [("Throughput", "", SOON)]),
        (
            "sink",
            [],
            Source("eu", True, False, "", True, "Broker: Group authorization failed"),
            [
                ("Lag", "", "No lag: the Kafka of cluster eu does not tell it. Broker: Group authorization failed"),
                ("Throughput", "", "No throughput: Kafka Connect tells it by JMX only, a Drover at its REST API."),
            ],
        ),
        (
            "sink",
            [[0, None, None, 3]],
            Source("eu", True, None, "It hangs.", True, ""),
            [
                ("Lag", "3, at most 3 records", ""),
                ("Throughput", "", "No throughput: the metrics of cluster eu cannot be read. It hangs."),
            ],
        ),
    ],
)
def test_charts(type: str, points: list[Any], source: Source, expected: list[tuple[str, str, str]]) -> None:
    assert [(chart.title, chart.caption, chart.missing) for chart in charts(type, points, source)] == expected


@pytest.mark.parametrize(
    ("value", "words"), [(0, "0"), (0.0123, "0.0123"), (12.345, "12.3"), (1234567, "1,234,567"), (99.95, "100"), (5.0, "5")]
)
def test_number(value: float, words: str) -> None:
    assert number(value) == words
