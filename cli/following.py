"""How something that takes a while is shown: a live table on a terminal, counts on stderr elsewhere, and what came of it."""

from collections.abc import Callable, Sequence

from rich.console import Console, Group
from rich.live import Live
from rich.text import Text

from cli.ends import Exit, Failure, printable
from cli.output import Cell, console, note, rich_table, show_data, show_table
from cli.values import Item, ItemState, Progress, Run, Verb

_DOING = {
    Verb.RESTART: ("restarting", "running again"),
    Verb.PAUSE: ("pausing", "paused"),
    Verb.RESUME: ("resuming", "running"),
    Verb.STOP: ("stopping", "stopped"),
    Verb.DELETE: ("deleting", "deleted"),
}
_STYLES = {
    ItemState.DONE: "green",
    ItemState.UNDER_WAY: "cyan",
    ItemState.ASKED: "cyan",
    ItemState.FAILED_AGAIN: "bold red",
    ItemState.REFUSED: "bold red",
    ItemState.UNKNOWN: "yellow",
}
#: What is wrong comes first, then what moves.
_ORDER = (
    ItemState.FAILED_AGAIN,
    ItemState.REFUSED,
    ItemState.UNKNOWN,
    ItemState.CANCELLED,
    ItemState.LEFT_OUT,
    ItemState.UNDER_WAY,
    ItemState.ASKED,
    ItemState.WAITING,
    ItemState.DONE,
)
COLUMNS = ("CONNECTOR", "STATE", "AFTER", "CAUSE")
# Of a long list without trouble the end is told in numbers.
_MOST_SHOWN = 50


def follow(run: Run, output: str) -> None:
    """To its end. Raises Failure where not everything is as it was wanted, Interrupted."""
    last = _live(run) if output == "table" and console().is_terminal else _quietly(run)
    if output == "table":
        _result(last)
    else:
        show_data([item.to_json() for item in ordered(last.items)], output)
    if not last.fine:
        wrong = sum(not item.fine for item in last.items)
        raise Failure(f"{wrong} of {len(last.items)} {'is' if wrong == 1 else 'are'} not {_DOING[last.verb][1]}.", Exit.FAILED)


def words(verb: Verb, state: ItemState) -> str:
    if state is ItemState.UNDER_WAY:
        return _DOING[verb][0]
    return _DOING[verb][1] if state is ItemState.DONE else state.value


def summary(progress: Progress) -> str:
    """`1 failed again, 58 running again`, what is wrong first."""
    told = [f"{number:,} {words(progress.verb, state)}" for state in _ORDER if (number := progress.counts.get(state.value))]
    return ", ".join(told) or "nothing to do"


def ordered(items: Sequence[Item]) -> list[Item]:
    ranks = {state: rank for rank, state in enumerate(_ORDER)}
    return sorted(items, key=lambda item: (ranks[item.state], item.ref))


def _live(run: Run) -> Progress:
    out = console()
    with Live(console=out, auto_refresh=False, transient=True) as live:

        def look(progress: Progress) -> None:
            live.update(_picture(progress, out), refresh=True)

        return _last(run, look)


def _quietly(run: Run) -> Progress:
    said = ""

    def look(progress: Progress) -> None:
        nonlocal said
        if not progress.over and (now := summary(progress)) != said:
            note(now)
            said = now

    return _last(run, look)


def _last(run: Run, look: Callable[[Progress], None]) -> Progress:
    last = None
    try:
        for last in run:
            look(last)
    except KeyboardInterrupt:
        # It came while something was drawn; the run says what goes on.
        run.throw(KeyboardInterrupt())
        raise
    assert last is not None
    return last


def _picture(progress: Progress, out: Console) -> Group:
    room = max(3, out.height - 4)
    items = ordered(progress.items)
    rows = [_row(progress.verb, item) for item in items[:room]]
    more = sum(progress.counts.values()) - len(rows)
    lines = [Text(f"… and {more:,} more")] if more > 0 else []
    trouble = [Text(printable(progress.trouble), style="yellow")] if progress.trouble else []
    return Group(rich_table(COLUMNS, rows), *lines, Text(summary(progress), style="bold"), *trouble)


def _result(progress: Progress) -> None:
    items = ordered(progress.items)
    if len(items) > _MOST_SHOWN:
        items = [item for item in items if not item.fine]
    if items:
        show_table(COLUMNS, [_row(progress.verb, item) for item in items])
    note(summary(progress)[:1].upper() + summary(progress)[1:] + ".")


def _row(verb: Verb, item: Item) -> list[Cell]:
    after = "" if item.back_after is None else f"{item.back_after:.1f}s"
    return [str(item.ref), Text(words(verb, item.state), style=_STYLES.get(item.state, "")), after, item.cause]
