"""Commands that only look: `get`, `describe`, `watch` and `plugins`."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import click
from rich.console import Group
from rich.live import Live
from rich.text import Text

from cli.commands import resource_tables
from cli.commands.naming import cluster_option, complete_connectors, filter_options, found, name_argument, names_argument
from cli.ends import Interrupted, NotFound, printable
from cli.manifests import kind_of
from cli.output import (
    Cell,
    Listing,
    age,
    console,
    every_output,
    note,
    output_option,
    rich_table,
    say,
    show,
    show_data,
    state_cell,
)
from cli.session import Session, pass_session
from cli.target import Target
from cli.values import Described, Filter, PluginLine, Ref, Row, Sight
from connect_client.states import State

_CLUSTERS = "kafkaconnect"


@click.group("get")
def get_group() -> None:
    """Lists of what there is."""


@get_group.command("clusters")
@every_output
@pass_session
def clusters(session: Session, output: str) -> None:
    """Connect clusters, and whether they answer."""
    told = session.target.clusters()
    columns = ("NAME", "CONTACT", "VERSION", "CONNECTORS", "CAUSE")
    rows = [[one["name"], one["contact"], one["version"], str(one["connectors"]), one["error"]] for one in told]
    show(Listing(columns, rows, told, [one["name"] for one in told]), output)


@get_group.command("connectors")
@names_argument
@filter_options
@every_output
@pass_session
def connectors(
    session: Session, names: tuple[str, ...], query: str, clusters: tuple[str, ...], states: tuple[str, ...], output: str
) -> None:
    """Connectors with their states: all, those that are named, or those that a search finds."""
    rows = _wanted(session, names, Filter(query, clusters, states))
    show(connector_listing(rows, several=session.target.several, now=datetime.now(UTC)), output)
    _tell_of_silent(rows)


@get_group.command("tasks")
@names_argument
@filter_options
@every_output
@pass_session
def tasks(
    session: Session, names: tuple[str, ...], query: str, clusters: tuple[str, ...], states: tuple[str, ...], output: str
) -> None:
    """Tasks of connectors. --state is of the tasks here."""
    rows = _wanted(session, names, Filter(query, clusters))
    show(task_listing(rows, states, several=session.target.several), output)
    _tell_of_silent(rows)


@get_group.command("plugins")
@every_output
@pass_session
def plugins_list(session: Session, output: str) -> None:
    """Connector plug-ins, and their versions."""
    show(_plugin_listing(session.target), output)


@get_group.command("resources")
@click.argument("name", required=False)
@click.option("--kind", default="", help="Only of this kind: kafkaconnector, kafkamirrormaker2, configmap or kafkaconnect.")
@cluster_option
@every_output
@pass_session
def resources(session: Session, name: str | None, kind: str, cluster: str, output: str) -> None:
    """Resources that the control room keeps. As YAML they can be edited and applied again."""
    told = session.target.resources(kind_of(kind, _CLUSTERS) if kind else "", cluster)
    # A control room shows its clusters as documents, too, which nobody applies.
    own = [one for one in told if kind or str(one["kind"]).lower() != _CLUSTERS]
    meant = [one for one in own if name is None or one["metadata"]["name"] == name]
    if name is not None and not meant:
        raise NotFound(f"There is no resource {name}.")
    show(resource_tables.listing(meant, datetime.now(UTC)), output)


@click.group("describe")
def describe_group() -> None:
    """All that is known of one thing."""


@describe_group.command("connector")
@name_argument
@cluster_option
@output_option("table", "json", "yaml")
@pass_session
def describe_connector(session: Session, name: str, cluster: str, output: str) -> None:
    """A connector: states, tasks, why it failed, its config without secrets."""
    described = session.target.describe(session.target.find(name, cluster))
    if output == "table":
        for line in description(described, datetime.now(UTC)):
            say(line)
        return
    show_data({**described.row.to_json(), "config": described.config, "traces": dict(described.traces)}, output)


@click.command("plugins")
@click.argument("class_name", metavar="[CLASS]", required=False)
@cluster_option
@every_output
@pass_session
def plugins(session: Session, class_name: str | None, cluster: str, output: str) -> None:
    """Connector plug-ins; of one the keys of its config."""
    if class_name is None:
        show(_plugin_listing(session.target), output)
        return
    keys = session.target.plugin_keys(class_name, cluster)
    rows = [
        [
            key["name"],
            key["type"],
            _default(key),
            key["importance"],
            key["documentation"],
        ]
        for key in keys
    ]
    show(Listing(("KEY", "TYPE", "DEFAULT", "IMPORTANCE", "DOCUMENTATION"), rows, keys, [key["name"] for key in keys]), output)


@click.command("watch")
@click.argument("names", nargs=-1, metavar="[NAME]...", shell_complete=complete_connectors)
@filter_options
@pass_session
def watch(session: Session, names: tuple[str, ...], query: str, clusters: tuple[str, ...], states: tuple[str, ...]) -> None:
    """States as they change, until Ctrl-C: a live table, or a line for each change where there is no terminal."""
    target, wanted = session.target, Filter(query, clusters, states)
    meant = {row.ref for row in found(session, names, "")}
    sights = (replace(sight, rows=[row for row in sight.rows if not meant or row.ref in meant]) for sight in target.watch(wanted))
    out = console()
    if not out.is_terminal:
        before: dict[Ref, Row] | None = None
        for sight in sights:
            for line in changes(before, sight):
                say(line)
            before = {row.ref: row for row in sight.rows}
        raise Interrupted
    with Live(console=out, auto_refresh=False, screen=False) as live:
        for sight in sights:
            live.update(_picture(sight, target.several, out.height), refresh=True)


def connector_listing(rows: Sequence[Row], *, several: bool, now: datetime) -> Listing:
    columns = ("NAME", "STATE", "TASKS", "TYPE", "CLASS", "SINCE", "CAUSE")
    ranks = {state: rank for rank, state in enumerate(State)}
    shown = sorted(rows, key=lambda row: (ranks[row.state], row.ref))
    cells: list[list[Cell]] = [
        [
            *([row.ref.cluster] if several else []),
            row.ref.name,
            state_cell(row.state),
            f"{sum(task.state == State.RUNNING for task in row.tasks)}/{len(row.tasks)}",
            row.type,
            row.class_name.rpartition(".")[2],
            age(row.since, now),
            row.cause,
        ]
        for row in shown
    ]
    heads = ("CLUSTER", *columns) if several else columns
    return Listing(heads, cells, [row.to_json() for row in shown], [str(row.ref) for row in shown])


def task_listing(rows: Sequence[Row], states: Sequence[str], *, several: bool) -> Listing:
    columns = ("CONNECTOR", "TASK", "STATE", "WORKER")
    wanted = {state.upper() for state in states}
    every = [(row, task) for row in sorted(rows, key=lambda row: row.ref) for task in row.tasks]
    shown = [(row, task) for row, task in every if not wanted or task.state in wanted]
    cells: list[list[Cell]] = [
        [*([row.ref.cluster] if several else []), row.ref.name, str(task.id), state_cell(task.state), task.worker_id]
        for row, task in shown
    ]
    data = [
        {
            **({"cluster": row.ref.cluster} if several else {}),
            "connector": row.ref.name,
            "id": task.id,
            "state": task.state,
            "worker_id": task.worker_id,
        }
        for row, task in shown
    ]
    return Listing(("CLUSTER", *columns) if several else columns, cells, data, [f"{row.ref}:{task.id}" for row, task in shown])


def description(of: Described, now: datetime) -> list[str]:
    row = of.row
    since = f", for {age(row.since, now)}" if row.since else ""
    lines = [f"Name:       {row.ref.name}"]
    lines += [f"Cluster:    {row.ref.cluster}"] if row.ref.cluster else []
    lines += [f"State:      {row.state}{since}{'' if row.live else ' (last seen: its cluster does not answer)'}"]
    lines += [f"Type:       {row.type or 'not known'}", f"Class:      {row.class_name or 'not known'}"]
    if row.connector:
        lines += [f"Connector:  {row.connector.state} on {row.connector.worker_id or 'no worker'}"]
    lines += ["Tasks:" if row.tasks else "Tasks:      none"]
    lines += [f"  {task.id}  {task.state} on {task.worker_id or 'no worker'}" for task in row.tasks]
    for whose, trace in of.traces.items():
        lines += ["", f"Trace of {whose}:", *(f"  {line}" for line in trace.rstrip().split("\n"))]
    lines += ["", "Config:" if of.config is not None else "Config:     not told yet"]
    return lines + [f"  {key} = {'' if value is None else value}" for key, value in sorted((of.config or {}).items())]


def changes(before: Mapping[Ref, Row] | None, sight: Sight) -> list[str]:
    """A line for each connector that is otherwise; at first, of all of them as they are."""
    at = datetime.now(UTC).strftime("%H:%M:%S")
    lines = [f"{at} {sight.trouble}"] if sight.trouble else []
    now = {row.ref: row for row in sight.rows}
    for ref, row in sorted(now.items()):
        was = before.get(ref) if before is not None else None
        cause = f": {row.cause}" if row.cause else ""
        if was is None:
            lines.append(f"{at} {ref} {row.state}{cause}")
        elif (was.state, was.cause) != (row.state, row.cause):
            lines.append(f"{at} {ref} {was.state} -> {row.state}{cause}")
    return lines + [f"{at} {ref} gone" for ref in sorted(set(before or {}) - set(now))]


def _picture(sight: Sight, several: bool, height: int) -> Group:
    listing = connector_listing(sight.rows, several=several, now=datetime.now(UTC))
    room = max(3, height - 4)
    more = len(listing.rows) - room
    lines = [Text(f"… and {more:,} more")] if more > 0 else []
    trouble = [Text(printable(sight.trouble), style="yellow")] if sight.trouble else []
    return Group(rich_table(listing.columns, listing.rows[:room]), *lines, *trouble)


def _wanted(session: Session, names: tuple[str, ...], wanted: Filter) -> list[Row]:
    if not names:
        return session.target.connectors(wanted)
    if wanted.query or wanted.states:
        raise click.UsageError("Either names or a search.")
    return found(session, names, next(iter(wanted.clusters), ""))


def _tell_of_silent(rows: Sequence[Row]) -> None:
    silent = sorted({row.ref.cluster for row in rows if not row.live})
    if silent:
        note(f"{', '.join(silent)}: does not answer; what is shown of it was last seen.")


def _plugin_listing(target: Target) -> Listing:
    lines = target.plugins()
    data: list[dict[str, Any]] = [line.to_json() for line in lines]
    if target.several:
        rows = [[line.class_name, line.type, str(line.used), _places(line)] for line in lines]
        return Listing(("CLASS", "TYPE", "CONNECTORS", "CLUSTERS"), rows, data, [line.class_name for line in lines])
    rows = [[line.class_name, line.type, ", ".join(line.where.get("", ()))] for line in lines]
    return Listing(("CLASS", "TYPE", "VERSION"), rows, data, [line.class_name for line in lines])


def _places(line: PluginLine) -> str:
    return ", ".join(f"{cluster} {'/'.join(versions)}".strip() for cluster, versions in line.where.items())


def _default(key: Mapping[str, Any]) -> str:
    return "required" if key["required"] else key["default"] or ""


COMMANDS = [get_group, describe_group, watch, plugins]
