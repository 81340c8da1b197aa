"""`POST /connectors` and `PUT /connectors/{c}/config`: what is refused, in which words, and what comes of the rest."""

from dataclasses import replace

from tests.conformance.answers.case import Answer, Case

SOURCE = "org.apache.kafka.connect.file.FileStreamSourceConnector"
SINK = "org.apache.kafka.connect.file.FileStreamSinkConnector"
CONFIG: dict[str, str | None] = {"connector.class": SOURCE, "tasks.max": "1", "file": "{file}", "topic": "{c}"}
NEW_TOPICS = {"topic.creation.default.replication.factor": "1", "topic.creation.default.partitions": "-1"}
GONE = ("/connectors/{c}",)
CONFIG_PATH = ("/connectors/{c}/config",)

#: What → the config that it makes of an ordinary one.
WRONG: dict[str, dict[str, str | None]] = {
    "a number that is none": {**CONFIG, "tasks.max": "x"},
    "several errors in their order": {**CONFIG, "tasks.max": "0", "errors.tolerance": "some", "errors.log.enable": "maybe"},
    "errors of the framework and of the connector": {**CONFIG, "topic": "", "batch.size": "x", "tasks.max": "0"},
    "without a required key": {key: value for key, value in CONFIG.items() if key != "topic"},
    "a null": {**CONFIG, "foo": None},
    "a null that is a number": {**CONFIG, "tasks.max": None},
    "a sink without topics": {"connector.class": SINK, "file": "{file}"},
    "a sink with topics in two ways": {"connector.class": SINK, "topics": "a", "topics.regex": "b"},
    "a sink with a topic twice": {"connector.class": SINK, "topics": "a,a"},
    "exactly once": {**CONFIG, "exactly.once.support": "required"},
    "transactions of the connector's": {**CONFIG, "transaction.boundary": "connector"},
    "a converter that is not there": {**CONFIG, "value.converter": "Nope"},
    "a transformation without a type": {**CONFIG, "transforms": "a"},
    "a blank topic": {**CONFIG, "topic": " "},
    "another name in the config": {**CONFIG, "name": "other"},
    "no name in the config": {**CONFIG, "name": ""},
}


def refused(what: str, config: dict[str, str | None]) -> list[Case]:
    return [
        Case(f"create, {what}", "POST", "/connectors", {"name": "{c}", "config": config}, then=GONE),
        Case(f"put, {what}", "PUT", "/connectors/{c}/config", config, then=GONE),
    ]


def without_class(what: str, config: dict[str, str | None]) -> list[Case]:
    """Kafka Connect does not keep the order of what it shows then."""
    return [replace(case, stem="Connector config {") for case in refused(what, config)]


def malformed(what: str, body: object, text: str) -> Case:
    row = "malformed JSON, `null` or missing body, wrong type"
    return Case(f"create from {what}", "POST", "/connectors", body, differs=row, drover=Answer(400, text))


