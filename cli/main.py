"""`drover`: the options that all commands share, and how whatever goes wrong is told."""

import os
from importlib import metadata
from typing import Any

import click

from cli.commands import acting, completion, configs, contexts, loggers, offsets, resources, seeing
from cli.commands.naming import said
from cli.ends import Failure, Interrupted, failure
from cli.session import Session
from connect_client import ConnectError, UnusableTls

_EPILOG = (
    "Exit codes: 0 done, 1 something failed, 2 wrong usage or not possible, 3 not reachable, 4 not allowed, 5 not found, "
    "6 conflict, 130 interrupted."
)


def _version() -> str:
    try:
        return metadata.version("drover")
    except metadata.PackageNotFoundError:
        return "(not installed)"


class Drover(click.Group):
    def invoke(self, ctx: click.Context) -> Any:
        """Nobody at a terminal is shown a trace, unless DROVER_DEBUG is set."""
        try:
            return super().invoke(ctx)
        except (ConnectError, UnusableTls) as error:
            raise failure(error) from error
        except (KeyboardInterrupt, click.Abort):
            raise Interrupted from None
        except (click.ClickException, click.exceptions.Exit, BrokenPipeError):
            raise
        except Exception as error:
            if os.environ.get("DROVER_DEBUG"):
                raise
            told = f"{type(error).__name__}: {error}".rstrip(": .")
            raise Failure(f"This is a fault of drover's own ({told}); with DROVER_DEBUG=1 it says where.") from error

    def list_commands(self, ctx: click.Context) -> list[str]:
        """In the order of the documentation."""
        return list(self.commands)


@click.group(cls=Drover, epilog=_EPILOG, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 120})
@click.version_option(_version(), prog_name="drover", message="%(prog)s %(version)s")
@click.option("--context", envvar="DROVER_CONTEXT", default="", metavar="NAME", help="A context in place of the current one.")
@click.option("--url", envvar="DROVER_URL", default="", help="A control room in place of a context.")
@click.option("--connect", envvar="DROVER_CONNECT", multiple=True, metavar="URL", help="A Connect cluster in place of a context.")
@click.option("--token", envvar="DROVER_TOKEN", default="", help="A token for either.")
@click.pass_context
def cli(ctx: click.Context, /, **_said: object) -> None:
    """Kafka Connect clusters from the command line: all those of a control room, or one by itself."""
    session = ctx.obj = Session(said(ctx))
    ctx.call_on_close(session.close)


for module in (contexts, seeing, acting, configs, offsets, loggers, resources, completion):
    for command in module.COMMANDS:
        cli.add_command(command)


def main() -> None:
    cli(prog_name="drover")
