"""`/connector-plugins`, with the connectors that are installed (facts §7.1 to §7.3)."""

from collections.abc import Iterator

import orjson
import pytest

from tests.api.conftest import Api, api_of
from tests.api.expect import expect_error, expect_json, invalid
from workers import VERSION
from workers.connectors.file.sink import FileStreamSinkConnector
from workers.connectors.file.source import FileStreamSourceConnector
from workers.connectors.plugins import InstalledPlugins

STORAGE = "org.apache.kafka.connect.storage"
SOURCE = "org.apache.kafka.connect.file.FileStreamSourceConnector"
SINK = "org.apache.kafka.connect.file.FileStreamSinkConnector"
CONFIG = {"connector.class": "FileStreamSource", "name": "a", "file": "/f", "topic": "t"}


@pytest.fixture
def api() -> Iterator[Api]:
    with api_of(InstalledPlugins([FileStreamSinkConnector, FileStreamSourceConnector])) as api:
        yield api


CONVERTERS_PACKAGE = "org.apache.kafka.connect.converters"


def listed(*plugins: tuple[str, str]) -> str:
    return "[" + ",".join(f'{{"class":"{name}","type":"{kind}","version":"{VERSION}"}}' for name, kind in plugins) + "]"


CONNECTORS = [(SINK, "sink"), (SOURCE, "source")]
_CONVERTERS = [
    *(f"{CONVERTERS_PACKAGE}.{kind}Converter" for kind in ("Boolean", "ByteArray")),
    "org.apache.kafka.connect.json.JsonConverter",
    f"{STORAGE}.StringConverter",
]
TRANSFORMS = [
    ("drover.SqlTransform", "transformation"),
    *(
        (f"org.apache.kafka.connect.transforms.{name}", "transformation")
        for name in (
            *("Cast$Key", "Cast$Value", "DropHeaders", "ExtractField$Key", "ExtractField$Value", "Filter", "Flatten$Key"),
            *("Flatten$Value", "HeaderFrom$Key", "HeaderFrom$Value", "HoistField$Key", "HoistField$Value"),
            *("InsertField$Key", "InsertField$Value", "InsertHeader", "MaskField$Key", "MaskField$Value", "RegexRouter"),
            *("ReplaceField$Key", "ReplaceField$Value", "SetSchemaMetadata$Key", "SetSchemaMetadata$Value"),
            *("TimestampConverter$Key", "TimestampConverter$Value", "TimestampRouter", "ValueToKey"),
        )
    ),
    *(
        (f"org.apache.kafka.connect.transforms.predicates.{name}", "predicate")
        for name in ("HasHeaderKey", "RecordIsTombstone", "TopicNameMatches")
    ),
]
CONVERTERS = [
    *((name, "converter") for name in _CONVERTERS),
    *((name, "header_converter") for name in sorted([*_CONVERTERS, f"{STORAGE}.SimpleHeaderConverter"])),
]


@pytest.mark.parametrize(
    ("query", "plugins"),
    [
        ("", CONNECTORS),
        ("?connectorsOnly=true", CONNECTORS),
        ("?connectorsOnly=TRUE&connectorsOnly=false", CONNECTORS),
        ("?connectorsOnly=", CONNECTORS),
        ("?connectorsonly=false", CONNECTORS),
        ("?connectorsOnly=false", CONNECTORS + TRANSFORMS + CONVERTERS),
        ("?connectorsOnly=1", CONNECTORS + TRANSFORMS + CONVERTERS),
    ],
)
def test_the_list(api: Api, query: str, plugins: list[tuple[str, str]]) -> None:
    expect_json(api.get(f"/connector-plugins{query}"), 200, listed(*plugins))


def test_a_definition(api: Api) -> None:
    response = api.get("/connector-plugins/FileStreamSource/config")
    first = (
        '{"name":"file","type":"STRING","required":false,"default_value":null,"importance":"HIGH",'
        '"documentation":"Source filename, on the worker\'s machine.","group":null,"order_in_group":-1,"width":"NONE",'
        '"display_name":"file","dependents":[]}'
    )
    assert response.content.decode().startswith(f"[{first},")
    assert len(orjson.loads(response.content)) == 30