CASES = [
    *(case for what, config in WRONG.items() for case in refused(what, config)),
    *without_class("without a class", {"tasks.max": "1"}),
    *without_class("a null as the class", {"connector.class": None}),
    *(
        Case(f"create, name {name!a}", "POST", "/connectors", {"name": name, "config": {**CONFIG, "topic": "t"}})
        for name in ("", " ", "\n", "a\u0001b", None)
    ),
    Case("create without a name", "POST", "/connectors", {"config": CONFIG}),
    Case("create with the name in the config alone", "POST", "/connectors", {"config": {**CONFIG, "name": "{c}"}}, then=GONE),
    Case("create, an empty config", "POST", "/connectors", {"name": "{c}", "config": {}}, then=GONE),
    Case("create, the name has blanks around", "POST", "/connectors", {"name": " {c} ", "config": CONFIG}, then=CONFIG_PATH),
    Case("create, the name in both places", "POST", "/connectors", {"name": "{c}", "config": {**CONFIG, "name": "{c}"}}),
    Case(
        "create from numbers and booleans",
        "POST",
        "/connectors",
        b'{"name":"{c}","config":{"connector.class":"FileStreamSource","file":1.0E+2,"topic":true,"batch.size":1,"batch.size":-0}}',
        then=CONFIG_PATH,
    ),
    Case(
        "create a sink", "POST", "/connectors", {"name": "{c}", "config": {"connector.class": "FileStreamSink", "topics": "{c}"}}
    ),
    Case("create one that is there", "POST", "/connectors", {"name": "{c}", "config": CONFIG}, given="source"),
    Case(
        "create one that is there, with errors",
        "POST",
        "/connectors",
        {"name": "{c}", "config": {**CONFIG, "tasks.max": "x"}},
        given="source",
    ),
    *(
        Case(f"create {state}", "POST", "/connectors", {"name": "{c}", "config": CONFIG, "initial_state": state})
        for state in ("RUNNING", "paused", "Stopped", None)
    ),
    *(
        Case(
            f"create in the state {state!a}",
            "POST",
            "/connectors",
            {"name": "{c}", "config": CONFIG, "initial_state": state},
            then=GONE,
            differs="wrong `initial_state`",
            drover=Answer(400, "Cannot construct instance of"),
        )
        for state in ("BOGUS", "")
    ),
    malformed("nothing", b"", ""),
    malformed("null", b"null", ""),
    malformed("a list", b"[]", "Cannot construct instance of"),
    malformed("an empty object", {}, "The request has no 'config'"),
    malformed("a config that is null", {"name": "{c}", "config": None}, "The request has no 'config'"),
    malformed("a config that is a list", {"name": "{c}", "config": []}, "Cannot deserialize value of type"),
    malformed("a config that is a text", {"name": "{c}", "config": "x"}, "Cannot deserialize value of type"),
    malformed(
        "a name that is a list", {"name": ["{c}"], "config": {}}, "Cannot deserialize value of type `java.lang.String` from Array"
    ),
    Case(
        "create, an unknown class",
        "POST",
        "/connectors",
        {"name": "{c}", "config": {"connector.class": "NoSuch"}},
        then=GONE,
        differs="a class that cannot be told, or is not here",
        drover=Answer(400, "Failed to find any class that implements Connector and which name matches NoSuch"),
    ),
    Case(
        "create, a null in the connector's own key",
        "POST",
        "/connectors",
        {"name": "{c}", "config": {**CONFIG, "topic": None}},
        differs="null as the value of a connector's own key",
        drover=Answer(400, "Connector configuration is invalid and contains the following 2 error(s):\nMissing required"),
    ),
    *(
        Case(
            f"create, topics as {more}",
            "POST",
            "/connectors",
            {"name": "{c}", "config": {**CONFIG, **more}},
            differs="`topic.creation.*` with which the connector could not start",
            drover=Answer(400, f"Connector configuration is invalid and contains the following {said}"),
        )
        for more, said in (
            (
                {"topic.creation.groups": ""},
                '2 error(s):\nMissing required configuration "topic.creation.default.replication.factor"',
            ),
            (
                {**NEW_TOPICS, "topic.creation.default.partitions": "0"},
                "1 error(s):\nInvalid value 0 for configuration partitions: ",
            ),
            (
                {**NEW_TOPICS, "topic.creation.groups": "a", "topic.creation.a.include": "["},
                "1 error(s):\nInvalid value [[] for configuration include: Syntax error in regular expression: ",
            ),
        )
    ),
    *(
        Case(
            f"create, {key}",
            "POST",
            "/connectors",
            {"name": "{c}", "config": config},
            differs="`converter.encoding` that nobody knows",
            drover=Answer(400, f"Connector configuration is invalid and contains the following 1 error(s):\n{text}"),
        )
        for key, config, text in (
            (
                "an encoding that nobody knows",
                {**CONFIG, "value.converter": "StringConverter", "value.converter.converter.encoding": "UTF-99"},
                "Invalid value UTF-99 for configuration converter.encoding: Unknown encoding UTF-99",
            ),
        )
    ),
    *(
        Case(f"create, {key}", "POST", "/connectors", {"name": "{c}", "config": {**CONFIG, **more}}, then=CONFIG_PATH)
        for key, more in {
            "errors are tolerated": {"errors.tolerance": "all", "errors.log.enable": "true"},
            "a transformation": {
                "transforms": "a",
                "transforms.a.type": "RegexRouter",
                "transforms.a.regex": "a",
                "transforms.a.replacement": "b",
            },
            "a predicate": {"predicates": "p", "predicates.p.type": "RecordIsTombstone"},
            "another encoding": {"value.converter": "StringConverter", "value.converter.converter.encoding": "ISO-8859-1"},
        }.items()
    ),
    # --- PUT ----------------------------------------------------------------------------------------------------------
    Case("put a new one", "PUT", "/connectors/{c}/config", CONFIG, then=CONFIG_PATH),
    Case("put a null as the name", "PUT", "/connectors/{c}/config", {**CONFIG, "name": None}, then=CONFIG_PATH),
    Case("put the same", "PUT", "/connectors/{c}/config", CONFIG, given="stopped", changes=True, then=CONFIG_PATH),
    Case(
        "put another class",
        "PUT",
        "/connectors/{c}/config",
        {"connector.class": SINK, "topics": "{c}"},
        given="stopped",
        changes=True,
    ),
    Case("put what is wrong", "PUT", "/connectors/{c}/config", {**CONFIG, "tasks.max": "x"}, given="source", then=GONE),
    *(
        Case(
            f"put {what}",
            "PUT",
            "/connectors/{c}/config",
            body,
            given="source",
            then=GONE,
            differs="malformed JSON, `null` or missing body, wrong type",
            drover=Answer(400, text),
        )
        for what, body, text in (
            ("null", b"null", ""),
            ("a list", b"[]", "Cannot deserialize value of type"),
            ("half an object", b"{", ""),
            ("a list as a value", {"a": []}, "Cannot deserialize value of type `java.lang.String` from Array value"),
        )
    ),
]
