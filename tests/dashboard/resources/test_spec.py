"""What a document asks for, as the connectors that Kafka Connect gets."""

from typing import Any

import pytest

from dashboard.resources.spec import AutoRestart, Reading, read

SOURCE = "org.apache.kafka.connect.file.FileStreamSourceConnector"
PLAIN = {"class": SOURCE, "tasksMax": 2, "config": {"file": "/tmp/in", "topic": "lines"}}
CLUSTERS = [
    {"alias": "a", "bootstrapServers": "a:9092"},
    {"alias": "b", "bootstrapServers": "b:9092", "config": {"security.protocol": "SSL", "acks": "all"}},
]
MIRROR: dict[str, Any] = {"sourceCluster": "a", "targetCluster": "b", "sourceConnector": {}}
BYTES = "org.apache.kafka.connect.converters.ByteArrayConverter"


def connector(**spec: Any) -> Reading:
    return read("kafkaconnector", "orders", {**PLAIN, **spec})


def mirrors(*mirrors: dict[str, Any], **spec: Any) -> Reading:
    return read("kafkamirrormaker2", "mm2", {"clusters": CLUSTERS, "mirrors": list(mirrors), **spec})


def test_a_connector() -> None:
    found = connector()
    assert (found.errors, found.remarks) == ({}, [])
    (wanted,) = found.connectors
    config = {"file": "/tmp/in", "topic": "lines", "name": "orders", "connector.class": SOURCE, "tasks.max": "2"}
    assert (wanted.name, wanted.state, wanted.tasks_max, wanted.config) == ("orders", "running", 2, config)


@pytest.mark.parametrize(
    ("value", "text"), [(5, "5"), (True, "true"), (False, "false"), (1.5, "1.5"), ("", ""), ("a", "a"), (10**12, str(10**12))]
)
def test_scalars_are_texts_to_kafka_connect(value: Any, text: str) -> None:
    assert connector(config={"key": value}).connectors[0].config["key"] == text


@pytest.mark.parametrize("key", ["name", "connector.class", "tasks.max", "connector.plugin.version", "NAME", "Tasks.Max"])
def test_what_the_fields_say_is_left_out_of_the_config(key: str) -> None:
    found = connector(config={key: "other", "topic": "t"}, version="1.2")
    assert found.errors == {}
    assert [(one.reason, key in one.message) for one in found.remarks] == [("ForbiddenConfigKeys", True)]
    expected = {"topic": "t", "name": "orders", "connector.class": SOURCE, "tasks.max": "2", "connector.plugin.version": "1.2"}
    assert found.connectors[0].config == expected


@pytest.mark.parametrize(
    ("spec", "state"),
    [
        ({}, "running"),
        ({"state": "stopped"}, "stopped"),
        ({"state": "paused"}, "paused"),
        ({"pause": True}, "paused"),
        ({"pause": True, "state": "running"}, "running"),
        ({"state": None}, "running"),
    ],
)
def test_the_state(spec: dict[str, Any], state: str) -> None:
    assert connector(**spec).connectors[0].state == state


@pytest.mark.parametrize(
    ("spec", "path", "told"),
    [
        ({"class": None}, "spec.class", "This is needed."),
        ({"tasksMax": 0}, "spec.tasksMax", "This has to be a whole number, 1 at least."),
        ({"tasksMax": "dog"}, "spec.tasksMax", "This has to be a whole number, 1 at least."),
        ({"tasksMax": True}, "spec.tasksMax", "This has to be a whole number, 1 at least."),
        ({"state": "RUNNING"}, "spec.state", "This has to be one of running, paused, stopped."),
        ({"config": []}, "spec.config", "This has to be an object."),
        ({"config": {"a": None}}, "spec.config.a", "A null value is not allowed for this key"),
        ({"config": {"a": [1]}}, "spec.config.a", "Unsupported type list"),
        ({"config": {"a": {}}}, "spec.config.a", "Unsupported type object"),
        ({"autoRestart": {"maxRestarts": -1}}, "spec.autoRestart.maxRestarts", "This has to be a whole number, 0 at least."),
        ({"autoRestart": {"enabled": "no"}}, "spec.autoRestart.enabled", "This has to be true or false."),
        ({"listOffsets": {}}, "spec.listOffsets.toConfigMap.name", "This is needed."),
        ({"alterOffsets": {"fromConfigMap": 3}}, "spec.alterOffsets.fromConfigMap", "This has to be an object."),
    ],
)
def test_what_cannot_be(spec: dict[str, Any], path: str, told: str) -> None:
    assert connector(**spec).errors[path] == [told]


