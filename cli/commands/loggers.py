"""`loggers get|set`."""

from datetime import UTC, datetime

import click

from cli.commands.naming import cluster_option
from cli.ends import NotFound
from cli.output import Listing, age, count, every_output, note, show
from cli.session import Session, pass_session


@click.group("loggers")
def loggers_group() -> None:
    """Log levels of a cluster's workers."""


@loggers_group.command("get")
@click.argument("logger", required=False)
@cluster_option
@every_output
@pass_session
def get(session: Session, logger: str | None, cluster: str, output: str) -> None:
    """All loggers, or one and those below it."""
    told = session.target.loggers(cluster)
    meant = [one for one in told if logger is None or one.name == logger or one.name.startswith(f"{logger}.")]
    if logger is not None and not meant:
        raise NotFound(f"There is no logger {logger}.")
    now = datetime.now(UTC)
    data = [{"name": one.name, "level": one.level, "set_at": one.since.isoformat() if one.since else None} for one in meant]
    rows = [[one.name, one.level, age(one.since, now)] for one in meant]
    show(Listing(("LOGGER", "LEVEL", "SET"), rows, data, [one.name for one in meant]), output)


@loggers_group.command("set")
@click.argument("logger")
@click.argument("level")
@click.option("--worker", is_flag=True, help="Only of the worker that answers.")
@cluster_option
@pass_session
def set_(session: Session, logger: str, level: str, worker: bool, cluster: str) -> None:
    """Set the level of a logger and those below it, in all workers of the cluster."""
    changed = session.target.set_level(cluster, logger, level.upper(), whole=not worker)
    if changed is None:
        note(f"{logger} is {level.upper()} in all workers in a moment.")
    else:
        note(f"{count(len(changed), 'logger')} of the worker that answered: {level.upper()}.")


COMMANDS = [loggers_group]
