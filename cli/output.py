"""What commands print: tables for people, JSON and YAML for programs, names for pipes. Colours on terminals only, and never with
`NO_COLOR`."""

import json
import sys
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any, TypeVar

import click
import yaml
from rich.cells import cell_len
from rich.console import Console
from rich.table import Table
from rich.text import Text

from cli.ends import printable
from connect_client.states import State

F = TypeVar("F", bound=Callable[..., Any])

_STYLES = {
    State.FAILED: "bold red",
    State.DEGRADED: "yellow",
    State.RESTARTING: "cyan",
    State.PAUSED: "blue",
    State.STOPPED: "dim",
    State.UNASSIGNED: "yellow",
    State.RUNNING: "green",
}
#: What is cut off where a terminal is too narrow: it has what the others leave.
_LONG = ("CAUSE", "DOCUMENTATION")
Cell = str | Text


@dataclass(frozen=True, slots=True)
class Listing:
    """`data` are the rows for programs, `names` for pipes."""

    columns: Sequence[str]
    rows: Sequence[Sequence[Cell]]
    data: Any
    names: Sequence[str] = field(default=())


def output_option(*formats: str) -> Callable[[F], F]:
    return click.option(
        "-o", "--output", type=click.Choice(formats), default=formats[0], show_default=True, help="How it is printed."
    )


every_output = output_option("table", "json", "yaml", "name")


def console(*, to_stderr: bool = False) -> Console:
    """Made when it is needed: stdout may be another one by then."""
    return Console(file=sys.stderr if to_stderr else sys.stdout, highlight=False, emoji=False)


def show(listing: Listing, output: str) -> None:
    if output == "table":
        show_table(listing.columns, listing.rows)
    elif output == "name":
        for name in listing.names:
            say(name)
    else:
        show_data(listing.data, output)


def show_data(data: Any, output: str) -> None:
    if output == "json":
        click.echo(json.dumps(data, indent=2, ensure_ascii=False))
    else:
        click.echo(yaml.safe_dump(data, sort_keys=False, allow_unicode=True), nl=False)


def show_table(columns: Sequence[str], rows: Sequence[Sequence[Cell]]) -> None:
    out = console()
    if out.is_terminal:
        out.print(rich_table(columns, rows))
        return
    for line in plain_lines(columns, rows):
        click.echo(line)


def rich_table(columns: Sequence[str], rows: Iterable[Sequence[Cell]]) -> Table:
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="bold", expand=columns[-1] in _LONG)
    for column in columns:
        if column in _LONG:
            table.add_column(column, no_wrap=True, overflow="ellipsis", ratio=1, min_width=8)
        else:
            table.add_column(column, overflow="fold")
    for row in rows:
        table.add_row(*map(_text, row))
    return table


def plain_lines(columns: Sequence[str], rows: Iterable[Sequence[Cell]]) -> list[str]:
    """However wide it gets: nothing is cut off for a program."""
    cells = [list(columns), *([_text(cell).plain for cell in row] for row in rows)]
    widths = [max(cell_len(line[at]) for line in cells) for at in range(len(columns))]
    padded = [[cell + " " * (width - cell_len(cell)) for cell, width in zip(line, widths, strict=True)] for line in cells]
    return ["  ".join(line).rstrip() for line in padded]


def state_cell(state: str) -> Text:
    return Text(printable(state), style=_STYLES.get(State(state), "") if state in _STYLES else "")


def age(since: datetime | None, now: datetime) -> str:
    """`12s`, `5m`, `3h`, `4d`; `-` for what is not known."""
    if since is None:
        return "-"
    passed = max(now - since, timedelta())
    for unit, length in (("d", timedelta(days=1)), ("h", timedelta(hours=1)), ("m", timedelta(minutes=1))):
        if passed >= length:
            return f"{passed // length}{unit}"
    return f"{passed // timedelta(seconds=1)}s"


def count(number: int, word: str) -> str:
    return f"{number:,} {word}{'' if number == 1 else 's'}"


def say(text: str) -> None:
    """A line of what was asked for."""
    click.echo(printable(text))


def note(text: str) -> None:
    """For people only: it does not get into what is printed for programs."""
    click.echo(printable(text), err=True)


def _text(cell: Cell) -> Text:
    """One line."""
    if isinstance(cell, Text):
        return cell
    return Text(" ".join(printable(cell).split("\n")))