@pytest.mark.parametrize("spec", [None, [], "x"])
def test_a_spec_that_is_none(spec: Any) -> None:
    assert read("kafkaconnector", "orders", spec).errors == {"spec": ["This has to be an object."]}


def test_the_other_fields() -> None:
    found = connector(
        listOffsets={"toConfigMap": {"name": "to"}},
        alterOffsets={"fromConfigMap": {"name": "from"}},
        autoRestart={"maxRestarts": 7},
        replicas=3,
    )
    (wanted,) = found.connectors
    assert (wanted.list_to, wanted.alter_from, wanted.offsets_key) == ("to", "from", "offsets.json")
    assert wanted.auto_restart == AutoRestart(True, 7)
    assert [one.message for one in found.remarks] == ["Contains object at path spec with unknown property: replicas"]


def test_a_mirror_is_up_to_three_connectors() -> None:
    found = mirrors({**MIRROR, "checkpointConnector": {"tasksMax": 3}, "heartbeatConnector": {"state": "paused"}})
    assert (found.errors, found.remarks) == ({}, [])
    names = ["a->b.MirrorSourceConnector", "a->b.MirrorCheckpointConnector", "a->b.MirrorHeartbeatConnector"]
    assert [one.name for one in found.connectors] == names
    source, checkpoint, heartbeat = found.connectors
    assert source.config == {
        "name": names[0],
        "connector.class": "org.apache.kafka.connect.mirror.MirrorSourceConnector",
        **{f"{part}.converter": BYTES for part in ("key", "value", "header")},
        "source.cluster.alias": "a",
        "source.cluster.bootstrap.servers": "a:9092",
        "source.cluster.security.protocol": "PLAINTEXT",
        "target.cluster.alias": "b",
        "target.cluster.bootstrap.servers": "b:9092",
        "target.cluster.security.protocol": "SSL",
        "target.cluster.acks": "all",
    }
    assert (checkpoint.tasks_max, heartbeat.state) == (3, "paused")
    assert source.offsets_key == "a--b.MirrorSourceConnector.json"


def test_patterns_count_more_than_the_connectors_config_and_that_more_than_the_clusters() -> None:
    own = {"config": {"topics": "x", "groups": "own", "source.cluster.bootstrap.servers": "other:9092", "key.converter": "k"}}
    mirror = {**MIRROR, "sourceConnector": own, "topicsPattern": "orders.*", "topicsExcludePattern": "tmp.*"}
    config = mirrors(mirror).connectors[0].config
    assert (config["topics"], config["topics.exclude"], config["groups"]) == ("orders.*", "tmp.*", "own")
    assert (config["source.cluster.bootstrap.servers"], config["key.converter"]) == ("other:9092", "k")


def test_a_mirror_maker_of_v1() -> None:
    target = {"alias": "b", "bootstrapServers": "b:9092", "groupId": "g", "configStorageTopic": "c"}
    mirror = {"source": {"alias": "a", "bootstrapServers": "a:9092"}, "sourceConnector": {}}
    found = read("kafkamirrormaker2", "mm2", {"target": target, "mirrors": [mirror]})
    assert (found.errors, found.remarks) == ({}, [])
    assert [one.name for one in found.connectors] == ["a->b.MirrorSourceConnector"]


def test_the_proposals_own_spelling() -> None:
    own = {**MIRROR, "sourceConnector": {"autoRestart": {"maxRestarts": 1}}, "checkpointConnector": {}}
    found = mirrors(own, autoRestartConnectorsAndTasks={"enabled": False})
    assert [one.auto_restart for one in found.connectors] == [AutoRestart(True, 1), AutoRestart(False)]


@pytest.mark.parametrize(
    ("mirror", "path"),
    [
        ({"sourceCluster": "a", "sourceConnector": {}}, "spec.mirrors[0].targetCluster"),
        ({**MIRROR, "sourceCluster": "z"}, "spec.mirrors[0].sourceCluster"),
        ({**MIRROR, "sourceConnector": {"tasksMax": -1}}, "spec.mirrors[0].sourceConnector.tasksMax"),
        ({**MIRROR, "source": {"alias": "a", "bootstrapServers": "a:1", "tls": {}}}, "spec.mirrors[0].source.tls"),
        ("a", "spec.mirrors[0]"),
    ],
)
def test_a_mirror_that_cannot_be(mirror: Any, path: str) -> None:
    assert path in mirrors(mirror).errors


def test_one_connector_twice() -> None:
    assert mirrors(MIRROR, MIRROR).errors == {"spec.mirrors": ["There are several connectors a->b.MirrorSourceConnector."]}


def test_no_mirrors() -> None:
    assert mirrors().errors == {"spec.mirrors": ["This has to be a list with at least one mirror."]}