@pytest.mark.parametrize(
    ("path", "status", "message"),
    [
        ("Nope/config", 404, "Unknown plugin Nope."),
        ("Nope", 404, "HTTP 404 Not Found"),
        ("String/config?version=[", 400, "Invalid version specification: ["),
    ],
)
def test_what_there_is_no_definition_of(api: Api, path: str, status: int, message: str) -> None:
    expect_error(api.get(f"/connector-plugins/{path}"), status, message)


def validate(api: Api, body: object, plugin: str = "FileStreamSource") -> tuple[int, dict[str, object]]:
    response = api.request("PUT", f"/connector-plugins/{plugin}/config/validate", body)
    return response.status_code, orjson.loads(response.content)


def test_a_validation_is_always_200_and_creates_nothing(api: Api) -> None:
    status, found = validate(api, {**CONFIG, "tasks.max": 0, "x": None})
    assert (status, found["name"], found["error_count"]) == (200, "FileStreamSource", 2)
    assert list(found) == ["name", "error_count", "groups", "configs"]
    configs = found["configs"]
    assert isinstance(configs, list)
    message = "Null value can not be supplied as the configuration value."
    value = {"name": "x", "value": None, "recommended_values": [], "errors": [message], "visible": True}
    assert configs[0] == {"definition": None, "value": value}
    assert list(configs[1]) == ["definition", "value"]
    assert api.json("/connectors") == []


@pytest.mark.parametrize(
    ("plugin", "given", "matches"),
    [
        ("FileStreamSource", SOURCE, True),
        ("Source", SOURCE, True),
        ("SourceConnector", SOURCE, True),
        (SOURCE, "FileStreamSource", False),
        ("Connector", SOURCE, False),
        ("source", SOURCE, False),
        ("FileStreamSink", SOURCE, False),
        ("FileStreamSource", "", False),
    ],
)
def test_the_path_has_to_be_the_end_of_the_class(api: Api, plugin: str, given: str, matches: bool) -> None:
    status, found = validate(api, {**CONFIG, "connector.class": given}, plugin)
    message = f"Included connector type {given} does not match request type {plugin}"
    assert (status, found.get("message")) == ((200, None) if matches else (400, message))


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ({}, "Connector config {} contains no connector type"),
        ({"connector.class": None, "a": "1"}, "Connector config {connector.class=null, a=1} contains no connector type"),
        ([], "Cannot deserialize value of type `java.util.LinkedHashMap`: a JSON object of strings was expected"),
    ],
)
def test_what_cannot_be_validated(api: Api, body: object, message: str) -> None:
    assert validate(api, body) == (400, {"error_code": 400, "message": message})


def test_what_is_wrong_is_what_a_creation_is_refused_with(api: Api) -> None:
    config = {"connector.class": "FileStreamSource", "tasks.max": "x", "errors.tolerance": "some"}
    messages = [
        "Invalid value x for configuration tasks.max: Not a number of type INT",
        "Invalid value null for configuration tasks.max: Value must be non-null",
        "Invalid value some for configuration errors.tolerance: String must be one of: none, all",
        'Missing required configuration "topic" which has no default value.',
        'Missing required configuration "file" which has no default value.',
    ]
    found = validate(api, {**config, "name": "a"})[1]["configs"]
    assert isinstance(found, list)
    assert sorted(error for info in found for error in info["value"]["errors"]) == sorted(messages)
    response = api.request("POST", "/connectors", {"name": "a", "config": config})
    ordered = [*messages[:3], messages[4], messages[3]]
    expect_error(response, 400, invalid(*ordered))


@pytest.mark.parametrize(
    ("name", "message"),
    [
        (None, 'Missing required configuration "name" which has no default value.'),
        (" ", "Invalid value  for configuration name: String may not be empty"),
    ],
)
def test_a_patch_leaves_no_connector_without_a_name(api: Api, name: str | None, message: str) -> None:
    api.request("PUT", "/connectors/a/config", CONFIG)
    expect_error(api.request("PATCH", "/connectors/a/config", {"name": name}), 400, invalid(message))
    assert api.json("/connectors/a/config") == CONFIG
