"""Whom a command asks, and the file that it is kept in."""

import stat
from pathlib import Path

import pytest

from cli import contexts
from cli.contexts import Context, Contexts, Kind, Said, chosen
from cli.ends import Cannot
from tests.cli.conftest import Drover

ROOM = Context(Kind.ROOM, ("https://drover",), "t0ken")
EU = Context(Kind.CONNECT, ("http://a:8083", "http://b:8083"), username="ann", password="geheim")
KNOWN = Contexts("room", {"room": ROOM, "eu": EU})


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        (Said(), ROOM),
        (Said(context="eu"), EU),
        (Said(url="http://x:1/ui/jobs/3"), Context(Kind.ROOM, ("http://x:1",))),
        (Said(url="http://x:1", token="a"), Context(Kind.ROOM, ("http://x:1",), "a")),
        (Said(connect=("http://x:1/", "http://y:1")), Context(Kind.CONNECT, ("http://x:1", "http://y:1"))),
        (Said(context="eu", url="http://x:1"), Context(Kind.ROOM, ("http://x:1",))),
        (Said(token="other"), Context(Kind.ROOM, ("https://drover",), "other")),
        (Said(token="other", weak_token=True), ROOM),
        (Said(context="eu", token="other", weak_token=True), EU),
        (Said(context="eu", token="other"), Context(Kind.CONNECT, EU.urls, "other")),
        (Said(url="http://x:1", token="a", weak_token=True), Context(Kind.ROOM, ("http://x:1",), "a")),
    ],
)
def test_who_is_chosen(said: Said, expected: Context) -> None:
    assert chosen(said, KNOWN) == expected


@pytest.mark.parametrize(
    ("said", "known", "why"),
    [
        (Said(), Contexts(), "Nobody to ask"),
        (Said(context="us"), KNOWN, "There is no context us; there are: eu, room."),
        (Said(url="http://x", connect=("http://y",)), KNOWN, "Either --url"),
        (Said(url="x:8083"), KNOWN, "is no address"),
        (Said(url="ftp://x"), KNOWN, "is no address"),
        (Said(connect=("http://x:port",)), KNOWN, "is no address"),
    ],
)
def test_who_cannot_be_chosen(said: Said, known: Contexts, why: str) -> None:
    with pytest.raises(Cannot, match=why):
        chosen(said, known)


@pytest.mark.parametrize(
    ("said", "by_environment", "expected"),
    [
        (Said(url="u"), ["url"], Said(url="u")),
        (Said("c", "u"), ["url"], Said("c")),
        (Said("c", "u"), ["context"], Said(url="u")),
        (Said("c", "", ("x",)), ["connect"], Said("c")),
        (Said(url="u", connect=("x",)), ["url"], Said(connect=("x",))),
        (Said(url="u", connect=("x",)), [], Said(url="u", connect=("x",))),
        (Said("c", token="t"), ["token"], Said("c", token="t", weak_token=True)),
    ],
)
def test_the_command_line_counts_more_than_the_environment(said: Said, by_environment: list[str], expected: Said) -> None:
    assert said.without_weaker(by_environment) == expected


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("http://h:1/", "http://h:1"),
        ("http://h:1/ui/", "http://h:1"),
        ("http://h:1/ui", "http://h:1"),
        ("http://h:1/drover/ui/?q=x", "http://h:1/drover"),
        ("http://h:1/api/v1/fleet", "http://h:1"),
        ("http://h:1/uist", "http://h:1/uist"),
    ],
)
def test_an_address_from_the_browser(url: str, expected: str) -> None:
    assert contexts.room_url(url) == expected


@pytest.mark.parametrize(
    ("environment", "expected"),
    [
        ({"XDG_CONFIG_HOME": "/x"}, Path("/x/drover/config.yaml")),
        ({"XDG_CONFIG_HOME": "relative"}, Path.home() / ".config/drover/config.yaml"),
        ({}, Path.home() / ".config/drover/config.yaml"),
    ],
)
def test_where_the_file_is(environment: dict[str, str], expected: Path) -> None:
    assert contexts.path(environment) == expected


def test_what_is_written_is_read(tmp_path: Path) -> None:
    file = tmp_path / "a" / "config.yaml"
    assert contexts.read(file) == Contexts()
    contexts.write(file, KNOWN)
    assert contexts.read(file) == KNOWN
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert stat.S_IMODE(file.parent.stat().st_mode) == 0o700
    file.chmod(0o644)
    contexts.write(file, KNOWN.using("eu"))
    assert (contexts.read(file).current, stat.S_IMODE(file.stat().st_mode)) == ("eu", 0o600)
    assert [one.name for one in file.parent.iterdir()] == ["config.yaml"]


@pytest.mark.parametrize(
    "text",
    [
        "contexts: [",
        "contexts: {a: {}}",
        "contexts: {a: {kind: other, urls: [x]}}",
        "[a]",
        "contexts: {a: {kind: room, urls: x}}",
    ],
)
def test_a_file_that_somebody_has_broken(tmp_path: Path, text: str) -> None:
    file = tmp_path / "config.yaml"
    file.write_text(text)
    with pytest.raises(Cannot, match=str(file)):
        contexts.read(file)


def test_secrets_are_not_in_what_is_printed_by_mistake() -> None:
    assert "t0ken" not in repr(ROOM)
    assert "geheim" not in repr(EU)


def test_the_commands(drover: Drover) -> None:
    assert "Nobody to ask" in drover.refused("get", "connectors", code=2)
    drover("context", "add", "room", "--url", "https://drover/ui/", "--token", "-", stdin="t0ken\n")
    drover(
        "context", "add", "eu", "--connect", "http://a:8083", "--connect", "http://b:8083", "--username", "ann", stdin="geheim\n"
    )
    assert drover.lines("context", "list") == [
        "NAME KIND URL SIGN-IN",
        "eu connect http://a:8083 http://b:8083 basic (ann)",
        "* room room https://drover token",
    ]
    assert contexts.read(Path(drover.env["XDG_CONFIG_HOME"]) / "drover/config.yaml") == KNOWN
    drover("context", "use", "eu")
    assert drover.lines("context", "list", "-o", "name") == ["eu", "room"]
    assert "geheim" not in drover("context", "list", "-o", "json").output
    drover("context", "remove", "eu")
    assert "Nobody to ask" in drover.refused("get", "connectors", code=2)
    assert "There is no context eu" in drover.refused("context", "use", "eu", code=2)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ([], "Either --url"),
        (["--url", "http://x", "--connect", "http://y"], "Either --url"),
        (["--url", "http://x", "--username", "ann"], "A control room takes a token"),
        (["--connect", "http://x", "--username", "ann", "--token", "t"], "Either a token or a user name"),
        (["--connect", "nonsense"], "is no address"),
    ],
)
def test_what_is_no_context(drover: Drover, words: list[str], said: str) -> None:
    assert said in drover.refused("context", "add", "x", *words, code=2)
