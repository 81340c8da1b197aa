"""Connector files: what they are is told by what is in them (KIP-980)."""

from pathlib import Path

import pytest

from standalone.connector_files import ConnectorFile, FileRefused, read, read_all
from workers.herder.states import TargetState

PAUSED, STOPPED, STARTED = TargetState.PAUSED, TargetState.STOPPED, TargetState.STARTED
NAMELESS = "Connector configuration at 'FILE' is missing the mandatory 'name' configuration"


@pytest.fixture(params=["a.properties", "a.json", "a"])
def file(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """Whatever its name: it says nothing."""
    return tmp_path / str(request.param)


@pytest.mark.parametrize(
    ("text", "config"),
    [
        ("name=a", {"name": "a"}),
        (
            "# {not: json}\nname = a\nconnector.class: X\nfile=/tmp/a b\\\n  c\n",
            {"name": "a", "connector.class": "X", "file": "/tmp/a bc"},
        ),
        ('name=a\nconfig={"a": 1}\ninitial_state=STOPPED', {"name": "a", "config": '{"a": 1}', "initial_state": "STOPPED"}),
    ],
)
def test_properties(file: Path, text: str, config: dict[str, str]) -> None:
    file.write_text(text)
    assert read(file) == ConnectorFile(file, "a", config)


@pytest.mark.parametrize(
    ("text", "config"),
    [
        ('{"name": "a"}', {"name": "a"}),
        (
            '\n\t{"name": "a", "tasks.max": 2, "x": 1.0E+2, "y": true, "z": null}\n',
            {"name": "a", "tasks.max": "2", "x": "1.0E+2", "y": "true", "z": None},
        ),
        # What bears the names of a request's fields and holds text is a config all the same.
        (
            '{"name": "a", "config": "b", "initial_state": "STOPPED"}',
            {"name": "a", "config": "b", "initial_state": "STOPPED"},
        ),
        ('{"name": "a", "name": "b", "k": "é\\u00e9"}', {"name": "b", "k": "éé"}),
    ],
)
def test_a_json_config(file: Path, text: str, config: dict[str, str | None]) -> None:
    file.write_text(text)
    assert read(file) == ConnectorFile(file, str(config["name"]), config)


@pytest.mark.parametrize(
    ("text", "state", "ignored"),
    [
        ('{"name": "a", "config": {"k": 1}}', None, ()),
        ('{"name": "a", "config": {"k": "1", "name": "a"}, "initial_state": null}', None, ()),
        ('{"name": " a ", "config": {"k": "1"}, "initial_state": "RUNNING"}', STARTED, ()),
        ('{"initial_state": "paused", "config": {"k": "1"}, "name": "a"}', PAUSED, ()),
        ('\ufeff{"name": "a", "config": {"k": "1"}, "initial_state": "Stopped"}', STOPPED, ()),
        ('{"name": "a", "config": {"k": "1"}, "comment": {"by": "me"}, "tasks": []}', None, ("comment", "tasks")),
    ],
)
def test_the_body_of_a_request(file: Path, text: str, state: TargetState | None, ignored: tuple[str, ...]) -> None:
    file.write_text(text)
    assert read(file) == ConnectorFile(file, "a", {"k": "1", "name": "a"}, state, ignored)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", NAMELESS),
        ("connector.class=X", NAMELESS),
        ("name=", NAMELESS),
        ('["name=a"]', NAMELESS),
        ("{}", NAMELESS),
        ('{"connector.class": "X"}', NAMELESS),
        ('{"name": null}', NAMELESS),
        ('{"config": {"name": "a"}}', NAMELESS),
        ("name=a\n\nfile=\\u00", "FILE, line 3: Malformed \\uxxxx encoding."),
        ('{"name": "a",\n "k" 1}', "FILE, line 2, column 6: this is no JSON: Expecting ':' delimiter"),
        ("{\n name=a\n}", "FILE, line 2, column 2: this is no JSON: Expecting property name enclosed in double quotes"),
        ('{"name": "a"}\n{"name": "b"}', "FILE, line 2, column 1: this is no JSON: Extra data"),
        ('{"name": "a", "k": NaN}', "FILE: this is no JSON: NaN is no number"),
        (
            '{"name": "a", "k": ["b"]}',
            "FILE: Cannot deserialize value of type `java.lang.String` from Array value (through reference chain: ['k'])",
        ),
        (
            '{"name": "a", "config": {"k": {}}}',
            "FILE: Cannot deserialize value of type `java.lang.String` from Object value (through reference chain: ['k'])",
        ),
        (
            '{"name": {"b": "c"}, "config": {}}',
            "FILE: Cannot deserialize value of type `java.lang.String` from Object value (through reference chain: ['name'])",
        ),
        (
            '{"name": "a", "config": {}, "initial_state": "STARTED"}',
            "FILE: Cannot construct instance of `InitialState`, problem: No enum constant InitialState.STARTED: "
            "it may be RUNNING, PAUSED or STOPPED",
        ),
        (
            '{"name": "a", "config": {"name": "b"}}',
            "Connector name configuration in 'config' doesn't match the one specified in 'name' at 'FILE'",
        ),
    ],
)
def test_what_is_refused(file: Path, text: str, message: str) -> None:
    file.write_text(text)
    with pytest.raises(FileRefused) as raised:
        read(file)
    assert str(raised.value) == message.replace("FILE", str(file))


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(FileRefused, match=r"/none cannot be read: No such file or directory\.$"):
        read(tmp_path / "none")


def test_several(tmp_path: Path) -> None:
    one, two, again = (tmp_path / name for name in ("one", "two", "again"))
    one.write_text("name=b")
    two.write_text('{"name": "a"}')
    again.write_text('{"name": "b", "config": {}}')
    assert [(file.path, file.name) for file in read_all([one, two])] == [(one, "b"), (two, "a")]
    with pytest.raises(FileRefused) as raised:
        read_all([one, two, again])
    assert str(raised.value) == f"{one} and {again} both configure connector b"
