"""What of Drover's metrics (docs/metrics.md, Prometheus' text format) is kept of each connector. Megabytes, read in one go."""

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from math import isnan

_IN = ("kafka_connect_source_task_metrics_source_record_poll_total", "kafka_connect_sink_task_metrics_sink_record_read_total")
_OUT = ("kafka_connect_source_task_metrics_source_record_write_total", "kafka_connect_sink_task_metrics_sink_record_send_total")
_LAG, _BATCHES = "drover_sink_task_record_lag", "drover_task_batches_total"
_LINE = re.compile(rf'^({"|".join((*_IN, *_OUT, _LAG, _BATCHES))})\{{((?:[^"}}]|"(?:[^"\\]|\\.)*")*)\}} (\S+)', re.M)
_LABEL = re.compile(r'(\w+)="((?:[^"\\]|\\.)*)"')
_ESCAPE = re.compile(r"\\(.)")
_ESCAPED = {"n": "\n"}


@dataclass(frozen=True, slots=True)
class Counter:
    """One counter of one task on one worker; `outward`: of records that leave the connector, else that come in."""

    connector: str
    task: str
    worker: str
    outward: bool


@dataclass(frozen=True, slots=True)
class Told:
    """Of a scrape: where each counter stands, and the lag of each connector that tells one."""

    counters: Mapping[Counter, float] = field(default_factory=dict)
    lags: Mapping[str, int] = field(default_factory=dict)


def read(text: str) -> Told:
    counters: dict[Counter, float] = {}
    behind: dict[tuple[str, str], int] = {}
    batches: dict[tuple[str, str, str], float] = {}
    for name, labels, value in _lines(text):
        connector, task, worker = labels["connector"], labels["task"], labels.get("worker", "")
        if name == _LAG:
            # Of a task that has just moved two workers may tell.
            behind[connector, task] = max(int(value), behind.get((connector, task), 0))
        elif name == _BATCHES:
            batches[connector, task, worker] = value
        else:
            counters[Counter(connector, task, worker, name in _OUT)] = value
    lags: defaultdict[str, int] = defaultdict(int)
    for (connector, _), lag in behind.items():
        lags[connector] += lag
    return Told(_that_count(counters, batches), lags)


def _that_count(counters: Mapping[Counter, float], batches: Mapping[tuple[str, str, str], float]) -> dict[Counter, float]:
    """Without those of tasks that write batches and cannot tell how many records are in them: their 0 says nothing."""
    told = {(one.connector, one.task, one.worker) for one, value in counters.items() if value}
    silent = {task for task, count in batches.items() if count and task not in told}
    return {one: value for one, value in counters.items() if (one.connector, one.task, one.worker) not in silent}


def _lines(text: str) -> Iterator[tuple[str, dict[str, str], float]]:
    for match in _LINE.finditer(text):
        labels = {key: _ESCAPE.sub(lambda one: _ESCAPED.get(one[1], one[1]), value) for key, value in _LABEL.findall(match[2])}
        value = float(match[3])
        # NaN is not a number that anything could be made of.
        if not isnan(value) and {"connector", "task"} <= labels.keys():
            yield match[1], labels, value
