"""`PUT /connector-plugins/{p}/config/validate`: the whole answer, but for the sentences of the documentation."""

from dataclasses import replace

from tests.conformance.answers.case import Answer, Case

SOURCE = "org.apache.kafka.connect.file.FileStreamSourceConnector"
SINK = "org.apache.kafka.connect.file.FileStreamSinkConnector"
STRING = "org.apache.kafka.connect.storage.StringConverter"
JSON = "org.apache.kafka.connect.json.JsonConverter"
LONG = "org.apache.kafka.connect.converters.LongConverter"
SIMPLE = "org.apache.kafka.connect.storage.SimpleHeaderConverter"
TEXTS = frozenset({"documentation"})
#: Also what a regular expression's own reader says.
REASONS = frozenset({"documentation", "errors"})

ORDINARY_SOURCE = {"connector.class": SOURCE, "name": "n", "file": "/tmp/x", "topic": "t"}
ORDINARY_SINK = {"connector.class": SINK, "name": "n", "file": "/tmp/x", "topics": "t"}


def of(what: str, body: object, plugin: str) -> Case:
    path = f"/connector-plugins/{plugin}/config/validate"
    return Case(f"validate {what}", "PUT", path, body, ordered=True, ignore=TEXTS)


def told(key: str, value: str | None, more: dict[str, str | None]) -> str:
    return " ".join(f"{name}={text!a}" for name, text in {key: value, **more}.items())


def source(key: str, value: str | None, **more: str | None) -> Case:
    return of(f"a source, {told(key, value, more)}", {**ORDINARY_SOURCE, key: value, **more}, "FileStreamSource")


def sink(key: str, value: str | None, **more: str | None) -> Case:
    return of(f"a sink, {told(key, value, more)}", {**ORDINARY_SINK, key: value, **more}, "FileStreamSink")


def pattern(text: str) -> Case:
    return replace(sink("topics.regex", text, topics=""), ignore=REASONS)


def by(plugin: str, given: str) -> Case:
    return of(f"{given!a} as {plugin}", {**ORDINARY_SOURCE, "connector.class": given}, plugin)


SOURCES: dict[str, list[str | None]] = {
    "name": ["", " ", "a\nb", "a\u0085\u007f", "ä", "a/b", None],
    "tasks.max": ["x", "0", "-1", "2", "", "1.5", "2147483648", " 3 ", "+4", "03", "1_000", "٣", None],
    "tasks.max.enforce": ["maybe", "TRUE", "", " false "],
    "connector.plugin.version": ["latest", "[0,)"],
    "key.converter": [STRING, "StringConverter", "Nope", "", JSON, "Json", "LongConverter", "Float", "Number"],
    "value.converter": ["Nope", "String", "ByteArray", "org.apache.kafka.connect.converters.BooleanConverter", f" {JSON} "],
    "header.converter": [SIMPLE, "SimpleHeaderConverter", STRING, "Nope", "JsonConverter", "ByteArrayConverter"],
    "key.converter.plugin.version": ["latest", "9"],
    "transforms": ["", " ", "a", "a,b", "a,a", ",", "a,", "a, a"],
    "predicates": ["", "p", "p,p"],
    "config.action.reload": ["x", "RESTART", "none", ""],
    "errors.retry.timeout": ["x", "-1", "5"],
    "errors.retry.delay.max.ms": ["x", "0"],
    "errors.tolerance": ["some", "none", "all", "ALL", ""],
    "errors.log.enable": ["maybe", "true"],
    "errors.log.include.messages": ["x", "true"],
    "exactly.once.support": ["x", "required", "REQUESTED", "", None],
    "transaction.boundary": ["x", "INTERVAL", "connector", ""],
    "transaction.boundary.interval.ms": ["x", "0", "5", ""],
    "offsets.storage.topic": ["", " ", "x"],
    "topic": ["", " "],
    "batch.size": ["x", "0", "-1", " 7 ", "9999999999"],
    "foo": [None, "bar"],
    "consumer.override.max.poll.records": ["x"],
    "producer.override.nosuch": ["x"],
}
SINKS: dict[str, list[str | None]] = {
    "topics": ["", " ", "a,b", "a,a", ",", "a,,b", "a,"],
    "topics.regex": ["a.*", ""],
    "errors.deadletterqueue.topic.name": ["", "d", " d "],
    "errors.deadletterqueue.topic.replication.factor": ["x", "0", "99999"],
    "errors.deadletterqueue.context.headers.enable": ["x", "true"],
    "file": [""],
    "producer.override.acks": ["x"],
    "exactly.once.support": ["x"],
}
PATTERNS = ["t.*", "[", "(", "*", "a**", ")", "\\", "x{99999999999}", "[b-a]", "?", "|"]
#: What is wrong with these keys Kafka Connect finds when the connector starts: they are none of its answer.
NEW_TOPICS = {"topic.creation.default.replication.factor": "1", "topic.creation.default.partitions": "-1"}
WITHOUT = {"connector.class": SOURCE, "file": "/tmp/x"}

