"""Access rules of topics follow their copies, in a broker that keeps such rules."""

from collections.abc import Iterator
from typing import cast

import pytest
from confluent_kafka.admin import (
    AclBinding,
    AclBindingFilter,
    AclOperation,
    AclPermissionType,
    AdminClient,
    ResourcePatternType,
    ResourceType,
)

from connect_client import ConnectClient
from tests.running import RunningDrover, guarded_broker
from tests.topics import create_topic, produce, values
from tests.waiting import eventually

Rule = tuple[str, str, str, str]
ALLOW, DENY = AclPermissionType.ALLOW, AclPermissionType.DENY


@pytest.fixture(scope="module")
def guarded(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with guarded_broker(tmp_path_factory.mktemp("guarded")) as servers:
        yield servers


def mirror(source: str, target: str, topic: str) -> dict[str, str]:
    return {
        "name": f"mirror-{topic}",
        "connector.class": "MirrorSource",
        "source.cluster.alias": "east",
        "source.cluster.bootstrap.servers": source,
        "target.cluster.alias": "west",
        "target.cluster.bootstrap.servers": target,
        "producer.override.bootstrap.servers": target,
        "topics": topic,
        "replication.factor": "1",
        "offset-syncs.topic.replication.factor": "1",
        "sync.topic.acls.interval.seconds": "1",
    }


def rule(
    topic: str,
    principal: str,
    operation: AclOperation,
    permission: AclPermissionType = ALLOW,
    pattern: ResourcePatternType = ResourcePatternType.LITERAL,
    kind: ResourceType = ResourceType.TOPIC,
) -> AclBinding:
    return AclBinding(kind, topic, pattern, f"User:{principal}", "10.0.0.1", operation, permission)


def make(admin: AdminClient, *rules: AclBinding) -> None:
    for future in admin.create_acls(list(rules)).values():
        future.result(10)


def rules_of(admin: AdminClient, topic: str) -> set[Rule]:
    """Those of exactly this topic."""
    anybody = cast(str, None)
    wanted = AclBindingFilter(
        ResourceType.TOPIC, topic, ResourcePatternType.LITERAL, anybody, anybody, AclOperation.ANY, AclPermissionType.ANY
    )
    found = admin.describe_acls(wanted).result(10)
    return {(one.principal, one.host, one.operation.name, one.permission_type.name) for one in found}


def test_rules_follow_their_topics(client: ConnectClient, guarded: str, unique: str) -> None:
    """One cluster is both: the copies have names of their own."""
    topic, admin = f"orders-{unique}", AdminClient({"bootstrap.servers": guarded})
    create_topic(guarded, topic, 1)
    produce(guarded, topic, (None, "x"))
    make(
        admin,
        rule(topic, "alice", AclOperation.READ),
        rule(topic, "alice", AclOperation.WRITE),
        rule(topic, "bob", AclOperation.ALL),
        rule(topic, "eve", AclOperation.WRITE, DENY),
        rule(topic, "mallory", AclOperation.ALL, DENY),
        rule(topic[:-1], "prefix", AclOperation.READ, pattern=ResourcePatternType.PREFIXED),
        rule(f"other-{unique}", "alice", AclOperation.READ),
        rule(topic, "group", AclOperation.READ, kind=ResourceType.GROUP),
    )
    config = mirror(guarded, guarded, topic)
    client.create(config["name"], config)
    expected = {
        ("User:alice", "10.0.0.1", "READ", "ALLOW"),
        ("User:bob", "10.0.0.1", "READ", "ALLOW"),
        ("User:eve", "10.0.0.1", "WRITE", "DENY"),
        ("User:mallory", "10.0.0.1", "ALL", "DENY"),
    }
    eventually(lambda: rules_of(admin, f"east.{topic}") == expected, "The copy's rules")
    assert rules_of(admin, f"east.other-{unique}") == set()
    make(admin, rule(topic, "carol", AclOperation.DESCRIBE))
    more = {*expected, ("User:carol", "10.0.0.1", "DESCRIBE", "ALLOW")}
    eventually(lambda: rules_of(admin, f"east.{topic}") == more, "One more rule")
    eventually(lambda: values(guarded, f"east.{topic}") == [b"x"], "The copy")


@pytest.mark.parametrize("side", ["source", "target"])
def test_a_cluster_without_rules_is_told_of_and_records_are_copied(
    client: ConnectClient, drover: RunningDrover, guarded: str, unique: str, side: str
) -> None:
    topic = f"orders-{unique}"
    source, target = (drover.bootstrap_servers, guarded) if side == "source" else (guarded, drover.bootstrap_servers)
    create_topic(source, topic, 1)
    produce(source, topic, (None, "x"))
    make(AdminClient({"bootstrap.servers": guarded}), rule(topic, "alice", AclOperation.READ))
    said = f"No ACL authorizer is configured on the {side} Kafka cluster"
    before = drover.log("worker").count(said)
    config = mirror(source, target, topic)
    client.create(config["name"], config)
    eventually(lambda: values(target, f"east.{topic}") == [b"x"], "The copy")
    # In the first round.
    assert drover.log("worker").count(said) == before + 1
    assert client.status(config["name"]).connector.state == "RUNNING"
