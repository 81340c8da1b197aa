"""The mirrors' definitions, what is said of their configs, and what is refused of their offsets."""

from tests.conformance.answers.case import Answer, Case

PACKAGE = "org.apache.kafka.connect.mirror"
BYTES = "org.apache.kafka.connect.converters.ByteArrayConverter"
TEXTS = frozenset({"documentation"})
NAMES = ("MirrorSource", "MirrorCheckpoint", "MirrorHeartbeat")
ORDINARY = {
    "name": "n",
    "source.cluster.alias": "a",
    "source.cluster.bootstrap.servers": "127.0.0.1:1",
    "target.cluster.alias": "b",
    "target.cluster.bootstrap.servers": "127.0.0.1:1",
}


def definition(name: str) -> Case:
    return Case(f"plugin config of {name}", "GET", f"/connector-plugins/{name}/config", ignore=TEXTS)


def validation(name: str, key: str, value: str, **more: str) -> Case:
    config = {**ORDINARY, "connector.class": f"{PACKAGE}.{name}Connector", key: value, **more}
    path = f"/connector-plugins/{name}/config/validate"
    told = " ".join(f"{one}={text!a}" for one, text in {key: value, **more}.items())
    return Case(f"validate {name}, {told}", "PUT", path, config, ignore=TEXTS)


SHARED = {
    "name": ["n", ""],
    "enabled": ["false", "perhaps"],
    "target.cluster.alias": [""],
    "admin.timeout.ms": ["x"],
    "replication.policy.class": [f"{PACKAGE}.IdentityReplicationPolicy", "org.example.Nope"],
    "replication.policy.internal.topic.separator.enabled": ["x"],
    "security.protocol": ["ssl", "TLS"],
    "sasl.login.refresh.window.factor": ["x"],
    "sasl.login.refresh.window.jitter": ["0.3", "0.1"],
    "sasl.login.refresh.min.period.seconds": ["901", "-1"],
    "sasl.login.refresh.buffer.seconds": ["3601", "5"],
    "sasl.kerberos.ticket.renew.jitter": ["7"],
    "sasl.oauthbearer.assertion.algorithm": ["none"],
    "sasl.oauthbearer.clock.skew.seconds": ["-1"],
    "sasl.oauthbearer.expected.audience": ["a,a", ""],
    "ssl.cipher.suites": ["a,a", "a,,b"],
    "ssl.enabled.protocols": ["a,a", ""],
    "foo": ["bar"],
    "tasks.max": ["0"],
    "errors.tolerance": ["some"],
    "key.converter": [BYTES, "JsonConverter", "Nope", " String "],
    "key.converter.plugin.version": ["9"],
    "connector.plugin.version": ["latest", "[0,)"],
    "transforms": ["a", "a,a"],
}
SOURCE = {
    "topics": ["a,b", "a,a", ""],
    "topics.exclude": ["a,,b"],
    "offset.lag.max": ["x", "0"],
    "offset-syncs.topic.location": ["target", "there"],
    "offset-syncs.topic.replication.factor": ["99999"],
    "emit.offset-syncs.enabled": ["false"],
    "sync.topic.configs.enabled": ["x"],
    "metric.names.formats": ["new", "other"],
}
CHECKPOINT = {
    "groups": ["a.*,b", "b,b"],
    "emit.checkpoints.enabled": ["false"],
    "sync.group.offsets.interval.seconds": ["x"],
    "offset-syncs.topic.location": ["there"],
}
HEARTBEAT = {"emit.heartbeats.interval.seconds": ["x", "5"], "heartbeats.topic.replication.factor": ["x"]}

CASES = [
    *map(definition, (*NAMES, f"{PACKAGE}.MirrorSourceConnector")),
    *(validation(name, key, value) for name in NAMES for key, values in SHARED.items() for value in values),
    *(
        validation(name, key, value)
        for name, keys in zip(NAMES, (SOURCE, CHECKPOINT, HEARTBEAT), strict=True)
        for key, values in keys.items()
        for value in values
    ),
    *(
        validation(name, "value.converter", "Json", **more)
        for name in NAMES
        for more in ({"value.converter.plugin.version": "latest"}, {"value.converter.schemas.enable": "maybe"})
    ),
    *(validation(name, "transforms", "a", **{"transforms.a.type": "RegexRouter", "predicates": "p"}) for name in NAMES),
    Case(
        "create a mirror, of a converter's version that is not here",
        "POST",
        "/connectors",
        {
            "name": "{c}",
            "config": {
                **{**ORDINARY, "name": "{c}", "enabled": "false"},
                "connector.class": f"{PACKAGE}.MirrorHeartbeatConnector",
                "value.converter": BYTES,
                "value.converter.plugin.version": "9",
            },
        },
        differs="a version of a converter that is not here",
        drover=Answer(
            400,
            "Connector configuration is invalid and contains the following 2 error(s):\n"
            f"Plugin {BYTES} not found that matches the version range [9,9], available versions: [",
        ),
    ),
]