CASES = [
    of("an ordinary source", ORDINARY_SOURCE, "FileStreamSource"),
    of("an ordinary sink", ORDINARY_SINK, "FileStreamSink"),
    of("a source that has only a class and a file", WITHOUT, "FileStreamSource"),
    of("a sink that has only a class", {"connector.class": SINK}, "FileStreamSink"),
    *(source(key, value) for key, values in SOURCES.items() for value in values),
    *(sink(key, value) for key, values in SINKS.items() for value in values),
    *(pattern(text) for text in PATTERNS),
    sink("topics", "a", **{"topics.regex": "t", "tasks.max": "x"}),
    *(source("topic.creation.groups", groups, **NEW_TOPICS) for groups in ("", "a,a", "a, b", "default")),
    source(
        "topic.creation.groups", "a", **NEW_TOPICS, **{"topic.creation.a.include": "b", "topic.creation.a.cleanup.policy": "x"}
    ),
    source("admin.override.nosuch", "x"),
    source("admin.override.nosuch", "x", **NEW_TOPICS),
    source("transforms", "a", **{"transforms.b.type": "Nope"}),
    source("value.converter", STRING, **{"value.converter.converter.encoding": "UTF-8"}),
    source("value.converter", STRING, **{"value.converter.converter.encoding": "ISO-8859-1"}),
    source("value.converter", STRING, **{"value.converter.converter.type": "key", "value.converter.schemas.enable": "x"}),
    *(
        source("value.converter", "JsonConverter", **{f"value.converter.{key}": value})
        for key, value in (
            ("schemas.enable", "false"),
            ("schemas.enable", "maybe"),
            ("schemas.enable", ""),
            ("schemas.cache.size", "7"),
            ("schemas.cache.size", "x"),
            ("schemas.cache.size", "-1"),
            ("decimal.format", "NUMERIC"),
            ("decimal.format", "base64"),
            ("decimal.format", "hex"),
            ("decimal.format", ""),
            ("replace.null.with.default", "no"),
            ("schema.content", '{"type":"int32"}'),
            ("schema.content", ""),
            ("nothing.there", "x"),
        )
    ),
    source("key.converter", "IntegerConverter", **{"key.converter.x": "y", "header.converter": "JsonConverter"}),
    source("value.converter.schemas.enable", "maybe"),
    source("value.converter", " String ", **{"value.converter.plugin.version": "9"}),
    source("key.converter", LONG),
    source("header.converter", "org.apache.kafka.connect.converters.FloatConverter"),
    source("key.converter", LONG, **{"key.converter.plugin.version": "9"}),
    source("key.converter", LONG, **{"key.converter.plugin.version": "latest"}),
    source("key.converter", STRING, **{"key.converter.converter.type": "neither"}),
    source("header.converter", "JsonConverter", **{"header.converter.converter.type": "value"}),
    source("key.converter", STRING, **{"value.converter": "StringConverter", "header.converter": SIMPLE}),
    of(
        "numbers and booleans",
        b'{"connector.class":"FileStreamSource","name":1,"file":"f","topic":"t","tasks.max":2,"batch.size":1e3,"tasks.max.enforce":false}',
        "FileStreamSource",
    ),
    of("a key twice", b'{"connector.class":"FileStreamSource","name":"n","name":"m","file":"f","topic":"t"}', "Source"),
    by(SOURCE, SOURCE),
    by("FileStreamSourceConnector", SOURCE),
    by("Source", SOURCE),
    by("SourceConnector", SOURCE),
    by("Connector", SOURCE),
    by("source", SOURCE),
    by("Nope", SOURCE),
    by("FileStreamSink", SOURCE),
    by("FileStreamSource", "FileStreamSource"),
    by("FileStreamSource", "FileStreamSourceConnector"),
    by(SOURCE, "FileStreamSource"),
    by("FileStreamSource", " FileStreamSource "),
    by("FileStreamSource", "NoSuch"),
    by("FileStreamSource", ""),
    Case(
        "validate what comes as text",
        "PUT",
        "/connector-plugins/FileStreamSource/config/validate",
        ORDINARY_SOURCE,
        headers={"Content-Type": "text/plain"},
    ),
    *(
        Case(
            f"validate {what}",
            "PUT",
            "/connector-plugins/FileStreamSource/config/validate",
            body,
            differs="malformed JSON, `null` or missing body, wrong type",
            drover=Answer(400, text),
        )
        for what, body, text in (
            ("nothing", b"", ""),
            ("null", b"null", ""),
            ("a list", [], "Cannot deserialize value of type"),
            ("a text", b'"x"', "Cannot deserialize value of type"),
            ("half an object", b"{", ""),
            ("a list as a value", {"a": [1]}, "Cannot deserialize value of type `java.lang.String` from Array value"),
            ("an object as a value", {"a": {}}, "Cannot deserialize value of type `java.lang.String` from Object value"),
        )
    ),
    *(
        Case(
            f"validate {what}",
            "PUT",
            f"/connector-plugins/{plugin}/config/validate",
            body,
            differs="a class that cannot be told, or is not here",
            drover=Answer(400, text),
        )
        for what, plugin, body, text in (
            ("an empty config", "FileStreamSource", {}, "Connector config {} contains no connector type"),
            ("no class", "FileStreamSource", {"name": "n"}, "Connector config {name=n} contains no connector type"),
            ("a null as the class", "X", {"connector.class": None}, "Connector config {connector.class=null} contains no"),
            ("an unknown class", "NoSuch", {"connector.class": "NoSuch"}, "Failed to find any class that implements Connector"),
            ("a converter", "StringConverter", {"connector.class": STRING}, "Failed to find any class that implements Connector"),
        )
    ),
    Case(
        "validate what is no version",
        "PUT",
        "/connector-plugins/FileStreamSource/config/validate",
        {**ORDINARY_SOURCE, "connector.plugin.version": "["},
        differs="`connector.plugin.version` that is no version, or not here",
        drover=Answer(400, "Unbounded range: ["),
    ),
]
