"""Commands that only look: `get`, `describe`, `watch` and `plugins`."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime

import click
from rich.console import Group
from rich.live import Live
from rich.text import Text

from cli.commands import resource_tables
from cli.commands.naming import cluster_option, complete_connectors, filter_options, found, name_argument, names_argument
from cli.ends import NotFound, printable
from cli.listings import changes, connector_listing, description, key_listing, plugin_listing, task_listing
from cli.manifests import kind_of
from cli.output import (
    Listing,
    console,
    every_output,
    note,
    output_option,
    rich_table,
    say,
    show,
    show_data,
)
from cli.session import Session, pass_session
from cli.values import Filter, Row, Sight

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
    show(plugin_listing(session.target.plugins(), several=session.target.several), output)


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
        show(plugin_listing(session.target.plugins(), several=session.target.several), output)
        return
    show(key_listing(session.target.plugin_keys(class_name, cluster)), output)


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
        before: Sight | None = None
        for sight in sights:
            for line in changes(before, sight):
                say(line)
            before = sight
    with Live(console=out, auto_refresh=False, screen=False) as live:
        for sight in sights:
            live.update(_picture(sight, target.several, out.height), refresh=True)


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


COMMANDS = [get_group, describe_group, watch, plugins]
