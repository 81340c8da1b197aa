"""What the job of a task works with, whatever kind of job it is."""

from collections.abc import Mapping
from dataclasses import dataclass

from workers.herder.ports import RecordTopics, TaskSpec
from workers.metrics.task_recorder import TaskRecorder
from workers.runtime.life import Life
from workers.runtime.new_topics import NewTopics
from workers.runtime.reports import Reports
from workers.storage.kafka import Kafka


@dataclass(frozen=True, slots=True)
class Surroundings:
    """`properties`: those of its own Kafka clients (KIP-458). `new_topics`: of a source whose config says how topics are made."""

    spec: TaskSpec
    life: Life
    kafka: Kafka
    properties: Mapping[str, str]
    record_topics: RecordTopics
    recorder: TaskRecorder
    reports: Reports
    new_topics: NewTopics | None = None
