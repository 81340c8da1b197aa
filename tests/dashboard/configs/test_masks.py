"""Secrets: what is one, what is shown of it, and how an edit keeps it."""

from collections.abc import Mapping

import pytest
from hypothesis import given
from hypothesis import strategies as st

from connect_client.secrets import HIDDEN, is_mask, is_secret, scrubbed, without_secrets
from dashboard.configs.masks import MaskKept, unmasked
from dashboard.configs.passwords import names, password_keys, plugins

STORED = {"name": "c", "db.password": "geheim", "sealed": "pw", "ref.password": "${file:/x:y}", "topic": "t"}


def passwords(config: Mapping[str, str | None]) -> frozenset[str]:
    """Of a plug-in that defines `sealed` as a password."""
    return frozenset({"sealed"} if config.get("connector.class") != "Other" else ())


def resolved(typed: dict[str, str | None], *stored: Mapping[str, str | None]) -> dict[str, str | None]:
    return dict(unmasked(tuple(typed.items()), stored or (STORED,), passwords))


def test_what_is_shown() -> None:
    assert without_secrets(STORED, {"sealed"}) == {**STORED, "db.password": HIDDEN, "sealed": HIDDEN}


@pytest.mark.parametrize(
    ("key", "value", "secret"),
    [
        ("aws.secret.access.key", "x", True),
        ("sasl.jaas.config", "x", True),
        ("topic", "password", False),
        ("password", "${vault:db:pw}", False),
        ("password", "${vault:db:pw}x", True),
        ("connection.url", "jdbc:postgresql://u:p@db/x", True),
        ("connection.url", "jdbc:mysql://db/x?user=u&password=p", True),
        ("connection.url", "jdbc:mysql://db:3306/x?user=u", False),
        ("connection.url", "https://db:443/@x", False),
        ("connection.url", "redis://:pw@host:6379", True),
    ],
)
def test_what_is_a_secret(key: str, value: str, secret: bool) -> None:
    assert is_secret(key, value) is secret


@pytest.mark.parametrize(
    ("value", "mask"),
    [
        (HIDDEN, True),
        ("•", True),
        ("********", True),
        ("[hidden]", True),
        (" <hidden> ", True),
        ("[HIDDEN]", True),
        ("*", False),
        ("0 * * * * *", False),
        ("hidden", False),
        ("a********", False),
        ("", False),
        (None, False),
    ],
)
def test_what_is_a_mask(value: str | None, mask: bool) -> None:
    assert is_mask(value) is mask


@given(
    st.dictionaries(
        st.text(max_size=20), st.none() | st.text(max_size=20) | st.sampled_from(("***", "•", "[hidden]")), max_size=6
    )
)
def test_an_edit_that_changes_nothing_changes_nothing(config: dict[str, str | None]) -> None:
    """Or says which mask is in the way."""
    shown = without_secrets(config, passwords(config))
    in_the_way = [key for key, value in config.items() if is_mask(value)]
    if in_the_way:
        with pytest.raises(MaskKept) as refused:
            resolved(shown, config)
        assert refused.value.key in in_the_way
    else:
        assert resolved(shown, config) == config


@pytest.mark.parametrize(
    ("typed", "expected"),
    [
        ({"db.password": HIDDEN, "topic": "new"}, {"db.password": "geheim", "topic": "new"}),
        ({"db.password": "new"}, {"db.password": "new"}),
        ({"sealed": HIDDEN}, {"sealed": "pw"}),
        ({"topic": "t"}, {"topic": "t"}),
        ({"database.password": HIDDEN, "sealed": HIDDEN}, {"database.password": "geheim", "sealed": "pw"}),
        ({"ref.password": "${file:/x:y}"}, {"ref.password": "${file:/x:y}"}),
    ],
)
def test_secrets_that_are_kept(typed: dict[str, str | None], expected: dict[str, str]) -> None:
    assert resolved(typed) == expected


@pytest.mark.parametrize(
    ("typed", "key", "message"),
    [
        ({"new.password": HIDDEN, "other.password": HIDDEN}, "new.password", "no stored secret"),
        ({"topic": HIDDEN, "db.password": HIDDEN, "sealed": HIDDEN}, "topic", "no stored secret"),
        ({"file": HIDDEN, "sealed": HIDDEN}, "file", "readable for everybody"),
        ({"sealed": HIDDEN, "db.password": "x", "connector.class": "Other"}, "sealed", "readable for everybody"),
        ({"db.password": "********"}, "db.password", "is a mask, no value"),
        ({"topic": "[hidden]"}, "topic", "is a mask, no value"),
        ({"topic": "•••"}, "topic", "is a mask, no value"),
    ],
)
def test_masks_that_would_be_written(typed: dict[str, str | None], key: str, message: str) -> None:
    with pytest.raises(MaskKept, match=message) as refused:
        resolved(typed)
    assert refused.value.key == key


def test_a_mask_that_another_tool_has_written() -> None:
    with pytest.raises(MaskKept, match="by another tool"):
        resolved({"db.password": HIDDEN}, {"db.password": "********"})


def test_the_first_that_has_a_secret_counts() -> None:
    assert resolved(
        {"db.password": HIDDEN, "b.token": HIDDEN}, {"db.password": "old"}, {"db.password": "new", "b.token": "t"}
    ) == {
        "db.password": "old",
        "b.token": "t",
    }


@pytest.mark.parametrize(
    ("text", "secrets", "expected"),
    [
        ("Invalid value geheim for configuration x", ["geheim"], f"Invalid value {HIDDEN} for configuration x"),
        ("a bad banana", ["a"], f"{HIDDEN} bad banana"),
        ("Invalid value pw1 and pw12", ["pw1", "pw12"], f"Invalid value {HIDDEN} and {HIDDEN}"),
        ("{password=x y}", [" x y "], f"{{password={HIDDEN}}}"),
        ("nothing", [None, "", " "], "nothing"),
    ],
)
def test_messages_tell_no_secrets(text: str, secrets: list[str | None], expected: str) -> None:
    assert scrubbed(text, secrets) == expected


CONFIG = {
    "connector.class": "Source",
    "value.converter": "Json",
    "transforms": "a, b",
    "transforms.a.type": "Mask",
    "transforms.b.type": "",
    "predicates": "p",
    "predicates.p.type": "Match",
}


def test_plugins_of_a_config() -> None:
    found = dict(plugins(CONFIG))
    assert {prefix: name for prefix, name in found.items() if name} == {
        "": "Source",
        "value.converter.": "Json",
        "transforms.a.": "Mask",
        "predicates.p.": "Match",
    }


def test_passwords_of_plugins_bear_their_prefix() -> None:
    known = {"Source": {"pin"}, "Mask": {"salt"}, "Json": {"pin"}}
    assert password_keys(CONFIG, known) == {"pin", "transforms.a.salt", "value.converter.pin"}


@pytest.mark.parametrize(
    ("class_name", "expected"),
    [
        ("org.x.FileSinkConnector", {"org.x.FileSinkConnector", "FileSinkConnector", "FileSink"}),
        ("org.x.JsonConverter", {"org.x.JsonConverter", "JsonConverter", "Json"}),
        ("org.x.Cast$Value", {"org.x.Cast$Value", "Cast$Value"}),
    ],
)
def test_names_of_a_class(class_name: str, expected: set[str]) -> None:
    assert names(class_name) == expected
