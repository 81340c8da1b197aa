"""Names of connectors on the command line, and what may be meant while one types."""

from collections.abc import Callable
from typing import Any, TypeVar

import click
from click.core import ParameterSource
from click.shell_completion import CompletionItem

from cli.contexts import Said
from cli.session import Session
from cli.values import Filter, Row

F = TypeVar("F", bound=Callable[..., Any])


def session_of(ctx: click.Context) -> Session:
    """While one types, nothing has been called yet."""
    root = ctx.find_root()
    if isinstance(root.obj, Session):
        return root.obj
    return Session(said(root))


def said(root: click.Context) -> Said:
    """What the command line and the environment say of whom to ask."""
    told = {name: value for name in ("context", "url", "connect", "token") if (value := root.params.get(name))}
    weak = [name for name in told if root.get_parameter_source(name) is ParameterSource.ENVIRONMENT]
    return Said(**told).without_weaker(weak)


def complete_connectors(ctx: click.Context, _param: click.Parameter, typed: str) -> list[CompletionItem]:
    """Whatever goes wrong: there is nothing to suggest."""
    try:
        rows = session_of(ctx).target.connectors(Filter())
    except Exception:
        return []
    return [CompletionItem(str(row.ref), help=row.state.value) for row in rows if str(row.ref).startswith(typed)]


def complete_contexts(ctx: click.Context, _param: click.Parameter, typed: str) -> list[CompletionItem]:
    try:
        return [CompletionItem(name) for name in session_of(ctx).contexts().known if name.startswith(typed)]
    except Exception:
        return []


name_argument = click.argument("name", shell_complete=complete_connectors)
names_argument = click.argument("names", nargs=-1, metavar="[NAME]...", shell_complete=complete_connectors)
cluster_option = click.option(
    "-c", "--cluster", default="", metavar="NAME", help="The cluster, where a control room has several."
)


def filter_options(command: F) -> F:
    """`-q`, `--cluster` and `--state`, as one `Filter`."""
    for option in (
        click.option("--state", "states", multiple=True, metavar="STATE", help="Only in this state, or one of several."),
        click.option("-c", "--cluster", "clusters", multiple=True, metavar="NAME", help="Only of this cluster, or of several."),
        click.option("-q", "--query", default="", help="The fleet's own search, as in 'state:failed class:jdbc' (control room)."),
    ):
        command = option(command)
    return command


def found(session: Session, names: tuple[str, ...], cluster: str) -> list[Row]:
    return list({row.ref: row for row in (session.target.find(name, cluster) for name in names)}.values())
