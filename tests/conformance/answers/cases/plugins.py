"""`GET /connector-plugins` and `GET /connector-plugins/{p}/config` (KIP-769, KIP-891)."""

from tests.conformance.answers.case import Answer, Case

SOURCE = "org.apache.kafka.connect.file.FileStreamSourceConnector"
SINK = "org.apache.kafka.connect.file.FileStreamSinkConnector"
STORAGE = "org.apache.kafka.connect.storage"
TEXTS = frozenset({"documentation"})
TRANSFORMS = "org.apache.kafka.connect.transforms"
TRANSFORM_CLASSES = (
    *(
        "Cast$Key",
        "Cast$Value",
        "DropHeaders",
        "ExtractField$Key",
        "ExtractField$Value",
        "Filter",
        "Flatten$Key",
        "Flatten$Value",
    ),
    *("HeaderFrom$Key", "HeaderFrom$Value", "HoistField$Key", "HoistField$Value", "InsertField$Key", "InsertField$Value"),
    *("InsertHeader", "MaskField$Key", "MaskField$Value", "RegexRouter", "ReplaceField$Key", "ReplaceField$Value"),
    *("SetSchemaMetadata$Key", "SetSchemaMetadata$Value", "TimestampConverter$Key", "TimestampConverter$Value"),
    *("TimestampRouter", "ValueToKey"),
)
PREDICATE_CLASSES = ("HasHeaderKey", "RecordIsTombstone", "TopicNameMatches")


def listing(query: str) -> Case:
    return Case(f"plugins {query or 'as they are'}", "GET", f"/connector-plugins{query}", ordered=True)


def config(plugin: str) -> Case:
    return Case(f"plugin config of {plugin}", "GET", f"/connector-plugins/{plugin}/config", ordered=True, ignore=TEXTS)


def versioned(version: str, plugin: str = "FileStreamSource") -> Case:
    path = f"/connector-plugins/{plugin}/config?version={version}"
    return Case(f"plugin config of {plugin}, version={version}", "GET", path, ordered=True, ignore=TEXTS)


CASES = [
    *map(
        listing,
        (
            "",
            "/",
            "?connectorsOnly=true",
            "?connectorsOnly=false",
            "?connectorsOnly=FALSE",
            "?connectorsOnly=",
            "?connectorsOnly=no",
            "?connectorsOnly=true&connectorsOnly=false",
            "?connectorsonly=false",
        ),
    ),
    *map(
        config,
        (
            SOURCE,
            SINK,
            "FileStreamSource",
            "FileStreamSourceConnector",
            "FileStreamSink",
            f"{STORAGE}.StringConverter",
            "StringConverter",
            "String",
            "SimpleHeaderConverter",
            *(f"{TRANSFORMS}.{name}" for name in TRANSFORM_CLASSES),
            *("RegexRouter", "Filter", "DropHeaders", "InsertHeader", "TimestampRouter", "ValueToKey"),
            *("Cast", "Cast$Value", f"{TRANSFORMS}.RegexRouterX"),
            *(f"{TRANSFORMS}.predicates.{name}" for name in PREDICATE_CLASSES),
            *PREDICATE_CLASSES,
            "JsonConverter",
            "org.apache.kafka.connect.json.JsonConverter",
            "Json",
            "ByteArrayConverter",
            *(f"org.apache.kafka.connect.converters.{kind}Converter" for kind in ("Boolean", "Short", "Integer")),
            *("LongConverter", "FloatConverter", "Double"),
            "NumberConverter",
            "Nope",
            "filestreamsource",
            "%20FileStreamSource",
            "org.apache.kafka.connect.file.FileStreamSource",
            "FileConfigProvider",
            "org.apache.kafka.common.config.provider.EnvVarConfigProvider",
        ),
    ),
    *map(
        versioned,
        ("latest", "9.9", "", "[", "]", "(", "[9,10)", "(,0.0.1)", "[0,)", ",", "x", "LATEST", "[2,1]", "%20", "[8,9],[10,11]"),
    ),
    versioned("9.9", SOURCE),
    versioned("9.9", "RegexRouter"),
    versioned("latest", "TopicNameMatches"),
    versioned("9.9", "Nope"),
    Case("plugin config with a slash at the end", "GET", "/connector-plugins/String/config/", ordered=True, ignore=TEXTS),
    # Kafka Connect sends it in chunks, without a length.
    Case("head of a plugin config", "HEAD", "/connector-plugins/FileStreamSource/config", ignore=frozenset({"length"})),
    Case("a plugin alone", "GET", "/connector-plugins/FileStreamSource"),
    Case("a plugin config is not written", "PUT", "/connector-plugins/FileStreamSource/config", {}),
    Case("plugins are not made", "POST", "/connector-plugins", {}),
    Case("a validation is not read", "GET", "/connector-plugins/FileStreamSource/config/validate"),
    Case("a validation is not posted", "POST", "/connector-plugins/FileStreamSource/config/validate", {}),
    *(
        Case(
            f"plugin config of {name}, which is no plugin",
            "GET",
            f"/connector-plugins/{name}/config",
            differs="definition of a class that is no plug-in",
            drover=Answer(404, f"Unknown plugin {name}."),
        )
        for name in ("java.lang.String", f"{TRANSFORMS}.Cast")
    ),
]
