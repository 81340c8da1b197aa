"""docs/cli.md has every command, every option and every exit code."""

from collections.abc import Iterator

import click
import pytest

from cli.ends import Exit
from cli.main import cli
from tests.running import PROJECT

DOCUMENT = (PROJECT / "docs" / "cli.md").read_text()
# What is the same everywhere, and said once.
SHORT = {"--help", "--output", "--file"}


def commands(command: click.Command, path: str) -> Iterator[tuple[str, click.Command]]:
    if isinstance(command, click.Group):
        for name, inner in command.commands.items():
            yield from commands(inner, f"{path} {name}".strip())
    else:
        yield path, command


@pytest.mark.parametrize("path", [path for path, _ in commands(cli, "")])
def test_every_command_is_shown(path: str) -> None:
    assert f"drover {path}" in DOCUMENT or f"`{path}`" in DOCUMENT


@pytest.mark.parametrize(
    "option",
    sorted(
        {
            opt
            for _, command in (*commands(cli, ""), ("", cli))
            for param in command.params
            if isinstance(param, click.Option)
            for opt in param.opts
            if opt.startswith("--")
        }
        - SHORT
    ),
)
def test_every_option_is_explained(option: str) -> None:
    assert option in DOCUMENT


@pytest.mark.parametrize("code", list(Exit))
def test_every_exit_code_is_there(code: Exit) -> None:
    assert f"\n| {code.value} | " in DOCUMENT


def test_everything_has_help() -> None:
    lacking = [path for path, command in commands(cli, "") if not command.help]
    assert lacking == []
