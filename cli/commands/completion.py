"""`completion`: a script for the shell."""

import click
from click.shell_completion import get_completion_class

from cli.ends import Cannot


@click.command("completion")
@click.argument("shell", type=click.Choice(("bash", "zsh", "fish")))
@click.pass_context
def completion(ctx: click.Context, shell: str) -> None:
    """A script that completes commands and names: source <(drover completion bash)."""
    kind = get_completion_class(shell)
    if kind is None:
        raise Cannot(f"There is no completion for {shell}.")
    click.echo(kind(ctx.find_root().command, {}, "drover", "_DROVER_COMPLETE").source())


COMMANDS = [completion]
