"""Which converter a connector gets, set up by whom."""

import pytest

from workers.connectors.configdef import Invalid
from workers.converters import catalogue
from workers.converters.byte_array import ByteArrayConverter
from workers.converters.json import JsonConverter
from workers.converters.strings import StringConverter

WORKER = {**catalogue.WORKER, "value.converter": "JsonConverter", "value.converter.schemas.enable": "false"}


def test_the_workers_own() -> None:
    assert catalogue.create("value", {}, WORKER) == JsonConverter(schemas=False)
    assert isinstance(catalogue.create("key", {}, WORKER), StringConverter)
    assert isinstance(catalogue.create("key"), StringConverter)


def test_a_connectors_own_takes_the_workers_place_with_all_its_settings() -> None:
    assert catalogue.create("value", {"value.converter": "JsonConverter"}, WORKER) == JsonConverter(schemas=True)


def test_settings_alone_change_nothing() -> None:
    assert catalogue.create("value", {"value.converter.schemas.enable": "true"}, WORKER) == JsonConverter(schemas=False)


def test_a_classs_default_lies_between() -> None:
    of_class = {"value.converter": "ByteArrayConverter"}
    assert isinstance(catalogue.create("value", {}, of_class, WORKER), ByteArrayConverter)


def test_jsons_settings() -> None:
    settings = {"decimal.format": "numeric", "replace.null.with.default": "false", "schema.content": '{"type":"int8"}'}
    config = {"key.converter": "Json", **{f"key.converter.{key}": value for key, value in settings.items()}}
    assert catalogue.create("key", config) == JsonConverter(
        schemas=True, schema_content='{"type":"int8"}', numeric_decimals=True, defaults=False
    )


@pytest.mark.parametrize(
    ("config", "message"),
    [
        ({"value.converter": "Nope"}, r"^Class Nope could not be found\.$"),
        ({"value.converter": "SimpleHeaderConverter"}, r"^Class SimpleHeaderConverter could not be found\.$"),
        (
            {"value.converter": "JsonConverter", "value.converter.schemas.enable": "x"},
            r"^Invalid value x for configuration schemas\.enable: Expected value to be either true or false$",
        ),
    ],
)
def test_what_there_is_not(config: dict[str, str], message: str) -> None:
    with pytest.raises(Invalid, match=message):
        catalogue.create("value", config, WORKER)


@pytest.mark.parametrize("encoding", ["UTF-8", "utf8", "ISO-8859-1", "US-ASCII", "UTF-16LE", "Cp1252", "windows-1252"])
def test_encodings(encoding: str) -> None:
    plugin = catalogue.converter("value", "StringConverter")
    assert plugin is not None
    assert plugin.config_def.errors({"converter.type": "value", "converter.encoding": encoding}) == []


@pytest.mark.parametrize("encoding", ["", "UTF-99", "rot13", "base64", "a\0b"])
def test_what_is_no_encoding(encoding: str) -> None:
    plugin = catalogue.converter("value", "StringConverter")
    assert plugin is not None
    errors = plugin.config_def.errors({"converter.type": "value", "converter.encoding": encoding})
    assert errors == [f"Invalid value {encoding} for configuration converter.encoding: Unknown encoding {encoding}"]
