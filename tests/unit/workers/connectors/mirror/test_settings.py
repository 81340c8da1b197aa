"""What of a config goes to which client, and to which topic."""

import pytest

from workers.connectors.mirror.client_settings import client_settings, offset_reset
from workers.connectors.mirror.cluster import offsets_in
from workers.connectors.mirror.settings import offset_syncs_topic
from workers.connectors.mirror.source_task import _topic_expression, as_text, assigned
from workers.herder.values import Partition

CONFIG = {
    "name": "m",
    "source.cluster.alias": "A",
    "source.cluster.bootstrap.servers": "a:1",
    "source.cluster.ssl.truststore.location": "/a",
    "source.cluster.max.poll.records": "7",
    "target.cluster.alias": "B",
    "target.cluster.bootstrap.servers": "b:1",
    "consumer.max.poll.records": "8",
    "consumer.group.id": "g",
    "source.consumer.isolation.level": "read_committed",
    "producer.override.bootstrap.servers": "c:1",
    "target.producer.acks": "all",
    "admin.retries": "3",
}
SOURCE = {"bootstrap.servers": "a:1", "ssl.truststore.location": "/a"}


@pytest.mark.parametrize(
    ("side", "role", "settings"),
    [
        ("source", "consumer", {**SOURCE, "max.poll.records": "8", "isolation.level": "read_committed"}),
        ("source", "producer", SOURCE),
        ("source", "admin", {**SOURCE, "retries": "3"}),
        ("target", "producer", {"bootstrap.servers": "b:1", "acks": "all"}),
        ("target", "consumer", {"bootstrap.servers": "b:1", "max.poll.records": "8"}),
    ],
)
def test_settings_come_by_cluster_by_role_and_by_both(side: str, role: str, settings: dict[str, str]) -> None:
    assert client_settings(CONFIG, side, role) == settings  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("config", "reset"),
    [
        ({}, "earliest"),
        ({"consumer.auto.offset.reset": "latest"}, "latest"),
        ({"consumer.auto.offset.reset": "latest", "source.consumer.auto.offset.reset": "none"}, "none"),
    ],
)
def test_where_a_mirror_begins(config: dict[str, str], reset: str) -> None:
    assert offset_reset(config) == reset


@pytest.mark.parametrize(
    ("location", "topic"), [("source", "mm2-offset-syncs.B.internal"), ("target", "mm2-offset-syncs.A.internal")]
)
def test_the_offset_syncs_topic_bears_the_name_of_the_other_cluster(location: str, topic: str) -> None:
    assert offset_syncs_topic({**CONFIG, "offset-syncs.topic.location": location}) == topic


def test_a_tasks_partitions_are_a_text() -> None:
    partitions = [Partition("a-b", 0), Partition("a", 12)]
    assert (as_text(partitions), assigned(as_text(partitions)), assigned("")) == ("a-b-0,a-12", partitions, [])


@pytest.mark.parametrize(
    ("names", "expression"),
    [
        ({"t": "t", "u": "u"}, "topic"),
        ({"t": "A.t", "u": "A.u"}, "concat('A.', topic)"),
        ({"t": "it's\\.t"}, r"concat('it\'s\\.', topic)"),
        ({"t": "t", "heartbeats": "A.heartbeats"}, "CASE topic WHEN 't' THEN 't' WHEN 'heartbeats' THEN 'A.heartbeats' END"),
    ],
)
def test_topics_are_renamed_by_one_expression(names: dict[str, str], expression: str) -> None:
    assert _topic_expression(names) == expression


@pytest.mark.parametrize(
    ("text", "offsets"),
    [
        ("{}", {}),
        ("{a-0=12}", {("a", 0): 12}),
        ("{a-0=12, b-c.d_e-12=9223372036854775807, -1-0=0}", {("a", 0): 12, ("b-c.d_e", 12): 2**63 - 1, ("-1", 0): 0}),
    ],
)
def test_offsets_are_read_as_java_prints_them(text: str, offsets: dict[tuple[str, int], int]) -> None:
    assert offsets_in(text) == offsets
