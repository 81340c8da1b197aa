"""The form: every key once, in a section where one looks for it, whether anybody defines it or not."""

from connect_client import ConfigKey, Validation
from dashboard.configs.form import Field, Section, password_keys, sections
from tests.dashboard.configs.answers import definition, validation

CONFIG = {
    "name": "orders",
    "connector.class": "org.x.OrdersSink",
    "value.converter": "org.x.Json",
    "transforms": "mask",
    "transforms.mask.type": "org.x.Mask",
    "file": "/tmp/x",
    "unknown.key": "kept",
    "db.password": "geheim",
    "topics": "a",
}
JSON = [ConfigKey.from_json(definition("schemas.enable", type="BOOLEAN", default_value="true"))]
CLASSES = {"transformation": ["org.x.Mask", "org.x.Cast"], "converter": ["org.x.Json", "org.x.Avro"]}


def drawn(errors: dict[str, str] | None = None, config: dict[str, str] = CONFIG) -> tuple[Section, ...]:
    return sections(config, Validation.from_json(validation(config, errors)), {"org.x.Json": JSON}, CLASSES)


def fields(found: tuple[Section, ...]) -> dict[str, Field]:
    return {field.key: field for section in found for field in section.fields}


def test_sections() -> None:
    assert [(section.title, [field.key for field in section.fields]) for section in drawn()] == [
        ("General", ["name", "connector.class", "tasks.max", "topics"]),
        ("OrdersSink", ["file", "pin"]),
        ("Converters", ["value.converter"]),
        ("Value converter: Json", ["value.converter.schemas.enable"]),
        ("Transforms", ["transforms"]),
        ("Error Handling", ["errors.tolerance", "errors.log.enable"]),
        ("Transforms: mask", ["transforms.mask.type", "transforms.mask.salt"]),
        ("Other keys", ["unknown.key", "db.password"]),
    ]


def test_fields() -> None:
    found = fields(drawn())
    assert found["pin"] == Field("pin", "PIN", "PASSWORD", "What pin is for.", secret=True)
    assert found["errors.tolerance"].choices == ("none", "all")
    assert found["errors.log.enable"].choices == ("true", "false")
    assert found["transforms.mask.type"].choices == ("org.x.Mask", "org.x.Cast")
    assert found["value.converter"].choices == ("org.x.Json", "org.x.Avro")
    assert (found["name"].required, found["tasks.max"].default) == (True, "1")
    assert (found["unknown.key"].known, found["unknown.key"].secret) == (False, False)
    assert found["db.password"].secret


def test_what_is_folded() -> None:
    assert [key for key, field in fields(drawn()).items() if field.folded] == ["transforms", "errors.log.enable"][1:]
    assert not fields(drawn({"errors.log.enable": "No."}))["errors.log.enable"].folded
    bare = fields(drawn(config={"connector.class": "org.x.OrdersSink"}))
    assert [key for key, field in bare.items() if field.folded] == ["value.converter", "transforms", "errors.log.enable"]


def test_what_is_invisible_is_shown_where_it_is_set() -> None:
    assert "hidden.one" not in fields(drawn())
    assert fields(drawn(config={**CONFIG, "hidden.one": "x"}))["hidden.one"].known


def test_defaults_of_passwords_are_not_told() -> None:
    answer = validation(CONFIG)
    next(key for key in answer["configs"] if key["definition"]["name"] == "pin")["definition"]["default_value"] = "[hidden]"
    found = sections(CONFIG, Validation.from_json(answer), {}, {})
    assert fields(found)["pin"].default is None


def test_passwords() -> None:
    assert password_keys(Validation.from_json(validation(CONFIG))) == {"pin", "transforms.mask.salt"}


def test_no_key_is_lost_or_twice() -> None:
    keys = [field.key for section in drawn() for field in section.fields]
    assert len(keys) == len(set(keys))
    assert set(CONFIG) <= set(keys)
